//! The `fedsched` command.
fn main() {}
