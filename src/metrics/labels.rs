//! Labels: closed sets of words, so that no series can be misspelt.

use prometheus_client::encoding::EncodeLabelSet;

/// Where a waiting or running job of the federation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Pending,
    Unschedulable,
    Reschedule,
    Parked,
    Bound,
    Running,
}

/// How a submission was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It waits in the room.
    Wait,
    /// It starts at a member at once.
    Bind,
    /// Its user is told no.
    Refuse,
}

/// What became of an intent to change a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done, and seen in slurmctld.
    Done,
    /// slurmctld refused it.
    Refused,
    /// slurmctld could not be reached.
    Unreachable,
    /// The job had changed meanwhile.
    Overtaken,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct PlaceLabel {
    queue: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct VerdictLabel {
    verdict: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct RestdLabel {
    pub(super) class: &'static str,
}

impl From<Place> for PlaceLabel {
    fn from(place: Place) -> Self {
        let queue = match place {
            Place::Pending => "pending",
            Place::Unschedulable => "unschedulable",
            Place::Reschedule => "reschedule",
            Place::Parked => "parked",
            Place::Bound => "bound",
            Place::Running => "running",
        };
        Self { queue }
    }
}

impl From<Verdict> for VerdictLabel {
    fn from(verdict: Verdict) -> Self {
        let verdict = match verdict {
            Verdict::Wait => "wait",
            Verdict::Bind => "bind",
            Verdict::Refuse => "refuse",
        };
        Self { verdict }
    }
}

impl From<Outcome> for OutcomeLabel {
    fn from(outcome: Outcome) -> Self {
        let outcome = match outcome {
            Outcome::Done => "done",
            Outcome::Refused => "refused",
            Outcome::Unreachable => "unreachable",
            Outcome::Overtaken => "overtaken",
        };
        Self { outcome }
    }
}
