//! Calls of other functions of the block.

use super::Generator;
use super::build::call;
use lift_core::nat::{Condition, Nat, Var};
use lift_core::syntax::Expr;
use lift_core::types::Type;
use std::collections::BTreeMap;

use super::ATTEMPTS;

/// A function that can be called.
pub struct Helper {
    pub name: String,
    pub sizes: Vec<Var>,
    pub params: Vec<Type>,
    pub result: Type,
    pub wheres: Vec<Condition>,
}

impl Generator<'_> {
    /// A helper applied to arguments of lengths that it admits.
    pub fn called(&mut self, depth: usize) -> Option<(Expr, Type)> {
        let helper = self.pick(self.helpers);
        let mut chosen: BTreeMap<Var, Nat> = BTreeMap::new();
        let mut missing = vec![];
        for _ in 0..ATTEMPTS {
            chosen = helper.sizes.iter().map(|v| (v.clone(), self.length())).collect();
            let wheres = helper.wheres.iter().map(|c| c.substitute(&|v| chosen.get(v).cloned()));
            let positive = chosen.values().map(|n| Condition::ge(n, Nat::constant(1)));
            missing = wheres.chain(positive).filter(|c| !self.holds(c)).collect();
            if missing.is_empty() {
                break;
            }
        }
        let here = |ty: &Type| ty.substitute(&|v| chosen.get(v).cloned());
        let params: Vec<Type> = helper.params.iter().map(here).collect();
        let result = here(&helper.result);
        if !params.iter().chain([&result]).all(|ty| self.is_small(ty)) {
            return None;
        }
        if !missing.is_empty() {
            self.admit(missing)?;
        }
        let arguments = params.iter().map(|ty| self.of(ty, depth)).collect();
        Some((call(&helper.name, arguments), result))
    }
}
