//! Line plots as SVG, without scripts, fonts or files from elsewhere.

use std::fmt::Write;

use super::series::Curve;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;

/// Lines at most on each axis that carry a number.
const TICKS: f64 = 6.0;

/// How x is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    /// By powers of ten; x is above 0.
    Logarithmic,
}

/// A plot of one curve for each policy.
#[derive(Debug)]
pub(super) struct Plot<'a> {
    /// What x is, with its unit.
    pub(super) x_title: &'a str,
    /// What y is, with its unit.
    pub(super) y_title: &'a str,
    pub(super) scale: Scale,
    /// By policy: the class that colours the curve, and its points.
    pub(super) curves: &'a [(String, Curve)],
}

/// The span of an axis.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
}

impl Plot<'_> {
    /// The plot as an `svg` element.
    pub(super) fn svg(&self) -> String {
        let x = self.x_axis();
        let y = Axis {
            low: 0.0,
            high: self.highest(|point| point.1).max(1e-9),
        };
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} over {}\">",
            self.y_title, self.x_title
        );
        self.grid(&mut svg, x, y);
        for (class, curve) in self.curves {
            let points = curve.iter().map(|point| {
                let across = x.place(self.scaled(point.0), LEFT, WIDTH - RIGHT);
                let down = y.place(point.1, HEIGHT - BOTTOM, TOP);
                format!("{across:.1},{down:.1}")
            });
            let points: Vec<String> = points.collect();
            write(
                &mut svg,
                format_args!(
                    "<polyline class=\"{class}\" points=\"{}\"/>",
                    points.join(" ")
                ),
            );
        }
        svg.push_str("</svg>");
        svg
    }

    /// Lines and numbers.
    fn grid(&self, svg: &mut String, x: Axis, y: Axis) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for (value, label) in y.linear_ticks() {
            let down = y.place(value, bottom, TOP);
            write(
                svg,
                format_args!(
                    "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{down:.1}\" y2=\"{down:.1}\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                    LEFT - 6.0,
                    down + 4.0
                ),
            );
        }
        for (value, label) in self.x_ticks(x) {
            let across = x.place(value, LEFT, right);
            write(
                svg,
                format_args!(
                    "<line x1=\"{across:.1}\" x2=\"{across:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
                     <text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                    bottom + 15.0
                ),
            );
        }
        write(
            svg,
            format_args!(
                "<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                HEIGHT - 4.0,
                self.x_title
            ),
        );
    }

    fn x_axis(&self) -> Axis {
        let points = self.curves.iter().flat_map(|(_, curve)| curve);
        let low = points.map(|point| self.scaled(point.0));
        let low = low.fold(f64::INFINITY, f64::min);
        let high = self.scaled(self.highest(|point| point.0).max(1e-9));
        Axis {
            low: if low.is_finite() { low.min(high) } else { 0.0 },
            high,
        }
    }

    fn highest(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        let points = self.curves.iter().flat_map(|(_, curve)| curve);
        points.map(of).fold(0.0, f64::max)
    }

    fn scaled(&self, x: f64) -> f64 {
        match self.scale {
            Scale::Linear => x,
            Scale::Logarithmic => libm::log10(x.max(1e-9)),
        }
    }

    /// Places on the scaled axis and what is written there.
    fn x_ticks(&self, x: Axis) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => x.linear_ticks(),
            Scale::Logarithmic => {
                let powers = (0_i32..12).map(|power| (f64::from(power), power));
                powers
                    .filter(|(value, _)| (x.low..=x.high).contains(value))
                    .map(|(value, power)| (value, 10_u64.pow(power.unsigned_abs()).to_string()))
                    .collect()
            }
        }
    }
}

impl Axis {
    /// Where `value` lies between `from`, the low end, and `to`, the high end.
    fn place(self, value: f64, from: f64, to: f64) -> f64 {
        let span = (self.high - self.low).max(1e-9);
        from + (to - from) * (value - self.low) / span
    }

    /// Round numbers within the axis: steps of 1, 2 or 5 times a power of ten.
    fn linear_ticks(self) -> Vec<(f64, String)> {
        let rough = ((self.high - self.low) / TICKS).max(1e-9);
        let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let decimals = if step < 1.0 { 2 } else { 0 };
        let mut value = libm::ceil(self.low / step) * step;
        let mut ticks = Vec::new();
        while value <= self.high * (1.0 + 1e-9) {
            ticks.push((value, format!("{value:.decimals$}")));
            value += step;
        }
        ticks
    }
}

/// Appends to the text.
#[expect(
    clippy::expect_used,
    reason = "writing into a string fails only if a Display of ours does"
)]
fn write(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes everything");
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let labels = |low, high| {
            let ticks = Axis { low, high }.linear_ticks();
            ticks
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
        };
        assert_eq!(labels(0.0, 100.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(0.1, 39.9), ["10", "20", "30"]);
        assert_eq!(labels(0.0, 0.4), ["0.00", "0.10", "0.20", "0.30", "0.40"]);
    }

    #[test]
    fn a_plot_without_points_is_still_a_plot() {
        let plot = Plot {
            x_title: "days",
            y_title: "jobs",
            scale: Scale::Linear,
            curves: &[],
        };
        assert!(plot.svg().ends_with("</svg>"));
        assert!(!plot.svg().contains("NaN"));
    }

    #[test]
    fn corners_lie_on_the_frame() {
        let plot = Plot {
            x_title: "slowdown",
            y_title: "jobs",
            scale: Scale::Logarithmic,
            curves: &[("p0".to_owned(), vec![(1.0, 0.0), (100.0, 50.0)])],
        };
        let svg = plot.svg();
        assert!(svg.contains("points=\"56.0,206.0 632.0,10.0\""), "{svg}");
    }
}
