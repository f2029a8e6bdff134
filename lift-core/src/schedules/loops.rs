//! A nest's levels by name, while a schedule puts them into the order it wants.

use super::nest::{accumulate, accumulate_through, at_level, interchange, tidy, tile};
use crate::nat::Nat;
use crate::rules::{MAP_JOIN, MAP_LCL, MAP_WRG, PEELED, ROUND_UP};
use crate::strategy::{Strategy, attempt, in_function, rule, seq, sized};

/// The levels of a nest, outermost first, and what brings them there.
pub struct Loops {
    names: Vec<String>,
    steps: Vec<Strategy>,
}

impl Loops {
    /// So many levels.
    pub fn new(levels: usize) -> Loops {
        Loops { names: (0..levels).map(Loops::name).collect(), steps: vec![] }
    }

    /// One level more, around the others.
    pub fn around(&mut self, name: &str) {
        self.names.insert(0, name.into());
    }

    /// The name of a level that the user wrote.
    pub fn name(level: usize) -> String {
        format!("level {level}")
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Another strategy on the nest as it is.
    pub fn step(&mut self, s: Strategy) {
        self.steps.push(s);
    }

    /// A strategy where the nest had a level that is accumulated now, if something is done there with
    /// the sums.
    pub fn epilogue(&mut self, s: Strategy) {
        self.steps.push(attempt(at_level(self.names.len(), s)));
    }

    /// Tiles of `n` elements: the level counts tiles, and another inside the elements of one.
    pub fn tile(&mut self, level: usize, n: &Nat, inner: &str) {
        self.tile_named(&Loops::name(level), n, inner);
    }

    /// The same for a level by its name.
    pub fn tile_named(&mut self, name: &str, n: &Nat, inner: &str) {
        if let Some(k) = self.position(name) {
            self.steps.push(tile(k, n));
            self.names.insert(k + 1, inner.into());
        }
    }

    /// Makes a level a whole number of tiles of `n`.
    pub fn round_up(&mut self, level: usize, n: &Nat) {
        if let Some(k) = self.position(&Loops::name(level)) {
            self.steps.push(at_level(k, sized(&ROUND_UP, &[n])).then(tidy()));
        }
    }

    /// Puts these levels innermost, in this order; the others keep theirs.
    pub fn innermost(&mut self, order: &[String]) {
        let others = self.names.iter().filter(|n| !order.contains(n)).cloned();
        let wanted: Vec<String> = others.chain(order.iter().cloned()).collect();
        for (place, name) in wanted.iter().enumerate() {
            for k in (place..self.position(name).unwrap_or(place)).rev() {
                self.steps.push(interchange(k));
                self.names.swap(k, k + 1);
            }
        }
    }

    /// No more than so many levels: the outermost become one.
    pub fn at_most(&mut self, levels: usize) {
        while self.names.len() > levels {
            self.merge(0);
        }
    }

    /// What is computed at the ends of the levels is written apart from the rest, where there are tests of what lies outside.
    pub fn peeled(&mut self) {
        for k in 0..self.len() {
            self.step(at_level(k, rule(&PEELED)));
        }
    }

    /// Gives the innermost levels, so many, to the work-items of a group, and those around them to the
    /// groups, dimension 0 to the innermost of each.
    pub fn grouped(&mut self, dimensions: usize) {
        self.at_most(2 * dimensions);
        let (all, groups) = (self.len(), self.len() - dimensions);
        for k in (0..all).rev() {
            let (place, d) = if k < groups { (&MAP_WRG, groups - 1 - k) } else { (&MAP_LCL, all - 1 - k) };
            self.step(at_level(k, sized(place, &[&Nat::from(d)])));
        }
    }

    /// A strategy in the function of the innermost level.
    pub fn inside(&mut self, s: Strategy) {
        if let Some(k) = self.names.len().checked_sub(1) {
            self.steps.push(at_level(k, in_function(s)));
        }
    }

    /// The innermost level becomes an array of running values.
    pub fn accumulate(&mut self) {
        self.names.pop();
        self.steps.push(accumulate(self.names.len()));
    }

    /// The same, through no more than so many reductions.
    pub fn accumulate_through(&mut self, reductions: usize) {
        self.names.pop();
        self.steps.push(accumulate_through(self.names.len(), reductions));
    }

    /// A level and the one inside it become one, by the name of that.
    pub fn merge(&mut self, at: usize) {
        self.steps.push(at_level(at, rule(&MAP_JOIN)).then(tidy()));
        self.names.remove(at);
    }

    pub fn strategy(self) -> Strategy {
        seq(self.steps)
    }
}
