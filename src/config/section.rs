//! One table of a configuration: hands out typed values, falls back on the defaults, and at the end
//! complains of every key that nobody asked for.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::Faults;

/// A table of the file, over the table of the defaults that it may leave things to.
#[derive(Debug)]
pub(super) struct Section<'f, 'a> {
    faults: &'f mut Faults<'a>,
    /// As in a message: `slurm`, `policy.green`, `member "cpu"`; empty for the file itself.
    path: String,
    /// Where it begins, for what is missing.
    start: usize,
    table: Option<&'a DeTable<'a>>,
    defaults: Option<&'a DeTable<'a>>,
    known: Vec<&'static str>,
}

impl<'f, 'a> Section<'f, 'a> {
    /// The file itself.
    pub(super) fn root(
        faults: &'f mut Faults<'a>,
        table: &'a DeTable<'a>,
        defaults: &'a DeTable<'a>,
    ) -> Self {
        Self {
            faults,
            path: String::new(),
            start: 0,
            table: Some(table),
            defaults: Some(defaults),
            known: Vec::new(),
        }
    }

    /// `[key]` in this table, over the same in the defaults.
    pub(super) fn child(&mut self, key: &'static str) -> Section<'_, 'a> {
        let defaults = self.default(key).and_then(DeValue::as_table);
        let found = self.find(key);
        self.under(key, found, defaults)
    }

    /// `value`, which stands under `key`, over `defaults`.
    pub(super) fn under(
        &mut self,
        key: &str,
        value: Option<&'a Spanned<DeValue<'a>>>,
        defaults: Option<&'a DeTable<'a>>,
    ) -> Section<'_, 'a> {
        let path = self.key(key);
        let start = value.map_or(self.start, |value| value.span().start);
        let table = value.and_then(|value| match value.get_ref() {
            DeValue::Table(table) => Some(table),
            other => {
                let text = format!("is {}, and must be a table", kind(other));
                self.faults.add(start, &path, text);
                None
            }
        });
        Section {
            faults: self.faults,
            path,
            start,
            table,
            defaults,
            known: Vec::new(),
        }
    }

    /// What the file says under `key`, as it stands there.
    pub(super) fn find(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.push(key);
        self.table?.get(key)
    }

    /// What the defaults say under `key`.
    pub(super) fn default(&self, key: &str) -> Option<&'a DeValue<'a>> {
        self.defaults?.get(key).map(Spanned::get_ref)
    }

    /// The file's value, or the default one; also the default one, after a complaint, if the file's
    /// is wrong, so that the faults after it are found too.
    #[expect(
        clippy::expect_used,
        reason = "the defaults are part of the program, and a test reads every one of them"
    )]
    pub(super) fn value<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&DeValue<'_>) -> Result<T, String>,
    ) -> T {
        self.either(key, parse)
            .expect("default-config.toml has every key, with a valid value")
    }

    /// As [`value`](Self::value), where the defaults may have none.
    pub(super) fn either<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&DeValue<'_>) -> Result<T, String>,
    ) -> Option<T> {
        self.optional(key, &parse)
            .or_else(|| parse(self.default(key)?).ok())
    }

    /// The file's value; `None` if there is none, or, after a complaint, if it is wrong.
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&DeValue<'_>) -> Result<T, String>,
    ) -> Option<T> {
        let value = self.find(key)?;
        match parse(value.get_ref()) {
            Ok(parsed) => Some(parsed),
            Err(text) => {
                self.faults.add(value.span().start, self.key(key), text);
                None
            }
        }
    }

    /// The file's value; `None`, after a complaint, if there is none or it is wrong.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&DeValue<'_>) -> Result<T, String>,
    ) -> Option<T> {
        if self.table.is_some_and(|table| !table.contains_key(key)) {
            self.fault(key, "is missing, and has no default");
        }
        self.optional(key, parse)
    }

    /// A fault found by comparing values: at `key` if the file has it, else where the table begins.
    pub(super) fn fault(&mut self, key: &str, text: impl Into<String>) {
        let value = self.table.and_then(|table| table.get(key));
        let at = value.map_or(self.start, |value| value.span().start);
        self.faults.add(at, self.key(key), text);
    }

    /// A name for messages, once it is known.
    pub(super) fn rename(&mut self, path: String) {
        self.path = path;
    }

    /// The line `key` stands in, or the table's first.
    pub(super) fn line(&self, key: &str) -> usize {
        let value = self.table.and_then(|table| table.get(key));
        self.faults
            .line(value.map_or(self.start, |value| value.span().start))
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Complains of every key that nobody asked for.
    pub(super) fn finish(self) {
        let unknown = self.table.into_iter().flat_map(DeTable::keys);
        for key in unknown.filter(|key| !self.known.contains(&key.get_ref().as_ref())) {
            let text = format!(
                "unknown key; {}",
                allowed(key.get_ref(), &self.known, "allowed here")
            );
            self.faults
                .add(key.span().start, self.key(key.get_ref()), text);
        }
    }
}

/// What a value is, with its article.
pub(super) fn kind(value: &DeValue<'_>) -> String {
    let kind = value.type_str();
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}

/// The nearest of `words` to a wrong one, if any is near, and all of them.
pub(super) fn allowed(wrong: &str, words: &[&str], where_: &str) -> String {
    let lower = wrong.to_lowercase();
    let nearest = words
        .iter()
        .map(|word| (strsim::damerau_levenshtein(&lower, word), word))
        .filter(|(distance, word)| *distance <= 1.max(word.len() / 3))
        .min();
    let all = format!("{where_}: {}", words.join(", "));
    match nearest {
        Some((_, word)) => format!("did you mean `{word}`? {all}"),
        None => all,
    }
}
