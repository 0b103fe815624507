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
    /// Of one value for each round. `None` without any.
    pub(crate) fn of(rounds: &[f64]) -> Option<Self> {
        let median = median(&mut rounds.to_vec())?;
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut resample = vec![0.0; rounds.len()];
        let mut medians: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| {
                for slot in &mut resample {
                    *slot = rounds[random.usize(..rounds.len())];
                }
                self::median(&mut resample)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let at = |per_mille: usize| medians[(RESAMPLES - 1) * per_mille / 1000];
        Some(Self {
            low: at(25),
            median,
            high: at(975),
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
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
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
    fn the_same_samples_give_the_same_interval() {
        let rounds = [0.9, 1.1, 1.0, 1.3, 0.7];
        assert_eq!(Estimate::of(&rounds), Estimate::of(&rounds));
    }
}
