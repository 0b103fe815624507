//! Keeps a panic from crossing into slurmctld, which it would end.

use std::panic::{self, AssertUnwindSafe};

use crate::log;

/// Has panics logged in one line, in place of Rust's own report on standard error. Each shared
/// object carries its own Rust runtime, so no other plugin is touched.
pub fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        log::error(&format!("job_submit/fedsched: {panic}"));
    }));
}

/// Runs `body`; `fallback` if it panics.
pub fn guard<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    // Whatever state a panic leaves behind is replaced or checked by the next call, never trusted.
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::stub;

    #[test]
    fn a_panic_is_logged_and_answered() {
        log_panics();
        assert_eq!(guard(7, || panic!("out of\ncheese")), 7);
        assert_eq!(guard(7, || 8), 8);
        let logged = stub::logged();
        assert!(
            logged.iter().any(|line| line.contains("out of cheese")),
            "{logged:?}"
        );
    }
}
