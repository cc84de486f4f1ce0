//! Which elements of one sequence are elements of another: a longest common subsequence, for short sequences.

/// Cells of the table; beyond, only the common start and end are paired.
const LARGEST: usize = 4 << 20;

/// For each element of `new`, the element of `old` that it is; both in order.
pub(super) fn align<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut pairs: Vec<Option<usize>> = (0..new.len())
        .map(|at| match at {
            at if at < start => Some(at),
            at if at >= new.len() - end => Some(at + old.len() - new.len()),
            _ => None,
        })
        .collect();
    let (a, b) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    if a.is_empty() || b.is_empty() || (a.len() + 1).saturating_mul(b.len() + 1) > LARGEST {
        return pairs;
    }
    // Lengths of the longest common subsequence of what follows each pair of places.
    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs[start + j] = Some(start + i);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_is_paired_in_order() {
        let check = |old: &str, new: &str, expected: &[Option<usize>]| {
            let (old, new): (Vec<_>, Vec<_>) = (old.chars().collect(), new.chars().collect());
            assert_eq!(align(&old, &new), expected);
        };
        check("abc", "abc", &[Some(0), Some(1), Some(2)]);
        check("abc", "axc", &[Some(0), None, Some(2)]);
        check("abcd", "xbyd", &[None, Some(1), None, Some(3)]);
        check("", "a", &[None]);
        check("a", "aa", &[Some(0), None]);
    }
}
