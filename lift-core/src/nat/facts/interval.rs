//! Constant bounds by interval arithmetic: cheap, and often enough.

use crate::nat::eval::floor_div;

/// Inclusive bounds; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Interval {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

pub(super) const NOTHING: Interval = Interval { low: None, high: None };

/// A number or an infinity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Below,
    Finite(i128),
    Above,
}

impl End {
    fn sign(self) -> i128 {
        match self {
            End::Below => -1,
            End::Finite(n) => n.signum(),
            End::Above => 1,
        }
    }

    fn times(self, other: End) -> Option<End> {
        match (self, other) {
            (End::Finite(a), End::Finite(b)) => a.checked_mul(b).map(End::Finite),
            _ => Some(match self.sign() * other.sign() {
                0 => End::Finite(0),
                1 => End::Above,
                _ => End::Below,
            }),
        }
    }
}

impl Interval {
    pub fn exactly(n: i128) -> Interval {
        Interval { low: Some(n), high: Some(n) }
    }

    pub fn at_least(self, n: i128) -> bool {
        self.low.is_some_and(|l| l >= n)
    }

    pub fn plus(self, other: Interval) -> Interval {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval { low: add(self.low, other.low), high: add(self.high, other.high) }
    }

    pub fn times(self, other: Interval) -> Interval {
        let (a, b) = (self.ends(), other.ends());
        let corners = [a.0.times(b.0), a.0.times(b.1), a.1.times(b.0), a.1.times(b.1)];
        // A corner that overflows could be the outermost one on either side.
        let [Some(w), Some(x), Some(y), Some(z)] = corners else { return NOTHING };
        let finite = |e: End| match e {
            End::Finite(n) => Some(n),
            End::Below | End::Above => None,
        };
        Interval { low: finite(w.min(x).min(y.min(z))), high: finite(w.max(x).max(y.max(z))) }
    }

    fn ends(self) -> (End, End) {
        (self.low.map_or(End::Below, End::Finite), self.high.map_or(End::Above, End::Finite))
    }

    pub fn power(self, p: u32) -> Interval {
        match p {
            1 => self,
            _ if self.at_least(0) => Interval {
                low: self.low.and_then(|l| l.checked_pow(p)).or(Some(0)),
                high: self.high.and_then(|h| h.checked_pow(p)),
            },
            _ if p.is_multiple_of(2) => Interval { low: Some(0), high: None },
            _ => NOTHING,
        }
    }
}

/// Of a divisor that is at least 1.
pub(super) fn quotient(a: Interval, b: Interval) -> Interval {
    let Some(least) = b.low.filter(|l| *l >= 1) else { return NOTHING };
    // Dividing by the largest brings a number closest to 0, or to -1.
    let low = match a.low {
        Some(l) if l >= 0 => Some(b.high.and_then(|h| floor_div(l, h)).unwrap_or(0)),
        Some(l) => floor_div(l, least),
        None => None,
    };
    let high = match a.high {
        Some(h) if h >= 0 => floor_div(h, least),
        Some(h) => Some(b.high.and_then(|most| floor_div(h, most)).unwrap_or(-1)),
        None => None,
    };
    Interval { low, high }
}

pub(super) fn remainder(a: Interval, b: Interval) -> Interval {
    if !b.at_least(1) {
        return NOTHING;
    }
    let most = b.high.and_then(|h| h.checked_sub(1));
    let high = match a.high.filter(|_| a.at_least(0)) {
        Some(h) => Some(most.map_or(h, |m| m.min(h))),
        None => most,
    };
    Interval { low: Some(0), high }
}
