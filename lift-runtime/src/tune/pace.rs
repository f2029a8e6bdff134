//! How fast the machine is just now, and what times count then.
//!
//! A machine is not equally fast at all times: a processor is shared with others, a phone grows hot. Candidates
//! are timed minutes apart, so the slower one of two may well have the shorter time. Therefore the fastest so
//! far stays built, and each other one is timed in turn with it: the ratio of the two says which is faster,
//! whatever else went on. A time counts as what it would have been when the first candidate was timed, or, if that
//! one's time was known before, when that was taken.

use std::time::Duration;

/// What the kept one's times, first and now, tell of the machine.
#[derive(Debug)]
pub struct Pace {
    /// How many times as long everything takes now, and took in the best moment since the kept one is kept.
    now: f64,
    least: f64,
}

impl Pace {
    pub fn new() -> Pace {
        Pace { now: 1.0, least: 1.0 }
    }

    /// What counts as `counted` has just taken so long.
    pub fn saw(&mut self, time: Duration, counted: Duration) {
        // A time of nothing is none.
        let ratio = time.as_secs_f64() / counted.as_secs_f64();
        if ratio.is_finite() && ratio > 0.0 {
            self.now = ratio;
            self.least = self.least.min(ratio);
        }
    }

    /// Another one is kept, which was timed just now. The best moment of others is not its own: times are only
    /// told that were taken.
    pub fn restart(&mut self) {
        self.least = self.now;
    }

    /// What a time counts that was taken just now.
    pub fn counted(&self, time: Duration) -> Duration {
        Duration::from_secs_f64(time.as_secs_f64() / self.now)
    }

    /// By what to multiply what counts, for the times of the best moment: one that was better than the first, if
    /// there was one.
    pub fn least(&self) -> f64 {
        self.least.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Pace};

    #[test]
    fn times_count_by_what_else_the_machine_does() {
        let ms = Duration::from_millis;
        let mut pace = Pace::new();
        assert_eq!(pace.counted(ms(10)), ms(10));
        // What took 10 takes 20, so what takes 18 is faster.
        pace.saw(ms(20), ms(10));
        assert_eq!(pace.counted(ms(18)), ms(9));
        pace.saw(ms(8), ms(10));
        assert_eq!((pace.counted(ms(8)), pace.least()), (ms(10), 0.8));
        pace.saw(ms(10), ms(10));
        assert_eq!((pace.counted(ms(8)), pace.least()), (ms(8), 0.8));
        // Nothing can be said of kernels without work.
        pace.saw(ms(0), ms(0));
        assert_eq!(pace.counted(ms(8)), ms(8));
        pace.saw(ms(5), ms(10));
        pace.restart();
        assert_eq!(pace.least(), 0.5);
        pace.saw(ms(20), ms(10));
        pace.restart();
        assert_eq!(pace.least(), 1.0);
    }
}
