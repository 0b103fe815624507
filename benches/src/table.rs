//! The figures as a table, for a terminal and for the page that keeps them.

use comfy_table::{ContentArrangement, Table, presets};

use crate::figure::{Figure, HEADS};

/// For a terminal.
pub(crate) fn terminal(figures: &[Figure]) -> Table {
    let mut table = filled(figures);
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table
}

/// In Markdown.
pub(crate) fn markdown(figures: &[Figure]) -> Table {
    let mut table = filled(figures);
    table.load_style(presets::ASCII_MARKDOWN);
    table
}

fn filled(figures: &[Figure]) -> Table {
    let mut table = Table::new();
    table.set_header(HEADS);
    table.add_rows(figures.iter().map(Figure::cells));
    table
}
