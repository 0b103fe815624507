//! `#FED` lines.
