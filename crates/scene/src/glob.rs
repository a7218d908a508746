//! Globs over names.

/// Whether a name fits a glob in which `*` is any text, `?` any one character, and all else (`[`
/// too) itself.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None; // after the last `*`, and where in the name it now ends
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                g += 1;
                retry = Some((g, n));
            }
            Some(&c) if c == '?' || c == name[n] => (g, n) = (g + 1, n + 1),
            _ => {
                let Some((after, end)) = retry else { return false };
                (g, n) = (after, end + 1);
                retry = Some((g, n));
            }
        }
    }
    glob[g..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, by recursion.
    fn slow_glob(glob: &[char], name: &[char]) -> bool {
        match (glob.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => (0..=name.len()).any(|skip| slow_glob(rest, &name[skip..])),
            (Some((g, rest)), Some((n, tail))) => (*g == '?' || g == n) && slow_glob(rest, tail),
            _ => false,
        }
    }

    #[test]
    fn globs_fit_their_definition() {
        assert!(glob_matches("duct[1]*", "duct[1]-a") && !glob_matches("duct[1]", "duct1"));
        assert!(glob_matches("*ü?", "münchenüß"));
        let words = |alphabet: &[char], length: u32| {
            let n = alphabet.len();
            let mut all = vec![Vec::new()];
            for l in 1..=length {
                all.extend((0..n.pow(l)).map(|i| (0..l).map(|k| alphabet[i / n.pow(k) % n]).collect::<Vec<char>>()));
            }
            all
        };
        let (globs, names) = (words(&['a', 'b', '*', '?'], 5), words(&['a', 'b'], 5));
        let mut yes = 0;
        for glob in &globs {
            for name in &names {
                let expected = slow_glob(glob, name);
                yes += u32::from(expected);
                let (glob, name): (String, String) = (glob.iter().collect(), name.iter().collect());
                assert_eq!(glob_matches(&glob, &name), expected, "{glob} {name}");
            }
        }
        assert!(yes > 1000);
    }
}
