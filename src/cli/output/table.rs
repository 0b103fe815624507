//! Tables without frames, as squeue and sinfo print them.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row};

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Words that stay on one line: names, states.
    Word(&'static str),
    /// Figures that stay on one line, right-aligned.
    Figure(&'static str),
    /// Text that may be broken where the screen is narrow.
    Text(&'static str),
}

impl Column {
    const fn title(self) -> &'static str {
        match self {
            Self::Word(title) | Self::Figure(title) | Self::Text(title) => title,
        }
    }
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    table: comfy_table::Table,
    columns: Vec<Column>,
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(columns.iter().map(|column| column.title()));
        Self {
            table,
            columns: columns.to_vec(),
        }
    }

    pub(crate) fn row<T: Into<Row>>(&mut self, row: T) {
        self.table.add_row(row);
    }

    /// The text, lines no longer than `width` if there is one.
    pub(crate) fn fitted(mut self, width: Option<u16>) -> String {
        for (index, kind) in self.columns.iter().enumerate() {
            let Some(column) = self.table.column_mut(index) else {
                continue;
            };
            // Two blanks between columns, none before the first.
            column.set_padding((0, 2));
            match kind {
                Column::Word(_) => {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                }
                Column::Figure(_) => {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                    column.set_cell_alignment(CellAlignment::Right);
                }
                Column::Text(_) => {}
            }
        }
        match width {
            Some(width) => {
                self.table
                    .set_content_arrangement(ContentArrangement::Dynamic);
                self.table.set_width(width);
            }
            None => {
                self.table
                    .set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        self.table.trim_fmt()
    }
}
