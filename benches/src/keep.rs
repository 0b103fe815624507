//! Puts the table into the page that keeps it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::figure::Figure;
use crate::table;

/// Between these lines the page is the benchmark's.
const BEGIN: &str = "<!-- figures: written by `make bench` -->";
const END: &str = "<!-- end of figures -->";

/// Writes title and table in place of those that stand in the page.
pub(crate) fn keep(page: &Path, title: &str, figures: &[Figure]) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let new = replaced(&text, &format!("{title}\n\n{}", table::markdown(figures)))
        .with_context(|| format!("{} lacks the line {BEGIN} or {END}", page.display()))?;
    fs::write(page, new).with_context(|| page.display().to_string())
}

/// The page with `body` between its marks; `None` if it has none.
fn replaced(page: &str, body: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{body}\n\n{END}{after}"))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let page = format!("above\n{BEGIN}\nold\n{END}\nbelow\n");
        let once = replaced(&page, "new").unwrap();
        assert_eq!(once, format!("above\n{BEGIN}\n\nnew\n\n{END}\nbelow\n"));
        assert_eq!(replaced(&once, "new"), Some(once));
        assert_eq!(replaced("no marks", "new"), None);
    }
}
