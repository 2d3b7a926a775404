/// Returns the confusable skeleton of an ASCII name: names that look alike have the same one.
/// Letters are folded to lower case, `i`, `l` and `1` are one letter, so are `o` and `0`, and `-`,
/// `_` and `.` do not count.
///
/// ```
/// # use assay_model::skeleton;
/// assert_eq!(skeleton("inspect-ai"), skeleton("lnspect_Al"));
/// assert_ne!(skeleton("inspect-ai"), skeleton("lighteval"));
/// ```
pub fn skeleton(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|letter| !matches!(letter, '-' | '_' | '.'))
        .map(|letter| match letter {
            'I' | 'i' | '1' | 'l' | 'L' | '|' => 'l',
            'o' | 'O' | '0' => 'o',
            '5' | 's' | 'S' => 's',
            '2' | 'z' | 'Z' => 'z',
            '8' | 'b' | 'B' => 'b',
            other => other.to_ascii_lowercase(),
        })
        .collect();
    plain.replace("rn", "m").replace("vv", "w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (one, other) in [
            ("alice", "a1ice"),
            ("alice", "AIice"),
            ("operator", "operat0r"),
            ("meta-llama", "meta_llama"),
            ("modern", "modem"),
            ("vvhale", "whale"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("alice"), skeleton("alicia"));
    }
}
