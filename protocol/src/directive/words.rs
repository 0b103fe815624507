//! Words of one directive line, quoted as in a shell.

use super::Problem;

/// One line, taken apart.
pub(super) struct Line<'a> {
    /// The words, without their quotes.
    pub(super) words: Vec<String>,
    /// The line as written, without blanks around it and without the remark at its end.
    pub(super) text: &'a str,
}

/// Splits at blanks. `'…'` is literal, `"…"` keeps `\"` and `\\`, a backslash elsewhere takes the
/// next character as it is, and `#` at the beginning of a word ends the line.
pub(super) fn split(line: &str) -> Result<Line<'_>, Problem> {
    // A script from another system may end its lines with a carriage return.
    let line = line.trim_end_matches('\r');
    if line.contains(|c: char| c.is_control() && c != '\t') {
        return Err(Problem::ControlCharacter);
    }
    let begin = line.trim_ascii_start();
    let mut words = Vec::new();
    let mut rest = begin;
    let mut end = begin;
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = next_word(rest)?;
        words.push(word);
        end = after;
        rest = after.trim_ascii_start();
    }
    let text = begin.strip_suffix(end).unwrap_or(begin);
    Ok(Line { words, text })
}

/// The word that `text` begins with, and what follows it.
fn next_word(text: &str) -> Result<(String, &str), Problem> {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.chars();
    loop {
        let here = chars.as_str();
        let Some(c) = chars.next() else {
            return match quote {
                Some(quote) => Err(Problem::UnclosedQuote { quote }),
                None => Ok((word, here)),
            };
        };
        match (c, quote) {
            (' ' | '\t', None) => return Ok((word, here)),
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('\\', None) => word.push(chars.next().ok_or(Problem::TrailingBackslash)?),
            ('\\', Some('"')) if chars.as_str().starts_with(['"', '\\']) => {
                word.extend(chars.next());
            }
            _ => word.push(c),
        }
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn quotes_work_as_in_a_shell() {
        for (line, words, text) in [
            ("", &[][..], ""),
            ("  # remark", &[], ""),
            (" a  b\t# c", &["a", "b"], "a  b"),
            ("a#b", &["a#b"], "a#b"),
            (r"--x='a b'c", &["--x=a bc"], "--x='a b'c"),
            (r#""a \"b\" \c""#, &[r#"a "b" \c"#], r#""a \"b\" \c""#),
            (r"a\ b '' '\'", &["a b", "", "\\"], r"a\ b '' '\'"),
            ("\"# no remark\"\r", &["# no remark"], "\"# no remark\""),
            (r"a\ ", &["a "], r"a\ "),
        ] {
            let split = split(line).unwrap();
            assert_eq!(split.words, words, "{line:?}");
            assert_eq!(split.text, text, "{line:?}");
        }
    }
}
