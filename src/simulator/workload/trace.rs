//! One trace: the jobs of one member.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::record::Rows;
use super::{Job, LeftOut, ReadError, TraceError, pods, sacct, swf};
use crate::simulator::clock::{DAY, Seconds};

/// The jobs of one member that can be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Name of the member: the file's, without its endings.
    pub name: String,
    /// Processors of the member.
    pub processors: u64,
    /// Submission of the trace's first row, be it replayed or not: where its time begins.
    pub first_submit: Seconds,
    /// Jobs, by submission; jobs of one second in the file's order.
    pub jobs: Vec<Job>,
    /// What is not replayed.
    pub left_out: LeftOut,
}

impl Trace {
    /// Reads a file, gzipped or not, whatever its format. Its member has `processors`, or as many
    /// as the file says.
    pub fn open(path: &Path, processors: Option<u64>) -> Result<Self, TraceError> {
        let file = File::open(path).map_err(|source| TraceError::Open {
            path: path.to_owned(),
            source,
        })?;
        let rows = rows(file).map_err(|source| TraceError::Read {
            path: path.to_owned(),
            source,
        })?;
        let processors = processors.or(rows.processors);
        let processors = processors.ok_or_else(|| TraceError::Size {
            path: path.to_owned(),
        })?;
        Self::new(path, processors, &rows)
    }

    /// Days from its first row to its last job.
    pub fn last_day(&self) -> Seconds {
        let last = self.jobs.last();
        last.map_or(0, |job| (job.submit - self.first_submit) / DAY)
    }

    fn new(path: &Path, processors: u64, rows: &Rows) -> Result<Self, TraceError> {
        let mut left_out = LeftOut::default();
        let jobs = rows.records.iter();
        let mut jobs: Vec<Job> = jobs
            .filter_map(|record| record.job(processors, &mut left_out))
            .collect();
        jobs.sort_by_key(|job| job.submit);
        let first_submit = rows.records.iter().map(|record| record.submit).min();
        let Some(first_submit) = first_submit.filter(|_| !jobs.is_empty()) else {
            return Err(TraceError::Empty {
                path: path.to_owned(),
                rows: rows.records.len(),
                processors,
                no_processors: left_out.no_processors,
                too_large: left_out.too_large,
                no_run: left_out.no_run,
            });
        };
        Ok(Self {
            name: name(path),
            processors,
            first_submit,
            jobs,
            left_out,
        })
    }
}

/// The file's name without the endings of packed tables and traces.
fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let mut name = file.as_ref();
    while let Some((stem, ending)) = name.rsplit_once('.') {
        if stem.is_empty() || !["gz", "swf", "csv", "txt", "sacct", "psv"].contains(&ending) {
            break;
        }
        name = stem;
    }
    name.to_owned()
}

/// Every row of a file, unpacked if it begins as a gzip file does.
fn rows(file: impl Read) -> Result<Rows, ReadError> {
    let mut text = BufReader::new(file);
    if text.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        table(BufReader::new(MultiGzDecoder::new(text)))
    } else {
        table(text)
    }
}

/// Every row of a text, which tells its format by its first line.
fn table(mut text: impl BufRead) -> Result<Rows, ReadError> {
    let mut first = Vec::new();
    // No header of a trace is longer; a binary file may have no line end at all.
    (&mut text).take(4096).read_until(b'\n', &mut first)?;
    let line = String::from_utf8_lossy(&first).trim().to_owned();
    let whole = io::Cursor::new(first).chain(text);
    let word = line.split_ascii_whitespace().next();
    if line.starts_with(';') || word.is_some_and(|word| word.parse::<f64>().is_ok()) {
        swf::read(whole)
    } else if line.contains('|') {
        sacct::read(whole)
    } else if line.starts_with("name,cpu_milli") {
        pods::read(whole)
    } else {
        Err(ReadError::Format {
            first: line.chars().take(60).collect(),
        })
    }
}

#[cfg(test)]
mod test {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const SWF: &str = "; MaxProcs: 8\n\
        9 50 0 0 4 -1 -1 4 60 -1 0 -1 -1 -1 -1 -1 -1 -1\n\
        1 100 0 30 4 -1 -1 4 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n\
        2 70 0 30 9 -1 -1 9 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n\
        3 60 0 30 8 -1 -1 8 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

    fn open(name: &str, bytes: &[u8], processors: Option<u64>) -> Result<Trace, TraceError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Trace::open(&path, processors)
    }

    #[test]
    fn jobs_are_sorted_and_time_begins_with_the_first_row() {
        let trace = open("east.swf", SWF.as_bytes(), None).unwrap();
        assert_eq!((trace.name.as_str(), trace.processors), ("east", 8));
        assert_eq!(trace.first_submit, 50);
        let submits: Vec<_> = trace.jobs.iter().map(|job| job.submit).collect();
        assert_eq!(submits, [60, 100]);
        assert_eq!((trace.left_out.too_large, trace.left_out.no_run), (1, 1));
    }

    #[test]
    fn packed_and_plain_files_are_the_same() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(SWF.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let plain = open("east.swf", SWF.as_bytes(), Some(9)).unwrap();
        assert_eq!(plain.jobs.len(), 3);
        assert_eq!(open("east.swf.gz", &packed, Some(9)).unwrap(), plain);
    }

    #[test]
    fn errors_name_the_file_and_the_remedy() {
        let error = |bytes: &[u8], processors| {
            let error = open("east.swf.gz", bytes, processors)
                .unwrap_err()
                .to_string();
            let (_, text) = error.split_once("east.swf.gz").unwrap();
            format!("east.swf.gz{text}")
        };
        let unsized_swf = SWF.replace("MaxProcs", "MaxNodes");
        assert!(error(unsized_swf.as_bytes(), None).contains("how many processors"));
        let tiny = error(SWF.as_bytes(), Some(1));
        insta::assert_snapshot!(tiny, @"east.swf.gz: none of its 4 rows can be replayed on a member of 1 processors: 0 have no processors, 4 are larger than the member, 0 never ran");
        let none = error(b"<html>", None);
        insta::assert_snapshot!(none, @"east.swf.gz: is no trace that can be replayed: it begins with `<html>`; known are SWF (numbers, comments behind `;`), `sacct --allocations --parsable2 --format=JobID,Submit,ElapsedRaw,AllocCPUS,ReqCPUS,TimelimitRaw`, and the pod list of cluster-trace-gpu-v2023");
        let cut = error(&[0x1f, 0x8b, 8, 0], None);
        assert!(
            cut.starts_with("east.swf.gz: cannot be read to its end"),
            "{cut}"
        );
    }
}
