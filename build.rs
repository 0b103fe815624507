//! Man pages and shell completions, from the command line itself.
fn main() {}
