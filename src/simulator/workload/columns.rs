//! Tables whose first line names the columns.

use csv::StringRecord;

use super::ReadError;

/// Names of a table's columns, in order.
#[derive(Debug)]
pub(super) struct Columns(Vec<String>);

/// One line of such a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    columns: &'a Columns,
    record: &'a StringRecord,
}

impl Columns {
    pub(super) fn new(headers: &StringRecord) -> Self {
        Self(headers.iter().map(|name| name.trim().to_owned()).collect())
    }

    /// Index of the first of `names` that the table has.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<usize> {
        names
            .iter()
            .find_map(|name| self.0.iter().position(|column| column == name))
    }

    /// Name of the column at `at`.
    pub(super) fn name(&self, at: usize) -> &str {
        self.0.get(at).map_or("?", String::as_str)
    }

    pub(super) fn row<'a>(&'a self, record: &'a StringRecord) -> Row<'a> {
        Row {
            columns: self,
            record,
        }
    }
}

impl Row<'_> {
    /// The field at `at`; every line is as long as the header, or the reader has refused it.
    pub(super) fn text(&self, at: usize) -> &str {
        self.record.get(at).unwrap_or_default().trim()
    }

    /// The field at `at`, read by `parse`; `wanted` says what it should have been.
    pub(super) fn parse<T>(
        &self,
        at: usize,
        parse: impl Fn(&str) -> Option<T>,
        wanted: &'static str,
    ) -> Result<T, ReadError> {
        let text = self.text(at);
        parse(text).ok_or_else(|| ReadError::Value {
            line: self.record.position().map_or(0, csv::Position::line),
            column: self.columns.name(at).to_owned(),
            value: text.to_owned(),
            wanted,
        })
    }

    /// The same, where the field may be empty or one of Slurm's words for "none".
    pub(super) fn parse_known<T>(
        &self,
        at: usize,
        parse: impl Fn(&str) -> Option<T>,
        wanted: &'static str,
    ) -> Result<Option<T>, ReadError> {
        const NONE: [&str; 5] = ["", "UNLIMITED", "Partition_Limit", "INVALID", "Unknown"];
        if NONE.contains(&self.text(at)) {
            return Ok(None);
        }
        self.parse(at, parse, wanted).map(Some)
    }
}
