//! The block's constants: `const GAIN: f32 = 0.5;`, and sizes, `const TAPS: usize = 5;`.

use super::scope::Scope;
use super::{Reported, Resolver};
use crate::expr::{Expr, Kind};
use crate::nat::{Condition, Nat};
use crate::syntax::{Diagnostic, Function, Site};
use std::sync::Arc;

impl<'a> Resolver<'a> {
    /// The constant of this name, if the block has one.
    fn constant(&self, name: &str) -> Option<&'a Function> {
        self.functions.iter().find(|f| f.constant && f.name.text == name)
    }

    /// A name that stands for a constant, as a value: a call without arguments, or a size.
    pub fn constant_value(&mut self, name: &str, site: Site) -> Option<Result<Expr, Reported>> {
        let constant = self.constant(name)?;
        Some(match constant.is_constant_size() {
            true => self.constant_size(constant).map(|n| Expr::new(site, Kind::Size(n))),
            false => Ok(Expr::new(site, Kind::Call(Arc::from(name), vec![], vec![]))),
        })
    }

    /// A name that stands for a constant, where a size is wanted.
    pub fn constant_as_size(&mut self, name: &str, site: Site) -> Option<Result<Nat, Reported>> {
        let constant = self.constant(name)?;
        if constant.is_constant_size() {
            return Some(self.constant_size(constant));
        }
        let diagnostic = Diagnostic::new(site, format!("`{name}` is a value, but a size is needed here"));
        Some(
            self.report(
                diagnostic.help(format!(
                    "a constant is a size if it is declared as one: `const {name}: usize = …;`"
                )),
            ),
        )
    }

    /// The number that a constant of type `usize` stands for. What is wrong with it is said once, where
    /// it is declared.
    pub fn constant_size(&mut self, constant: &Function) -> Result<Nat, Reported> {
        let name = &constant.name.text;
        if self.constants.contains(name) {
            self.circular = Some(name.clone());
            return Err(Reported);
        }
        // Reached from elsewhere, its mistakes are dropped: they are told when it is resolved itself.
        let inside = !self.constants.is_empty() || !self.is_at(constant);
        self.constants.push(name.clone());
        // A constant knows no sizes of functions.
        let sizes = std::mem::take(&mut self.sizes);
        let told = self.diagnostics.len();
        let value = self.size(&constant.body, &Scope::default()).and_then(|n| {
            let at_least_0 = Condition::ge(&n, Nat::constant(0));
            match at_least_0.eval(&|_| None) {
                Ok(true) => Ok(n),
                _ => {
                    self.error(constant.body.site, format!("the size `{name}` is not a number of at least 0"))
                }
            }
        });
        self.sizes = sizes;
        self.constants.pop();
        if inside {
            self.diagnostics.truncate(told);
        } else if self.circular.as_ref() == Some(name) {
            return self.error(constant.name.site, format!("the constant `{name}` is defined by itself"));
        }
        value
    }

    /// Is this what is being resolved?
    fn is_at(&self, constant: &Function) -> bool {
        self.current == constant.name.site
    }
}
