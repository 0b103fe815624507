//! A trace as the command line names it: `TRACE[=PROCESSORS]`.

use std::path::PathBuf;
use std::str::FromStr;

/// A trace and the size of the member it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceArgument {
    /// The file.
    pub path: PathBuf,
    /// Processors of the member; `None`: what the file says.
    pub processors: Option<u64>,
}

/// An argument that is no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// No file.
    #[error("names no file: write TRACE or TRACE=PROCESSORS")]
    NoFile,
    /// No size behind the `=`.
    #[error("`{0}` is not a number of processors: write TRACE=PROCESSORS, a whole number above 0")]
    Processors(String),
}

impl FromStr for TraceArgument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let (path, processors) = match text.rsplit_once('=') {
            None => (text, None),
            Some((path, size)) => match size.parse::<u64>() {
                Ok(size) if size > 0 => (path, Some(size)),
                _ => return Err(ArgumentError::Processors(size.to_owned())),
            },
        };
        if path.is_empty() {
            return Err(ArgumentError::NoFile);
        }
        Ok(Self {
            path: path.into(),
            processors,
        })
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_size_stands_behind_the_last_equals_sign() {
        let read = |text: &str| {
            let trace: TraceArgument = text.parse()?;
            Ok::<_, ArgumentError>((trace.path.display().to_string(), trace.processors))
        };
        assert_eq!(read("a.swf"), Ok(("a.swf".to_owned(), None)));
        assert_eq!(read("x=1/a.swf=64"), Ok(("x=1/a.swf".to_owned(), Some(64))));
        assert_eq!(read("=64"), Err(ArgumentError::NoFile));
        for wrong in ["0", "-1", "many", ""] {
            let error = ArgumentError::Processors(wrong.to_owned());
            assert_eq!(read(&format!("a.swf={wrong}")), Err(error));
        }
    }
}
