//! What was found about every member, and what follows.

use super::Reason;
use crate::model::{MemberName, PolicyName, Term, Timestamp};

/// A decision about a job, or about every job of its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// When it was made.
    pub at: Timestamp,
    /// Policy it was made by.
    pub policy: PolicyName,
    /// Member at home with the job.
    pub home: Option<MemberName>,
    /// Every member, by name.
    pub judgements: Vec<Judgement>,
    /// What follows.
    pub choice: Choice,
}

/// What was found about one member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Member.
    pub member: MemberName,
    /// What was found.
    pub outlook: Outlook,
}

/// Whether and when a member takes a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlook {
    /// It can start the job now.
    Now(Score),
    /// It could, but not now.
    Later {
        /// Why not now.
        reason: Reason,
        /// Expected start, where it is known.
        start: Option<Timestamp>,
        /// How good it is.
        score: Score,
    },
    /// It does not take it.
    Refused(Reason),
}

impl Outlook {
    /// Whether the member might take the job some day, as it and the job are.
    pub const fn may_change(&self) -> bool {
        match self {
            Self::Now(_) | Self::Later { .. } => true,
            Self::Refused(reason) => !reason.is_lasting(),
        }
    }
}

/// How good a member is for a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Score {
    /// Every term that the policy weighs, 0 to 100, with its weight.
    pub terms: Vec<(Term, u32, u32)>,
}

impl Score {
    /// The weighted sum, which decides.
    pub fn sum(&self) -> u64 {
        let weighted = self.terms.iter();
        weighted
            .map(|(_, value, weight)| u64::from(*value) * u64::from(*weight))
            .sum()
    }

    /// The weighted mean, 0 to 100, for people.
    pub fn mean(&self) -> u32 {
        let weights: u64 = self
            .terms
            .iter()
            .map(|(_, _, weight)| u64::from(*weight))
            .sum();
        u32::try_from(self.sum() / weights.max(1)).unwrap_or(100)
    }
}

/// What follows from a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Bind it now.
    Bind(MemberName),
    /// Nobody can start it now; this member is expected to do so first or best.
    Later {
        /// Member.
        member: MemberName,
        /// Expected start.
        start: Option<Timestamp>,
    },
    /// Nobody takes it.
    Nobody,
}

impl Decision {
    /// What was found about a member.
    pub fn about(&self, member: &MemberName) -> Option<&Outlook> {
        let judgement = self.judgements.iter().find(|each| each.member == *member)?;
        Some(&judgement.outlook)
    }

    /// No member could ever take the job as it and they are.
    pub fn is_never(&self) -> bool {
        !self
            .judgements
            .iter()
            .any(|judgement| judgement.outlook.may_change())
    }

    /// Expected start, where it is known.
    pub fn expected(&self) -> Option<Timestamp> {
        match self.choice {
            Choice::Bind(_) => Some(self.at),
            Choice::Later { start, .. } => start,
            Choice::Nobody => None,
        }
    }
}
