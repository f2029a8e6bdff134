//! What two nests have in common that differ in what they do with each sum alone: a bias, an activation, a residual. What is
//! fast for one is fast for the other.

use super::nest::{levels, reduction, simplify};
use crate::expr::{Child, Expr, Function, Local, Path};
use crate::parts::reduces;
use crate::rules::{PROJECT, build};
use crate::strategy::{State, everywhere, rule};

/// What a nest reduces, and what it reads for that, in words; `None` of what is no nest around one reduction.
pub fn reduced(ordered: &Function) -> Option<String> {
    let innermost = levels(&ordered.body).pop()?;
    let map = ordered.body.at(&innermost)?;
    let body = map.child(Child::Function)?;
    let path = reduction(body)?;
    let sum = if path.is_empty() { body } else { build::movable(body, &path)? };
    // A bias may be what the sum begins with.
    let start = Local { name: "start".into(), index: ordered.fresh() };
    let sum = sum.replaced(&sum.path(&[Child::Start])?, &Expr::local(&start));
    // Another reduction may take as long as this one.
    let rest = body.replaced(&path, &Expr::local(&ordered.params.first()?.local));
    if reduces(&rest) {
        return None;
    }
    let place = innermost.then(&map.path(&[Child::Function])?);
    let bare = Function { body: ordered.body.replaced(&place, &sum), ..ordered.clone() };
    // Nor are arrays gone over that are read for the rest alone.
    let alone = everywhere(rule(&PROJECT)).then(simplify());
    let state = alone.run(&State::new(&bare), &Path::default()).ok()?;
    let body = &state.function.body;
    let read = state.function.params.iter().filter(|param| body.uses(&param.local) > 0);
    let params = read.map(|param| format!("{} {}: {}", param.constant, param.local.name, param.ty));
    Some(format!("{}\n{body}", params.collect::<Vec<_>>().join("\n")))
}
