//! What the figures were measured on: none of them means anything without it.

use std::fmt;
use std::fs;

use nix::sys::utsname;

/// The machine, its system, and how busy it was with other things.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    processor: String,
    processors: usize,
    memory_gib: u64,
    kernel: String,
    system: String,
    load: String,
}

impl Machine {
    pub(crate) fn look() -> Self {
        let unknown = || String::from("unknown");
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: field("/proc/meminfo", "MemTotal")
                .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
                .map_or(0, |kib| kib.div_ceil(1 << 20)),
            kernel: utsname::uname().map_or_else(
                |_| unknown(),
                |name| name.release().to_string_lossy().into_owned(),
            ),
            system: field("/etc/os-release", "PRETTY_NAME").unwrap_or_else(unknown),
            load: fs::read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| text.split_whitespace().next().map(str::to_owned))
                .unwrap_or_else(unknown),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} × {}, {} GiB, {}, Linux {}; load {} before it began",
            self.processors, self.processor, self.memory_gib, self.system, self.kernel, self.load
        )
    }
}

/// The value of `name: value` or `name="value"` in a file of such lines.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.trim_start();
        let value = value.strip_prefix([':', '='])?;
        Some(value.trim().trim_matches('"').to_owned())
    })
}
