//! Tables without frames, as squeue and sinfo print them.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement};

/// Blanks between two columns.
const GAP: usize = 2;

/// Narrower than this, broken text is a riddle, characters.
const TEXT_WIDTH_MIN: usize = 14;

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Stays on one line.
    Word,
    /// Stays on one line, right-aligned.
    Figure,
    /// May be broken where the screen is narrow.
    Text,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    title: &'static str,
    kind: Kind,
    /// Above 0: left out where the screen is too narrow for all; the highest goes first.
    expendable: u8,
}

impl Column {
    /// Names, states.
    pub(crate) const fn word(title: &'static str) -> Self {
        Self::of(title, Kind::Word)
    }

    /// Numbers.
    pub(crate) const fn figure(title: &'static str) -> Self {
        Self::of(title, Kind::Figure)
    }

    /// Phrases.
    pub(crate) const fn text(title: &'static str) -> Self {
        Self::of(title, Kind::Text)
    }

    const fn of(title: &'static str, kind: Kind) -> Self {
        Self {
            title,
            kind,
            expendable: 0,
        }
    }

    /// Left out where the screen is too narrow; the highest `rank` goes first.
    pub(crate) const fn expendable(self, rank: u8) -> Self {
        Self {
            expendable: rank,
            ..self
        }
    }
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(columns: [Column; N], rows: Vec<[String; N]>) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: rows.into_iter().map(Vec::from).collect(),
        }
    }

    /// The text, in lines no longer than `width` if there is one.
    pub(crate) fn fitted(&self, width: Option<u16>) -> String {
        let shown = self.shown(width);
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(shown.iter().map(|&index| self.columns[index].title));
        for row in &self.rows {
            table.add_row(shown.iter().map(|&index| &row[index]));
        }
        for (place, &index) in shown.iter().enumerate() {
            let Some(column) = table.column_mut(place) else {
                continue;
            };
            column.set_padding((0, u16::try_from(GAP).unwrap_or(u16::MAX)));
            if self.columns[index].kind != Kind::Text {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if self.columns[index].kind == Kind::Figure {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.set_content_arrangement(match width {
            Some(_) => ContentArrangement::Dynamic,
            None => ContentArrangement::Disabled,
        });
        if let Some(width) = width {
            // The last column's gap may stick out: it is blank, and cut off.
            table.set_width(width.saturating_add(u16::try_from(GAP).unwrap_or(0)));
        }
        table.trim_fmt()
    }

    /// Columns that have room on the screen.
    fn shown(&self, width: Option<u16>) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let Some(width) = width.map(usize::from) else {
            return shown;
        };
        while self.least_width(&shown) > width {
            let rank = |&&index: &&usize| self.columns[index].expendable;
            match shown.iter().max_by_key(rank).copied() {
                Some(index) if self.columns[index].expendable > 0 => {
                    shown.retain(|&other| other != index);
                }
                _ => break,
            }
        }
        shown
    }

    fn least_width(&self, shown: &[usize]) -> usize {
        let columns = shown.iter().map(|&index| {
            let cells = self.rows.iter().map(|row| row[index].chars().count());
            let title = self.columns[index].title.len();
            let widest = cells.max().unwrap_or(0).max(title);
            match self.columns[index].kind {
                Kind::Text => widest.min(TEXT_WIDTH_MIN),
                Kind::Word | Kind::Figure => widest,
            }
        });
        columns.sum::<usize>() + GAP * shown.len().saturating_sub(1)
    }
}
