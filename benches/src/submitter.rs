//! The C program that submits, as a child inside the sandbox.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use fedsched_sandbox::Sandbox;

/// A running submitter. Ends when dropped.
#[derive(Debug)]
pub(crate) struct Submitter {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// One submission as the submitter saw it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Submission {
    /// From the call to slurmctld's answer.
    pub(crate) answered: Duration,
    /// Inside the plugin, as the switch says.
    pub(crate) plugin: Duration,
}

/// One call of the plugin and one bare echo right before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) echo: Duration,
    pub(crate) plugin: Duration,
}

impl Submitter {
    /// Starts the program at this path inside the sandbox.
    pub(crate) fn start(sandbox: &Sandbox, user: &str, program: &str) -> Result<Self> {
        let mut child = sandbox.spawn(user, [program])?;
        let orders = child.stdin.take().context("no standard input")?;
        let answers = child.stdout.take().context("no standard output")?;
        Ok(Self {
            child,
            orders,
            answers: BufReader::new(answers),
        })
    }

    /// Submits `count` equal jobs to the rival of this name; an empty partition leaves it to others.
    pub(crate) fn submit(
        &mut self,
        rival: &str,
        count: usize,
        partition: &str,
    ) -> Result<Vec<Submission>> {
        self.order(&format!("submit {rival} {count} {partition}"))?;
        (0..count).map(|_| submission(&self.answer()?)).collect()
    }

    /// Has the plugin called and the echo asked in turn, `times` times, with so many bytes.
    pub(crate) fn pairs(
        &mut self,
        times: usize,
        request_bytes: usize,
        answer_bytes: usize,
    ) -> Result<Vec<Pair>> {
        self.order(&format!("ask pairs {times} {request_bytes} {answer_bytes}"))?;
        let answer = self.answer()?;
        let times_ns = answer
            .split_whitespace()
            .map(nanoseconds)
            .collect::<Result<Vec<_>>>()?;
        if times_ns.len() != 2 * times {
            bail!("asked for {times} pairs, got `{answer}`");
        }
        let (pairs, _) = times_ns.as_chunks();
        Ok(pairs
            .iter()
            .map(|&[echo, plugin]| Pair { echo, plugin })
            .collect())
    }

    /// Submits `count` jobs of many shapes, to no plugin.
    pub(crate) fn fill(&mut self, count: u32) -> Result<()> {
        self.order(&format!("fill {count}"))?;
        self.answer().map(drop)
    }

    /// Gives `count` of the jobs another time limit, and others the next time.
    pub(crate) fn change(&mut self, count: usize) -> Result<()> {
        self.order(&format!("change {count}"))?;
        self.answer().map(drop)
    }

    /// Cancels what was submitted since the last time.
    pub(crate) fn cancel(&mut self) -> Result<()> {
        self.order("cancel")?;
        self.answer().map(drop)
    }

    fn order(&mut self, line: &str) -> Result<()> {
        writeln!(self.orders, "{line}").with_context(|| format!("the submitter is gone: {line}"))
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        match line.trim_end() {
            "" => bail!("the submitter ended: {:?}", self.child.wait()),
            line if line.starts_with("error:") => bail!("the submitter: {line}"),
            line => Ok(line.to_owned()),
        }
    }
}

impl Drop for Submitter {
    fn drop(&mut self) {
        // It may have ended by itself; either way nothing of it may be left.
        let _gone_already = self.child.kill();
        let _status_is_of_no_interest = self.child.wait();
    }
}

fn submission(line: &str) -> Result<Submission> {
    let (answered, plugin) = line
        .split_once(' ')
        .with_context(|| format!("`{line}` is not two times"))?;
    Ok(Submission {
        answered: nanoseconds(answered)?,
        plugin: nanoseconds(plugin)?,
    })
}

fn nanoseconds(text: &str) -> Result<Duration> {
    let ns = text
        .parse()
        .with_context(|| format!("`{text}` is not a number of nanoseconds"))?;
    Ok(Duration::from_nanos(ns))
}
