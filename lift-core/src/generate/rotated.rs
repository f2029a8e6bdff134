//! `rotated`: windows that a loop goes over one after the other are kept in registers. The elements that a
//! window shares with the next are moved, and only the rest is loaded.
//!
//! The step between windows is found by comparing the indices at which the elements of consecutive windows are read,
//! whichever primitives made them.

use super::view::View;
use super::{Environment, Generator, Loops, Result, Unsupported};
use crate::kernel;
use crate::low::Read;
use crate::nat::{Facts, Nat, Var};
use crate::types::Type;

/// Windows of more elements do not fit into registers.
const MOST_ELEMENTS: usize = 64;

/// Windows that share elements with those before them.
pub struct Rotation {
    windows: View,
    /// The registers that hold the current window.
    memory: View,
    element: Type,
    size: usize,
    /// How many elements of a window are new: the window before it does not have them.
    step: usize,
}

impl Generator {
    /// The windows that a loop goes over, if they are to be rotated and there are two or more.
    ///
    /// # Errors
    /// Windows that share no elements.
    pub fn rotation(
        &mut self,
        xs: &Read,
        windows: &View,
        length: &Nat,
        env: &Environment,
    ) -> Result<Option<Rotation>> {
        if xs.rotated().is_none() || self.facts.bounds(length).1.is_some_and(|most| most <= 1) {
            return Ok(None);
        }
        let ty = self.ty(&xs.ty, env);
        let none = |reason: String| {
            Err(Unsupported(format!("`rotated` cannot keep these windows in registers: {reason}")))
        };
        let Some((window, _)) = ty.as_array() else { return none("its operand is not an array".into()) };
        let Some((element, size)) = window.as_array() else {
            return none("its operand is not an array of arrays".into());
        };
        let (scalars, size) = (self.value(&window.scalars())?, self.value(size)?);
        if scalars > MOST_ELEMENTS {
            return none(format!(
                "a window has {scalars} numbers, and at most {MOST_ELEMENTS} are kept in registers"
            ));
        }
        for step in 1..size {
            if self.moves_by(windows, element, (size, step), length)? {
                let memory = self.private(window, "window", true)?;
                let (windows, element) = (windows.clone(), element.clone());
                return Ok(Some(Rotation { windows, memory, element, size, step }));
            }
        }
        none("at these sizes consecutive windows share no elements".into())
    }

    /// The loop over the windows: `body` is given the number of a window, and the window.
    pub fn rotating(
        &mut self,
        length: &Nat,
        loops: Loops,
        rotation: &Rotation,
        mut body: impl FnMut(&mut Self, &Nat, View) -> Result<()>,
    ) -> Result<()> {
        let Rotation { windows, memory, element, size, step } = rotation;
        let shared = size - step;
        let first = self.at(windows, &Nat::constant(0))?;
        self.moved(element, (&first, 0), memory, 0..shared)?;
        self.elements(length, None, loops, |g, i| {
            let window = g.at(windows, i)?;
            g.moved(element, (&window, 0), memory, shared..*size)?;
            body(g, i, memory.constant())?;
            g.moved(element, (memory, *step), memory, 0..shared)
        })
    }

    /// Copies elements from `further` elements ahead.
    fn moved(
        &mut self,
        element: &Type,
        (from, further): (&View, usize),
        to: &View,
        elements: std::ops::Range<usize>,
    ) -> Result<()> {
        for k in elements {
            let (from, to) = (self.at(from, &Nat::from(k + further))?, self.at(to, &Nat::from(k))?);
            self.copy(element, &from, &to)?;
        }
        Ok(())
    }

    /// Does each window begin with the elements that the one before it has from its element `step` on?
    fn moves_by(
        &mut self,
        windows: &View,
        element: &Type,
        (size, step): (usize, usize),
        length: &Nat,
    ) -> Result<bool> {
        let var = Var::index("window", self.number());
        let (here, next) = (Nat::var(&var), Nat::var(&var) + 1);
        let before_last = |facts: &mut Facts| facts.range(&var, &Nat::constant(0), &(length - 1));
        self.knowing(before_last, |g| {
            for k in 0..size - step {
                let (a, b) = (g.at(windows, &here)?, g.at(windows, &next)?);
                let (a, b) = (g.at(&a, &Nat::from(k + step))?, g.at(&b, &Nat::from(k))?);
                if !g.is_same(element, &a, &b)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Are all scalars of two values read in the same way?
    fn is_same(&mut self, ty: &Type, a: &View, b: &View) -> Result<bool> {
        match ty {
            Type::Array(element, length) => {
                let var = Var::index("element", self.number());
                let inside = |facts: &mut Facts| facts.range(&var, &Nat::constant(0), length);
                let i = Nat::var(&var);
                self.knowing(inside, |g| {
                    let (a, b) = (g.at(a, &i)?, g.at(b, &i)?);
                    g.is_same(element, &a, &b)
                })
            }
            Type::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let (a, b) = (self.field(a, k)?, self.field(b, k)?);
                    if !self.is_same(part, &a, &b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                let (a, b) = (self.value_of(a)?, self.value_of(b)?);
                // How far windows move may be a size: its value decides.
                let known = |value: kernel::Expr| value.reindexed(&|n, _| self.fixed(n));
                let (a, b) = (a.map(known), b.map(known));
                Ok(a.is_some() && a == b)
            }
        }
    }

    /// The expression that reads a scalar, if no statements have to come first.
    fn value_of(&mut self, view: &View) -> Result<Option<kernel::Expr>> {
        let (before, value) = self.block(|g| g.scalar(view))?;
        Ok(before.is_empty().then_some(value))
    }
}
