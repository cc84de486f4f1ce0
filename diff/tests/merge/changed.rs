//! What a patch changes, without its context: to compare scripts with what git prints.

use diff::{
    engine::Hunk,
    patch::parse::{LineKind, PatchFile},
};

/// The lines that a file's patch removes and adds.
pub fn changed(file: &PatchFile<'_>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for hunk in &file.hunks {
        let (mut old, mut new) = (hunk.old.start, hunk.new.start);
        for line in &hunk.lines {
            let (removed, added) = match line.kind {
                LineKind::Context => {
                    (old, new) = (old + 1, new + 1);
                    continue;
                }
                LineKind::Removed => (1, 0),
                LineKind::Added => (0, 1),
            };
            match hunks.last_mut() {
                Some(last) if last.old.end == old && last.new.end == new => {
                    (last.old.end, last.new.end) = (old + removed, new + added);
                }
                _ => hunks.push(Hunk { old: old..old + removed, new: new..new + added }),
            }
            (old, new) = (old + removed, new + added);
        }
    }
    hunks
}
