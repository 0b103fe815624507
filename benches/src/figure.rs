//! One row of the table: a quantity, what it is held against, and whether it is good enough.

use std::fmt;

use crate::statistics::Estimate;

/// What a ratio must be, and what it should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// Not above.
    AtMost { must: f64, aim: f64 },
    /// Not below.
    AtLeast { must: f64, aim: f64 },
}

impl Target {
    fn must(self) -> String {
        match self {
            Self::AtMost { must, .. } => format!("≤ {must}"),
            Self::AtLeast { must, .. } => format!("≥ {must}"),
        }
    }

    fn aim(self) -> String {
        match self {
            Self::AtMost { aim, .. } => format!("≤ {aim}"),
            Self::AtLeast { aim, .. } => format!("≥ {aim}"),
        }
    }

    fn grade(self, value: f64) -> Grade {
        let (must, aim) = match self {
            Self::AtMost { must, aim } => (value <= must, value <= aim),
            Self::AtLeast { must, aim } => (value >= must, value >= aim),
        };
        match (must, aim) {
            (_, true) => Grade::Aim,
            (true, false) => Grade::Must,
            (false, false) => Grade::Missed,
        }
    }

    /// What was reached in the middle, and whether the whole interval agrees.
    fn verdict(self, value: Value) -> String {
        let (Value::Ratio(estimate) | Value::Absolute(estimate)) = value;
        let grade = self.grade(estimate.median);
        let sure = [estimate.low, estimate.high]
            .iter()
            .all(|&end| self.grade(end) == grade);
        let doubt = if sure { "" } else { " ?" };
        format!("{grade}{doubt}")
    }
}

/// Which target was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Aim,
    Must,
    Missed,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aim => "aim",
            Self::Must => "must",
            Self::Missed => "**missed**",
        })
    }
}

/// What is compared with its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// Ours ÷ theirs.
    Ratio(Estimate),
    /// A quantity of ours in the unit of its target.
    Absolute(Estimate),
}

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// Number of the target, such as `P1`; empty for what has none.
    pub(crate) number: &'static str,
    /// What was measured.
    pub(crate) quantity: String,
    /// Ours, with its unit.
    pub(crate) ours: String,
    /// The rival or bound, by name and with its unit.
    pub(crate) theirs: String,
    /// `None`: told for itself, held against nothing.
    pub(crate) value: Option<Value>,
    /// The ratio of equals, measured in the same way in the same run.
    pub(crate) noise: Option<Estimate>,
    /// What the value must and should be.
    pub(crate) target: Option<Target>,
}

/// Heads of the columns, in the order of [`Figure::cells`].
pub(crate) const HEADS: [&str; 9] = [
    "",
    "quantity",
    "ours",
    "theirs or bound",
    "ratio [95 %]",
    "equals [95 %]",
    "must",
    "aim",
    "reached",
];

impl Figure {
    /// The row as text.
    pub(crate) fn cells(&self) -> [String; 9] {
        let told = |text: Option<String>| text.unwrap_or_default();
        let ratio = self.value.and_then(|value| match value {
            Value::Ratio(ratio) => Some(ratio.to_string()),
            Value::Absolute(_) => None,
        });
        let grade = self
            .value
            .zip(self.target)
            .map(|(value, target)| target.verdict(value));
        [
            self.number.to_owned(),
            self.quantity.clone(),
            self.ours.clone(),
            self.theirs.clone(),
            told(ratio),
            told(self.noise.map(|noise| noise.to_string())),
            told(self.target.map(Target::must)),
            told(self.target.map(Target::aim)),
            told(grade),
        ]
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn grades_follow_the_direction_of_the_target() {
        let low = Target::AtMost {
            must: 1.0,
            aim: 0.5,
        };
        assert_eq!(low.grade(0.5), Grade::Aim);
        assert_eq!(low.grade(0.7), Grade::Must);
        assert_eq!(low.grade(1.1), Grade::Missed);
        let high = Target::AtLeast {
            must: 0.9,
            aim: 0.98,
        };
        assert_eq!(high.grade(1.2), Grade::Aim);
        assert_eq!(high.grade(0.9), Grade::Must);
        assert_eq!(high.grade(0.89), Grade::Missed);
    }

    #[test]
    fn an_interval_over_a_target_leaves_a_doubt() {
        let target = Target::AtMost {
            must: 1.0,
            aim: 0.5,
        };
        let ratio = |low, median, high| Value::Ratio(Estimate { low, median, high });
        assert_eq!(target.verdict(ratio(0.6, 0.7, 0.8)), "must");
        assert_eq!(target.verdict(ratio(0.6, 0.7, 1.2)), "must ?");
        assert_eq!(target.verdict(ratio(0.9, 1.1, 1.2)), "**missed** ?");
    }
}
