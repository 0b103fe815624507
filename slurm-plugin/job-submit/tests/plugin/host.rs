//! A process that stands in for slurmctld (`host.c`), with the plugin loaded.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tempfile::TempDir;

/// What one command found: values by name, and what was logged.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) values: BTreeMap<String, String>,
    pub(crate) log: Vec<String>,
}

impl Answer {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.values[name].parse().unwrap()
    }

    /// Logged lines at this level.
    pub(crate) fn logged(&self, level: &str) -> Vec<&str> {
        let prefix = format!("{level}: ");
        self.log
            .iter()
            .filter_map(|line| line.strip_prefix(&prefix))
            .collect()
    }

    /// The user was told nothing, and the job went to `partition`.
    #[track_caller]
    pub(crate) fn assert_sent_to(&self, partition: &str) {
        assert_eq!(self.get("rc"), Some("0"), "{self:?}");
        assert_eq!(self.get("partition"), Some(partition), "{self:?}");
        assert_eq!(self.get("message"), None, "{self:?}");
    }
}

/// The process, and the directory with its `fedsched.conf` and socket.
pub(crate) struct Host {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    directory: TempDir,
    /// What loading and `init` said.
    pub(crate) started: Answer,
}

impl Host {
    /// Loads the plugin. `conf` is added to a `fedsched.conf` that names the directory's socket.
    pub(crate) fn start(conf: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let socket = directory.path().join("plugin.sock");
        let text = format!("Socket={}\n{conf}\n", socket.display());
        fs::write(directory.path().join("fedsched.conf"), text).unwrap();
        let mut process = Command::new(program())
            .arg(plugin())
            .env("CONF_DIR", directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut host = Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            directory,
            started: Answer::default(),
        };
        host.started = host.answer();
        host
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.path().join("plugin.sock")
    }

    /// Submits a job of these fields.
    pub(crate) fn submit(&mut self, fields: &[(&str, &str)]) -> Answer {
        self.run("submit", fields)
    }

    pub(crate) fn run(&mut self, command: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(command, fields);
        self.answer()
    }

    /// Open file descriptors of the process, with their flags as `/proc` shows them.
    pub(crate) fn descriptors(&self) -> Vec<u32> {
        let info = format!("/proc/{}/fdinfo", self.process.id());
        let mut descriptors = Vec::new();
        for entry in fs::read_dir(info).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
            descriptors.push(u32::from_str_radix(flags.unwrap().trim(), 8).unwrap());
        }
        descriptors
    }

    /// System calls of the process from now to its end, while it runs one more command.
    pub(crate) fn count_system_calls(mut self, command: &str, fields: &[(&str, &str)]) -> u64 {
        let pid = Pid::from_raw(self.process.id().try_into().unwrap());
        ptrace::seize(pid, ptrace::Options::PTRACE_O_TRACESYSGOOD).unwrap();
        ptrace::interrupt(pid).unwrap();
        assert!(matches!(
            waitpid(pid, Some(WaitPidFlag::__WALL)).unwrap(),
            WaitStatus::PtraceEvent(..)
        ));
        self.send(command, fields);
        drop(self.input.take());
        let mut stops = 0;
        loop {
            ptrace::syscall(pid, None).unwrap();
            match waitpid(pid, Some(WaitPidFlag::__WALL)).unwrap() {
                WaitStatus::PtraceSyscall(_) => stops += 1,
                WaitStatus::Exited(_, status) => {
                    assert_eq!(status, 0);
                    // A call stops where it begins and where it ends.
                    return stops / 2;
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn send(&mut self, command: &str, fields: &[(&str, &str)]) {
        let mut text = Vec::new();
        writeln!(text, "{command}").unwrap();
        for (name, value) in fields {
            let value = value.replace('\\', "\\\\").replace('\n', "\\n");
            writeln!(text, "{name} {value}").unwrap();
        }
        text.push(b'\n');
        let input = self.input.as_mut().unwrap();
        input.write_all(&text).unwrap();
    }

    fn answer(&mut self) -> Answer {
        let mut answer = Answer::default();
        for line in self.output.by_ref().lines() {
            let line = line.unwrap();
            match line.split_once(' ') {
                Some(("log", line)) => answer.log.push(line.to_owned()),
                Some((name, value)) => {
                    answer.values.insert(name.to_owned(), value.to_owned());
                }
                None => {
                    assert_eq!(line, "end");
                    return answer;
                }
            }
        }
        panic!("the host ended: {:?}", self.process.wait());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.input.take());
        let Ok(ended) = self.process.wait() else {
            return; // Its tracer saw it end.
        };
        assert!(ended.success() || std::thread::panicking(), "{ended}");
    }
}

/// The plugin as cargo built it for these tests.
fn plugin() -> PathBuf {
    let tests = env::current_exe().unwrap();
    tests.parent().unwrap().join("libjob_submit_fedsched.so")
}

/// `host.c`, compiled once for each run of the tests.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = PROGRAM.get_or_init(|| {
        let directory = TempDir::new().unwrap();
        let program = directory.path().join("host");
        let compiled = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
            .args([
                "-Wall",
                "-Wextra",
                "-Werror",
                "-O1",
                "-rdynamic",
                "-pthread",
            ])
            .arg(concat!("-I", env!("SLURM_INCLUDE")))
            .arg("-o")
            .arg(&program)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugin/host.c"))
            .status()
            .expect("a C compiler is needed for these tests: install gcc, or name one in CC");
        assert!(compiled.success());
        (directory, program)
    });
    program
}
