//! Arranging panes: splitting the one in use, and going from tab to tab.

use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};

use crate::panes::{Layout, Pane};

/// Shows the active pane a second time, beside it or below; the new one, which is then active.
pub fn split(layout: &mut Layout, dir: LinearDir) -> Option<TileId> {
    let active = layout.active_id()?;
    let copy = layout.active()?.duplicate();
    let tiles = &mut layout.tiles.tiles;
    let pane = tiles.insert_pane(copy);
    let tabs = tiles.insert_tab_tile(vec![pane]);
    let group = tiles.parent_of(active).filter(|&parent| is_tabs(layout, parent)).unwrap_or(active);
    put_beside(layout, group, tabs, dir);
    layout.activate(pane);
    Some(pane)
}

/// Opens a pane below everything, with `share` of the height; the first pane takes it all.
pub fn open_below(layout: &mut Layout, pane: Pane, share: f32) -> TileId {
    let tile = layout.tiles.tiles.insert_pane(pane);
    let tabs = layout.tiles.tiles.insert_tab_tile(vec![tile]);
    match layout.tiles.root {
        None => layout.tiles.root = Some(tabs),
        Some(root) => {
            let mut line = Linear::new(LinearDir::Vertical, vec![root, tabs]);
            line.shares.set_share(root, 1.0 - share);
            line.shares.set_share(tabs, share);
            layout.tiles.root = Some(layout.tiles.tiles.insert_container(line));
        }
    }
    layout.activate(tile);
    tile
}

/// Puts the tile `new` behind `group`, in a row or column of their own if they are not in one already.
fn put_beside(layout: &mut Layout, group: TileId, new: TileId, dir: LinearDir) {
    let tree = &mut layout.tiles;
    let parent = tree.tiles.parent_of(group);
    if let Some(Tile::Container(Container::Linear(line))) = parent.and_then(|parent| tree.tiles.get_mut(parent))
        && line.dir == dir
    {
        let at = line.children.iter().position(|&child| child == group).map_or(line.children.len(), |at| at + 1);
        // The two share the room that the one had.
        let share = line.shares[group] / 2.0;
        line.shares.set_share(group, share);
        line.shares.set_share(new, share);
        line.children.insert(at, new);
        return;
    }
    let line = tree.tiles.insert_container(Linear::new(dir, vec![group, new]));
    match parent.and_then(|parent| tree.tiles.get_mut(parent)) {
        Some(Tile::Container(container)) => {
            // A group without a place in its parent cannot be: it was found there.
            let replaced = container.replace_child(group, line);
            debug_assert!(replaced.is_some(), "the parent has the group");
        }
        _ => tree.root = Some(line),
    }
}

/// The tab to the right or left of the active one, around the end.
pub fn neighbour_tab(layout: &Layout, forward: bool) -> Option<TileId> {
    let active = layout.active_id()?;
    let parent = layout.tiles.tiles.parent_of(active)?;
    let Some(Tile::Container(Container::Tabs(tabs))) = layout.tiles.tiles.get(parent) else { return None };
    let count = tabs.children.len();
    let at = tabs.children.iter().position(|&child| child == active)?;
    let to = if forward { (at + 1) % count } else { (at + count - 1) % count };
    (to != at).then(|| tabs.children[to])
}

fn is_tabs(layout: &Layout, tile: TileId) -> bool {
    matches!(layout.tiles.tiles.get(tile), Some(Tile::Container(Container::Tabs(_))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::help::HelpPane;

    /// The arrangement in words: tabs in brackets, the active one of each marked.
    fn shown(layout: &Layout, tile: TileId) -> String {
        match layout.tiles.tiles.get(tile) {
            Some(Tile::Pane(_)) => "p".to_owned(),
            Some(Tile::Container(Container::Tabs(tabs))) => {
                let inner: Vec<String> = tabs.children.iter().map(|&child| shown(layout, child)).collect();
                format!("[{}]", inner.join(" "))
            }
            Some(Tile::Container(Container::Linear(line))) => {
                let inner: Vec<String> = line.children.iter().map(|&child| shown(layout, child)).collect();
                let (open, close) = if line.dir == LinearDir::Horizontal { ('(', ')') } else { ('{', '}') };
                format!("{open}{}{close}", inner.join(" "))
            }
            _ => "?".to_owned(),
        }
    }

    fn check(steps: &[LinearDir], expected: &str) {
        let mut layout = Layout::default();
        layout.open(Pane::Help(HelpPane::default()));
        layout.open(Pane::Help(HelpPane::default()));
        for &dir in steps {
            split(&mut layout, dir);
        }
        assert_eq!(shown(&layout, layout.tiles.root.unwrap()), expected);
    }

    #[test]
    fn splitting_puts_the_pane_beside_itself() {
        check(&[], "[p p]");
        check(&[LinearDir::Horizontal], "([p p] [p])");
        check(&[LinearDir::Vertical], "{[p p] [p]}");
    }

    #[test]
    fn splitting_again_the_same_way_stays_in_the_row() {
        check(&[LinearDir::Horizontal, LinearDir::Horizontal], "([p p] [p] [p])");
        check(&[LinearDir::Horizontal, LinearDir::Vertical], "([p p] {[p] [p]})");
    }

    #[test]
    fn tabs_go_around() {
        let mut layout = Layout::default();
        let first = layout.open(Pane::Help(HelpPane::default()));
        assert_eq!(neighbour_tab(&layout, true), None, "there is no other");
        let second = layout.open(Pane::Help(HelpPane::default()));
        assert_eq!(neighbour_tab(&layout, true), Some(first));
        layout.activate(first);
        assert_eq!(neighbour_tab(&layout, false), Some(second));
    }
}
