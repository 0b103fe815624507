//! The `#FED` lines of a job script.
