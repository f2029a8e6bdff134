//! "Did you mean …?"

/// The candidate nearest to a misspelt name, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(d, candidate)| *d <= limit && *d < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) that lead from one word to the other
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]) as usize;
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let names = ["split", "slide", "zip", "reduce", "transpose"];
        assert_eq!(nearest("transopse", names.into_iter()), Some("transpose"));
        assert_eq!(nearest("silde", names.into_iter()), Some("slide"));
        assert_eq!(nearest("reduec", names.into_iter()), Some("reduce"));
        assert_eq!(nearest("convolve", names.into_iter()), None);
    }
}
