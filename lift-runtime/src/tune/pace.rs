//! How fast the machine is just now, and what times count then.
//!
//! A machine is not equally fast at all times: a processor is shared with others, a phone grows hot. Candidates
//! are timed minutes apart, so the slower one of two may well have the shorter time. Therefore the fastest so
//! far stays built, and each other one is timed in turn with it: the ratio of the two says which is faster,
//! whatever else went on. A time counts as what it would have been when the first candidate was timed.

use std::time::Duration;

/// The pace of the machine, learned from the times of the fastest candidate.
#[derive(Debug)]
pub struct Pace {
    /// How many times as long everything takes now as it counts.
    now: f64,
    /// The same in the fastest candidate's best moment.
    least: f64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { now: 1.0, least: 1.0 }
    }
}

impl Pace {
    /// The pace at which the fastest candidate, whose time counts as `counted`, has just taken `time`.
    pub fn of(time: Duration, counted: Duration) -> Pace {
        let mut pace = Pace { now: 1.0, least: f64::MAX };
        pace.saw(time, counted);
        Pace { least: pace.now, ..pace }
    }

    /// The fastest candidate has just taken `time` again, which counts as `counted`.
    pub fn saw(&mut self, time: Duration, counted: Duration) {
        // A time of nothing is none.
        let ratio = time.as_secs_f64() / counted.as_secs_f64();
        if ratio.is_finite() && ratio > 0.0 {
            self.now = ratio;
            self.least = self.least.min(ratio);
        }
    }

    /// The time that `time`, taken just now, counts as.
    pub fn counted(&self, time: Duration) -> Duration {
        Duration::from_secs_f64(time.as_secs_f64() / self.now)
    }

    /// The factor from a time that counts to the time in the fastest's best moment.
    pub fn least(&self) -> f64 {
        self.least
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Pace};

    #[test]
    fn times_count_by_what_else_the_machine_does() {
        let ms = Duration::from_millis;
        assert_eq!(Pace::default().counted(ms(10)), ms(10));
        let mut pace = Pace::of(ms(10), ms(10));
        // What took 10 takes 20, so what takes 18 is faster.
        pace.saw(ms(20), ms(10));
        assert_eq!((pace.counted(ms(18)), pace.least()), (ms(9), 1.0));
        pace.saw(ms(8), ms(10));
        assert_eq!((pace.counted(ms(8)), pace.least()), (ms(10), 0.8));
        pace.saw(ms(10), ms(10));
        assert_eq!((pace.counted(ms(8)), pace.least()), (ms(8), 0.8));
        // Another is the fastest: its own times are told.
        assert_eq!(Pace::of(ms(18), ms(9)).least(), 2.0);
        // Nothing can be said of kernels without work.
        pace.saw(ms(0), ms(0));
        assert_eq!(pace.counted(ms(8)), ms(8));
        assert_eq!(Pace::of(ms(0), ms(0)).least(), 1.0);
    }
}
