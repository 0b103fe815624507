//! Every metric of the daemon, in one place.
//!
//! Names begin with `fedsched_`; units are base units (seconds, bytes). Points in time are given as
//! such and not as ages, so that they stay right between two scrapes.

mod labels;
mod members;

use std::fmt;

use fedsched_protocol::query::Status;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

pub use labels::{Outcome, Verdict};

use labels::{OutcomeLabel, Place, PlaceLabel, RestdLabel, VerdictLabel};
use members::Members;

/// Upper bounds for what the plugin waits for, seconds: its deadline is tens of milliseconds.
const SUBMISSION_BOUNDS: [f64; 9] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25,
];

/// Upper bounds for everything slower, seconds.
const WORK_BOUNDS: [f64; 10] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Every metric, and the registry that prints them.
pub struct Metrics {
    registry: Registry,
    jobs: Family<PlaceLabel, Gauge>,
    submissions: Family<VerdictLabel, Counter>,
    /// From a submission's arrival to its answer, seconds.
    pub submission: Histogram,
    /// One pass of the scheduler, seconds.
    pub pass: Histogram,
    /// One poll of the site, seconds.
    pub poll: Histogram,
    /// One batch of the store, seconds.
    pub commit: Histogram,
    /// Batches the store could not take.
    pub commit_failures: Counter,
    /// Jobs taken back from members because they did not start there.
    pub returned: Counter,
    intents: Family<OutcomeLabel, Counter>,
    restd_errors: Family<RestdLabel, Counter>,
    /// When the last complete listing arrived, seconds since 1970.
    last_listing: Gauge,
    alarms: Gauge,
    members: Members,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("fedsched"),
            jobs: Family::default(),
            submissions: Family::default(),
            submission: Histogram::new(SUBMISSION_BOUNDS),
            pass: Histogram::new(WORK_BOUNDS),
            poll: Histogram::new(WORK_BOUNDS),
            commit: Histogram::new(WORK_BOUNDS),
            commit_failures: Counter::default(),
            returned: Counter::default(),
            intents: Family::default(),
            restd_errors: Family::default(),
            last_listing: Gauge::default(),
            alarms: Gauge::default(),
            members: Members::default(),
        };
        metrics.register_work();
        metrics.register_state();
        metrics.members.register(&mut metrics.registry);
        metrics
    }

    /// What is counted and timed as it happens.
    fn register_work(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "submissions",
            "Submissions answered, by verdict",
            self.submissions.clone(),
        );
        registry.register_with_unit(
            "submission",
            "From a submission's arrival to its answer",
            Unit::Seconds,
            self.submission.clone(),
        );
        registry.register_with_unit(
            "pass",
            "One pass of the scheduler",
            Unit::Seconds,
            self.pass.clone(),
        );
        registry.register_with_unit(
            "poll",
            "One poll of the site",
            Unit::Seconds,
            self.poll.clone(),
        );
        registry.register_with_unit(
            "store_commit",
            "One batch of the store, flushed to disk",
            Unit::Seconds,
            self.commit.clone(),
        );
        registry.register(
            "store_commit_failures",
            "Batches the store could not take",
            self.commit_failures.clone(),
        );
        registry.register(
            "intents",
            "Changes of jobs carried out or not, by outcome",
            self.intents.clone(),
        );
        registry.register(
            "returned",
            "Jobs taken back from members because they did not start there",
            self.returned.clone(),
        );
        registry.register(
            "restd_errors",
            "Looks at slurmrestd that found it failing, by class",
            self.restd_errors.clone(),
        );
    }

    /// What is as it is now.
    fn register_state(&mut self) {
        let registry = &mut self.registry;
        let release = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "Release of the daemon", Info::new(release));
        registry.register(
            "jobs",
            "Jobs of the federation, by where they are",
            self.jobs.clone(),
        );
        registry.register_with_unit(
            "last_listing_timestamp",
            "When the last complete listing arrived, since 1970",
            Unit::Seconds,
            self.last_listing.clone(),
        );
        registry.register(
            "alarms",
            "Complaints that need an administrator",
            self.alarms.clone(),
        );
    }

    /// A submission was answered.
    pub fn answered(&self, verdict: Verdict) {
        self.submissions.get_or_create(&verdict.into()).inc();
    }

    /// An intent has its outcome.
    pub fn settled(&self, outcome: Outcome) {
        self.intents.get_or_create(&outcome.into()).inc();
    }

    /// slurmrestd failed, in this way.
    pub fn restd_failed(&self, class: &'static str) {
        self.restd_errors.get_or_create(&RestdLabel { class }).inc();
    }

    /// How the federation is now.
    pub fn show(&self, status: &Status) {
        let places = [
            (Place::Pending, status.queue.pending),
            (Place::Unschedulable, status.queue.unschedulable),
            (Place::Reschedule, status.queue.reschedule),
            (Place::Parked, status.queue.parked),
            (Place::Bound, status.bound),
            (Place::Running, status.running),
        ];
        for (place, count) in places {
            let gauge = self.jobs.get_or_create(&place.into());
            gauge.set(count.into());
        }
        self.last_listing.set(status.heard_ms.unwrap_or(0) / 1000);
        self.alarms
            .set(i64::try_from(status.alarms.len()).unwrap_or(i64::MAX));
        self.members.show(&status.members);
    }

    /// Everything in the `OpenMetrics` text format.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod test {
    use fedsched_protocol::query::{Member, QueueCounts};

    use super::*;

    fn status(names: &[&str]) -> Status {
        Status {
            heard_ms: Some(1_795_953_600_000),
            queue: QueueCounts {
                pending: 3,
                ..QueueCounts::default()
            },
            members: names
                .iter()
                .map(|name| Member {
                    name: (*name).to_owned(),
                    state: "up".to_owned(),
                    cpus: 64,
                    gres: vec![("gpu".to_owned(), 1, 4)],
                    ..Member::default()
                })
                .collect(),
            ..Status::default()
        }
    }

    #[test]
    fn the_exposition_is_as_documented() {
        let metrics = Metrics::new();
        metrics.show(&status(&["cpu"]));
        metrics.answered(Verdict::Bind);
        metrics.settled(Outcome::Done);
        metrics.restd_failed("try-again");
        metrics.submission.observe(0.0003);
        // Series of one metric come in any order.
        let text = metrics.text().unwrap();
        let mut lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.contains("_bucket"))
            .collect();
        lines.sort_unstable();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn a_member_that_is_gone_leaves_no_series() {
        let metrics = Metrics::new();
        metrics.show(&status(&["cpu", "gpu"]));
        metrics.show(&status(&["cpu"]));
        let text = metrics.text().unwrap();
        assert!(text.contains("member=\"cpu\""));
        assert!(!text.contains("member=\"gpu\""), "{text}");
    }
}
