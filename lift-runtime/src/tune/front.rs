//! What was found: time against memory.

use super::Choice;
use std::time::Duration;

/// A choice that was measured, and was right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Which form it is.
    pub choice: Choice,
    /// Of the kernels, without copies to and from the device.
    pub time: Duration,
    /// Device memory: arguments, results and temporaries.
    pub bytes: usize,
}

impl Found {
    /// At least as good in both, and another.
    fn covers(&self, other: &Found) -> bool {
        self.time <= other.time && self.bytes <= other.bytes
    }
}

/// The Pareto front: choices of which none is both slower and larger than another, the fastest
/// first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Front {
    all: Vec<Found>,
}

impl Front {
    /// Adds a choice if none covers it; those that it covers go. A choice that is measured again
    /// keeps its shorter time.
    pub fn insert(&mut self, new: Found) -> bool {
        if self.all.iter().any(|old| old.covers(&new)) {
            return false;
        }
        self.all.retain(|old| !new.covers(old) && old.choice != new.choice);
        let at = self.all.partition_point(|old| old.time < new.time);
        self.all.insert(at, new);
        true
    }

    /// Removes a choice.
    pub fn remove(&mut self, choice: &Choice) {
        self.all.retain(|found| found.choice != *choice);
    }

    /// The same with all times multiplied.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Front {
        let scaled = |found: &Found| Found { time: found.time.mul_f64(factor), ..found.clone() };
        Front { all: self.all.iter().map(scaled).collect() }
    }

    /// The fastest.
    pub fn best(&self) -> Option<&Found> {
        self.all.first()
    }

    /// The fastest that takes no more than this many bytes.
    pub fn within_bytes(&self, budget: usize) -> Option<&Found> {
        self.all.iter().find(|found| found.bytes <= budget)
    }

    /// The smallest that takes no longer.
    pub fn within_time(&self, budget: Duration) -> Option<&Found> {
        self.all.iter().rev().find(|found| found.time <= budget)
    }

    /// All, the fastest and largest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Found> {
        self.all.iter()
    }

    /// Was nothing found?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl<'a> IntoIterator for &'a Front {
    type Item = &'a Found;
    type IntoIter = std::slice::Iter<'a, Found>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<Found> for Front {
    fn from_iter<I: IntoIterator<Item = Found>>(all: I) -> Front {
        let mut front = Front::default();
        all.into_iter().for_each(|found| {
            front.insert(found);
        });
        front
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Duration, Found, Front};

    fn found(ms: u64, bytes: usize) -> Found {
        let choice =
            Choice { point: vec![("N".into(), (ms * 1000) as i64 + bytes as i64)], ..Choice::default() };
        Found { choice, time: Duration::from_millis(ms), bytes }
    }

    #[test]
    fn the_front_is_what_nothing_covers() {
        let all = [found(5, 50), found(3, 90), found(4, 90), found(9, 20), found(9, 50), found(6, 20)];
        let front: Front = all.into_iter().collect();
        let kept: Vec<_> = front.iter().map(|f| (f.time.as_millis(), f.bytes)).collect();
        assert_eq!(kept, [(3, 90), (5, 50), (6, 20)]);
        assert_eq!(front.best(), Some(&found(3, 90)));
        assert_eq!(front.within_bytes(60), Some(&found(5, 50)));
        assert_eq!(front.within_bytes(10), None);
        assert_eq!(front.within_time(Duration::from_millis(5)), Some(&found(5, 50)));
        assert_eq!(front.within_time(Duration::from_millis(2)), None);
    }

    #[test]
    fn a_choice_stands_there_once() {
        let mut front = Front::default();
        assert!(front.insert(Found { time: Duration::from_millis(9), ..found(5, 50) }));
        assert!(front.insert(found(5, 50)));
        assert!(!front.insert(found(5, 50)));
        assert_eq!(front.iter().len(), 1);
    }
}
