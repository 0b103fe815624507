//! What the daemon counts of itself, read as Prometheus would.

use anyhow::{Context as _, Result};

use crate::site::Site;

/// Asks from inside the sandbox, where no program for HTTP may be installed.
const ASK: &str = "exec 3<>/dev/tcp/127.0.0.1/9815 && \
                   printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3";

/// The metrics at one moment.
#[derive(Debug)]
pub(crate) struct Metrics {
    text: String,
}

impl Metrics {
    /// As they are now.
    pub(crate) fn read(site: &Site) -> Result<Self> {
        let text = site
            .run("root", ["bash", "-c", ASK])
            .context("the daemon's metrics")?;
        Ok(Self { text })
    }

    /// The value of a metric, summed over its labels; zero if it was never seen.
    pub(crate) fn sum(&self, name: &str) -> f64 {
        self.text.lines().filter_map(|line| value(line, name)).sum()
    }
}

/// The value in a line `name 1` or `name{label="x"} 1`.
fn value(line: &str, name: &str) -> Option<f64> {
    let rest = line.strip_prefix(name)?;
    let value = match rest.strip_prefix('{') {
        Some(labelled) => labelled.rsplit_once("} ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    value.trim().parse().ok()
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn labels_are_summed_and_longer_names_left_out() {
        let metrics = Metrics {
            text: String::from(
                "# HELP jobs Jobs\njobs{place=\"pending\"} 3\njobs{place=\"a b\"} 4\n\
                 jobs_total 100\npolls 7\r\n",
            ),
        };
        assert!((metrics.sum("jobs") - 7.0).abs() < 1e-9);
        assert!((metrics.sum("polls") - 7.0).abs() < 1e-9);
        assert!(metrics.sum("nosuch").abs() < 1e-9);
    }
}
