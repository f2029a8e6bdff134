//! Result types that are not written, but inferred.

use super::{Checker, Typed};
use crate::expr::Function;
use crate::resolve::{depends_on_tuning, not_returnable};
use crate::types::Type;
use std::collections::BTreeMap;

impl Checker<'_> {
    /// The body's type is the result, if Rust can be given it.
    pub fn inferred_result(&mut self, f: &Function, ty: &Type) {
        let (ty, site) = (self.resolved(ty), f.body.tail().site);
        if ty.is_returnable() {
            let tuned = f.sizes.iter().filter(|size| size.tune.is_some()).map(|size| size.var.clone());
            let wrong = depends_on_tuning(tuned, &ty, site, "the result");
            // It may be equal to a length that does not.
            self.diagnostics.extend(wrong.map(|wrong| {
                wrong
                    .note(format!("this is {}", self.show(&ty)))
                    .help("write the result: `|…| -> type { … }`")
            }));
            return;
        }
        let note = format!("this is {}", self.show(&ty));
        self.diagnostics.push(not_returnable(&ty, site).note(note));
    }
}

/// Once everything is right, every function has its result.
pub fn fill_in(functions: &mut BTreeMap<String, Option<Function>>, typed: &BTreeMap<String, Typed>) {
    for f in functions.values_mut().flatten().filter(|f| f.result == Type::INFERRED) {
        if let Some(ty) = typed.get(&*f.name).and_then(|found| found.ty(f.body.id)) {
            f.result = ty.clone();
        }
    }
}
