//! How far a mean can be trusted.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;

use super::metrics::counted;

/// Samples drawn from the values, with replacement.
const SAMPLES: usize = 10_000;

/// Bounds that 95 % of the resampled means lie within.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// 2.5 % lie below.
    pub low: f64,
    /// 2.5 % lie above.
    pub high: f64,
}

/// The bootstrap 95 % interval of the geometric mean of positive `values`; `None` of fewer than
/// two. Windows that overlap are not independent: the interval is then too narrow.
pub fn geometric_mean_interval(values: &[f64], seed: u64) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let logarithms: Vec<f64> = values.iter().map(|value| libm::log(*value)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| logarithms[rng.random_range(0..values.len())]);
            drawn.sum::<f64>() / counted(values.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let bound = |per_mille: usize| libm::exp(means[(SAMPLES - 1) * per_mille / 1000]);
    Some(Interval {
        low: bound(25),
        high: bound(975),
    })
}

/// The geometric mean of positive `values`; 1 of none.
pub fn geometric_mean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| libm::log(*value)).sum();
    libm::exp(sum / counted(values.len().max(1)))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_interval_holds_the_mean_and_depends_on_the_seed_alone() {
        let values = [0.5, 0.25, 0.75, 0.4, 0.3];
        let interval = geometric_mean_interval(&values, 1).unwrap();
        let mean = geometric_mean(&values);
        assert!(interval.low < mean && mean < interval.high);
        assert!(interval.low >= 0.25 && interval.high <= 0.75);
        assert_eq!(geometric_mean_interval(&values, 1), Some(interval));
    }

    #[test]
    fn equal_values_leave_no_doubt_and_one_value_tells_nothing() {
        let interval = geometric_mean_interval(&[2.0, 2.0], 1).unwrap();
        assert!((interval.low - 2.0).abs() < 1e-12 && (interval.high - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean_interval(&[2.0], 1), None);
    }
}
