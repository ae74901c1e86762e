//! Ids that differ in a few words, written as one: `a/{b,c}/d` is `a/b/d` and `a/c/d`.

/// Every text that `pattern` stands for, the leftmost alternatives slowest. What is not a closed list
/// in braces stays as it is, and is no id.
pub(super) fn alternatives(pattern: &str) -> Vec<String> {
    let parts = pattern.split_once('{').and_then(|(before, rest)| {
        let (list, after) = rest.split_once('}')?;
        Some((before, list, after))
    });
    let Some((before, list, after)) = parts else { return vec![pattern.to_owned()] };
    let rest = alternatives(after);
    let with = |word: &str| -> Vec<String> {
        rest.iter().map(|rest| format!("{before}{word}{rest}")).collect()
    };
    list.split(',').flat_map(|word| with(word.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_multiplies() {
        assert_eq!(alternatives("a/{b,c}/{d, e}"), ["a/b/d", "a/b/e", "a/c/d", "a/c/e"]);
        assert_eq!(alternatives("a/b"), ["a/b"]);
        assert_eq!(alternatives("a{/x,}/b"), ["a/x/b", "a/b"]);
        assert_eq!(alternatives("a/{b"), ["a/{b"]);
        assert_eq!(alternatives("a}/{b,c}"), ["a}/b", "a}/c"]);
    }
}
