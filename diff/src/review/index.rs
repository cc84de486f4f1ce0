//! Rows of a whole review: which file and which of its rows is at a visual row, and back.
//!
//! Every file has a height in rows (its header and its body; none when hidden). Heights are summed in a Fenwick tree
//! (Fenwick 1994), so finding a row and changing a height both cost O(log files). Totals are u64: 22.8 million lines
//! and more fit without rounding.

/// Heights of files and their running sums.
#[derive(Clone, Debug, Default)]
pub struct RowIndex {
    heights: Vec<u32>,
    tree: Vec<u64>,
}

impl RowIndex {
    /// An index of these heights. O(n).
    pub fn new(heights: Vec<u32>) -> Self {
        let mut tree = vec![0; heights.len() + 1];
        for (i, &h) in heights.iter().enumerate() {
            let node = i + 1;
            tree[node] += u64::from(h);
            let parent = node + (node & node.wrapping_neg());
            if parent < tree.len() {
                tree[parent] += tree[node];
            }
        }
        Self { heights, tree }
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.heights.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.start(self.len())
    }

    /// The height of a file; 0 when there is no such file.
    pub fn height(&self, file: usize) -> u32 {
        self.heights.get(file).copied().unwrap_or(0)
    }

    /// The rows above a file. O(log n).
    pub fn start(&self, file: usize) -> u64 {
        let mut sum = 0;
        let mut node = file.min(self.len());
        while node > 0 {
            sum += self.tree[node];
            node &= node - 1;
        }
        sum
    }

    /// Changes the height of a file. O(log n).
    pub fn set(&mut self, file: usize, height: u32) {
        let Some(old) = self.heights.get_mut(file) else { return };
        let (before, after) = (u64::from(*old), u64::from(height));
        *old = height;
        let mut node = file + 1;
        while node < self.tree.len() {
            self.tree[node] = self.tree[node] - before + after;
            node += node & node.wrapping_neg();
        }
    }

    /// The file at a row and the row inside it; `None` past the end. Files without rows are never found. O(log n).
    pub fn find(&self, row: u64) -> Option<(usize, u32)> {
        let mut file = 0;
        let mut left = row;
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            let next = file + step;
            if next < self.tree.len() && self.tree[next] <= left {
                left -= self.tree[next];
                file = next;
            }
            step /= 2;
        }
        (file < self.len()).then_some((file, left as u32))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(heights: &[u32], row: u64) -> Option<(usize, u32)> {
        let mut left = row;
        for (file, &h) in heights.iter().enumerate() {
            if left < u64::from(h) {
                return Some((file, left as u32));
            }
            left -= u64::from(h);
        }
        None
    }

    proptest! {
        #[test]
        fn agrees_with_adding_up(
            mut heights in prop::collection::vec(0..9u32, 0..40),
            edits in prop::collection::vec((0..40usize, 0..9u32), 0..20),
        ) {
            let mut index = RowIndex::new(heights.clone());
            for (file, height) in edits {
                index.set(file, height);
                if let Some(h) = heights.get_mut(file) {
                    *h = height;
                }
            }
            let total: u64 = heights.iter().map(|&h| u64::from(h)).sum();
            prop_assert_eq!(index.total(), total);
            for row in 0..total + 2 {
                prop_assert_eq!(index.find(row), plain(&heights, row));
            }
            for file in 0..=heights.len() {
                prop_assert_eq!(index.start(file), heights[..file].iter().map(|&h| u64::from(h)).sum::<u64>());
            }
        }
    }
}
