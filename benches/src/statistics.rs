//! Medians, tails, and how sure they are.

use std::fmt;
use std::time::Duration;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 10_000;

/// Seed of the bootstrap: the same samples always give the same interval.
const SEED: u64 = 0x5eed;

/// A median and its bootstrap 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// Of what is read, not sampled.
    pub(crate) fn exactly(value: f64) -> Self {
        Self {
            low: value,
            median: value,
            high: value,
        }
    }

    /// Of the median of one value for each round. `None` without any.
    pub(crate) fn of(rounds: &[f64]) -> Option<Self> {
        Self::bootstrap(rounds, |rounds| median(rounds.iter().copied()))
    }

    /// Of one median over another, of two values for each round: for differences that may be near
    /// zero in a round, whose own ratio says nothing.
    pub(crate) fn of_ratio(rounds: &[(f64, f64)]) -> Option<Self> {
        Self::bootstrap(rounds, |rounds| {
            let above = median(rounds.iter().map(|round| round.0))?;
            let below = median(rounds.iter().map(|round| round.1))?;
            Some(above / below)
        })
    }

    /// Of any statistic of the rounds, by drawing as many rounds with replacement.
    fn bootstrap<T: Copy>(rounds: &[T], statistic: impl Fn(&[T]) -> Option<f64>) -> Option<Self> {
        let median = statistic(rounds)?;
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut resample = rounds.to_vec();
        let mut all: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| {
                for slot in &mut resample {
                    *slot = rounds[random.usize(..rounds.len())];
                }
                statistic(&resample)
            })
            .collect();
        all.sort_by(f64::total_cmp);
        let at = |per_mille: usize| all.get(RESAMPLES * per_mille / 1000).copied();
        Some(Self {
            low: at(25)?,
            median,
            high: at(975)?,
        })
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, median, high } = self;
        let digits = f.precision().unwrap_or(2);
        write!(f, "{median:.digits$} [{low:.digits$}, {high:.digits$}]")
    }
}

/// The value in the middle; the higher of two.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The duration that `percent` of the samples do not exceed; zero without samples.
pub(crate) fn quantile(samples: &[Duration], percent: usize) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort();
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

#[cfg(test)]
mod test {
    use super::*;

    fn ms(values: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        values.into_iter().map(Duration::from_millis).collect()
    }

    #[test]
    fn quantiles_are_samples() {
        let samples = ms((1..=200).rev());
        assert_eq!(quantile(&samples, 50), Duration::from_millis(100));
        assert_eq!(quantile(&samples, 99), Duration::from_millis(198));
        assert_eq!(quantile(&ms([7]), 99), Duration::from_millis(7));
        assert_eq!(quantile(&[], 50), Duration::ZERO);
    }

    #[test]
    fn the_interval_holds_the_median_and_narrows_with_agreement() {
        let wide = Estimate::of(&[0.5, 1.0, 1.5, 2.0, 2.5]).unwrap();
        assert!(wide.low < wide.median && wide.median < wide.high);
        let same = Estimate::of(&[1.0; 15]).unwrap();
        assert_eq!(same.to_string(), "1.00 [1.00, 1.00]");
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn a_ratio_of_medians_bears_a_round_of_zero() {
        let ratio = Estimate::of_ratio(&[(2.0, 1.0), (4.0, 2.0), (3.0, 0.0)]).unwrap();
        assert!((ratio.median - 3.0).abs() < 1e-9, "{ratio}");
        assert_eq!(Estimate::of_ratio(&[]), None);
    }

    #[test]
    fn the_same_samples_give_the_same_interval() {
        let rounds = [0.9, 1.1, 1.0, 1.3, 0.7];
        assert_eq!(Estimate::of(&rounds), Estimate::of(&rounds));
    }
}
