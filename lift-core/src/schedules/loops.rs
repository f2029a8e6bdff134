//! A nest's levels by name, while a schedule puts them into the order it wants.

use super::nest::{
    accumulate, accumulate_through, at_level, interchange, joined, tidy, tile, tile_overlapping,
};
use crate::nat::Nat;
use crate::rules::{EXTEND, MAP_LCL, MAP_WRG, PEELED, ROUND_UP};
use crate::strategy::{Strategy, attempt, in_function, rule, seq, sized};

/// The levels of a nest, outermost first, and the steps that put them into this order.
pub struct Loops {
    names: Vec<String>,
    steps: Vec<Strategy>,
}

impl Loops {
    /// A nest with this many levels.
    pub fn new(levels: usize) -> Loops {
        Loops { names: (0..levels).map(Loops::name).collect(), steps: vec![] }
    }

    /// Adds a level around the others.
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

    /// Adds a strategy that is applied to the nest as it is now.
    pub fn step(&mut self, s: Strategy) {
        self.steps.push(s);
    }

    /// Adds a strategy inside all levels that are left, where the sums of accumulated levels are used;
    /// nothing happens if they are not.
    pub fn epilogue(&mut self, s: Strategy) {
        self.steps.push(attempt(at_level(self.names.len(), s)));
    }

    /// Tiles of `n` elements: the level counts tiles, and another inside the elements of one.
    pub fn tile(&mut self, level: usize, n: &Nat, inner: &str) {
        self.tile_named(&Loops::name(level), n, inner);
    }

    /// The same for a level by its name.
    pub fn tile_named(&mut self, name: &str, n: &Nat, inner: &str) {
        self.tile_by(name, inner, |k| tile(k, n));
    }

    /// Tiles of `n` elements, of which the last one ends where the level does: a loop of one work-item goes over them.
    pub fn tile_overlapping(&mut self, level: usize, n: &Nat, inner: &str) {
        self.tile_by(&Loops::name(level), inner, |k| tile_overlapping(k, n));
    }

    fn tile_by(&mut self, name: &str, inner: &str, tiles: impl Fn(usize) -> Strategy) {
        if let Some(k) = self.position(name) {
            self.steps.push(tiles(k));
            self.names.insert(k + 1, inner.into());
        }
    }

    /// Makes a level a whole number of tiles of `n`.
    pub fn round_up(&mut self, level: usize, n: &Nat) {
        if let Some(k) = self.position(&Loops::name(level)) {
            self.steps.push(at_level(k, sized(&ROUND_UP, &[n])).then(tidy()));
        }
    }

    /// Adds `n` elements to a level, whose results are discarded.
    pub fn extend(&mut self, level: usize, n: &Nat) {
        if let Some(k) = self.position(&Loops::name(level)) {
            self.steps.push(at_level(k, sized(&EXTEND, &[n])).then(tidy()));
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

    /// Joins the outermost levels into one, until no more than this many are left.
    pub fn at_most(&mut self, levels: usize) {
        while self.names.len() > levels {
            self.merge(0);
        }
    }

    /// Makes levels `peeled`: elements at their ends are computed apart from the rest, where there
    /// are tests for what lies outside.
    pub fn peeled(&mut self) {
        for k in 0..self.len() {
            self.step(at_level(k, rule(&PEELED)));
        }
    }

    /// Gives this many innermost levels to the work-items of a group, and the levels around them to the groups;
    /// the innermost of each gets dimension 0.
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

    /// A strategy at the innermost level, which gives it its place: it is no level any more.
    pub fn innermost_by(&mut self, s: Strategy) {
        if let Some(k) = self.names.len().checked_sub(1) {
            self.steps.push(at_level(k, s));
            self.names.pop();
        }
    }

    /// The innermost level becomes an array of running values.
    pub fn accumulate(&mut self) {
        self.names.pop();
        self.steps.push(accumulate(self.names.len()));
    }

    /// The same, through at most this many nested reductions.
    pub fn accumulate_through(&mut self, reductions: usize) {
        self.names.pop();
        self.steps.push(accumulate_through(self.names.len(), reductions));
    }

    /// Joins a level with the one inside it, under the name of the inner one.
    pub fn merge(&mut self, at: usize) {
        self.steps.push(joined(at));
        self.names.remove(at);
    }

    pub fn strategy(self) -> Strategy {
        seq(self.steps)
    }
}
