//! Rows whose elements take work together, as those of a softmax or of prefix sums do, and whether they are read row by row.

use super::reads::{computes_anything, elements, read_once, reduces};
use crate::expr::{Argument, Child, Expr, Kind, Local, Pattern};
use crate::primitives::{AT, Applied, Form};
use crate::program::Program;
use crate::rules::untyped;
use crate::schedules::fused;

/// The program, if it reads such rows row by row, or one that does so. `None` if there is none: an element would take the work of its
/// whole row.
pub fn row_by_row(program: &Program) -> Option<Program> {
    let again = |program: &Program| works_again(&program.function.body);
    let fused = fused(program)?;
    match (again(program), again(&fused)) {
        (_, true) => None,
        (true, false) => Some(fused),
        (false, false) => Some(program.clone()),
    }
}

/// Do the elements of an array take work that is done for all of them together? Prefix sums do, and what is computed with a
/// reduction that has a name: whoever reads one element alone does the work for all.
pub fn together(e: &Expr) -> bool {
    if let Some(e) = read_once(e) {
        return together(&e);
    }
    match &*e.kind {
        Kind::Let(_, value, body) => {
            let named = if is_array(value) { together(value) } else { is_array(body) && reduces(value) };
            named || together(body)
        }
        Kind::Apply(p, arguments) => match p.form.applied() {
            Applied::Prefixes | Applied::Whole => true,
            Applied::Reduction => is_array(e),
            Applied::Nothing => !is_kept(e) && arguments.iter().filter_map(Argument::expr).any(together),
            Applied::Elements => e.as_map().is_some_and(|(_, xs)| together(xs)),
            Applied::Indices => false,
        },
        _ => false,
    }
}

/// Are there rows in it, or rows of rows, whose elements take such work?
pub fn rows_together(e: &Expr) -> bool {
    Known::default().rows(e).is_some()
}

/// Does a map in it read such rows in another order than row by row, so that the work of a row is done for each of its elements?
pub fn works_again(e: &Expr) -> bool {
    again(e, &Known::default())
}

/// Are these rows that take work together, moved out of their order?
pub fn moves_rows(e: &Expr) -> bool {
    Known::default().rows(e).is_some_and(|rows| rows.moved)
}

/// The names that functions give to such rows, and to rows of them.
#[derive(Clone, Default)]
pub struct Known(Vec<(Local, Rows)>);

impl Known {
    /// Is this array such a row, or zipped with one?
    pub fn is_row(&self, e: &Expr) -> bool {
        let mut zipped = e.as_zip().unwrap_or_else(|| vec![e]).into_iter();
        together(e) || zipped.any(|xs| self.rows(xs).is_some_and(|rows| rows.indices == 0))
    }

    /// What is known in the function of a map.
    pub fn inside(&self, map: &Expr) -> Known {
        let Some((f, _)) = map.as_map() else { return self.clone() };
        let of_element = |(pattern, xs)| match (untyped(pattern), self.rows(xs)) {
            (Pattern::Local(local), Some(rows)) if rows.indices > 0 => {
                Some((local.clone(), Rows { indices: rows.indices - 1, ..rows }))
            }
            _ => None,
        };
        let inside = elements(map, f).into_iter().filter_map(of_element);
        Known(self.0.iter().cloned().chain(inside).collect())
    }

    fn rows(&self, e: &Expr) -> Option<Rows> {
        Rows::of(e, self)
    }
}

/// As [`works_again`], where some variables are known to be such rows.
fn again(e: &Expr, known: &Known) -> bool {
    if let Some(e) = read_once(e) {
        return again(&e, known);
    }
    let Some((f, xs)) = e.as_map() else { return e.children().into_iter().any(|child| again(child, known)) };
    let moved = |(_, xs): (_, &Expr)| known.rows(xs).is_some_and(|rows| rows.moved);
    if computes_anything(&f.body) && elements(e, f).into_iter().any(moved) {
        return true;
    }
    again(&f.body, &known.inside(e)) || again(xs, known)
}

/// Rows in an array whose elements take work together.
#[derive(Clone, Copy)]
struct Rows {
    /// How many indices say which row it is: none if this is one row.
    indices: usize,
    /// Does another index come before one of these?
    moved: bool,
}

impl Rows {
    fn of(e: &Expr, known: &Known) -> Option<Rows> {
        let of = |e: &Expr| Rows::of(e, known);
        match (&*e.kind, e.as_map(), e.as_zip()) {
            (Kind::Local(local), ..) => {
                known.0.iter().rfind(|(name, _)| name == local).map(|(_, rows)| *rows)
            }
            (Kind::Let(_, _, body), ..) => of(&read_once(e).unwrap_or_else(|| body.clone())),
            (_, Some((f, _)), _) if is_array(&f.body) && together(&f.body) => {
                Some(Rows { indices: 1, moved: false })
            }
            (_, Some((f, xs)), _) => match of(&f.body) {
                Some(rows) => Some(Rows { indices: rows.indices + 1, ..rows }),
                None if reduces(&f.body) => None,
                None if computes_anything(&f.body) => of(xs),
                None => Some(of(xs)?.moved_by(&f.body, 1)),
            },
            (_, None, Some(arrays)) => arrays.into_iter().find_map(of),
            (Kind::Apply(p, arguments), None, None)
                if p.form.applied() == Applied::Nothing && !is_kept(e) =>
            {
                let rows = arguments.iter().filter_map(Argument::expr).find_map(of)?;
                Some(rows.after(&p.form, p.name, 0))
            }
            _ => None,
        }
    }

    /// After a function of elements that only moves them, with so many maps around it.
    fn moved_by(self, e: &Expr, around: usize) -> Rows {
        match (&*e.kind, e.as_map(), e.child(Child::Operand)) {
            (Kind::Local(_), ..) => self,
            (_, Some((f, xs)), _) => self.moved_by(xs, around).moved_by(&f.body, around + 1),
            (Kind::Apply(p, _), None, Some(xs)) => self.moved_by(xs, around).after(&p.form, p.name, around),
            _ => Rows { moved: true, ..self },
        }
    }

    /// After a primitive with so many maps around it.
    fn after(self, form: &Form, name: &str, around: usize) -> Rows {
        // All that it moves is in one row.
        if around >= self.indices {
            return self;
        }
        // Does it move rows, and nothing in them?
        let whole = around + 1 < self.indices;
        match (form, name) {
            (Form::AsVector, _) | (_, "split") => Rows { indices: self.indices + 1, ..self },
            (Form::AsScalar, _) | (_, "join") if whole => Rows { indices: self.indices - 1, ..self },
            (_, "transpose") if whole => self,
            _ => Rows { moved: true, ..self },
        }
    }
}

/// Is its value an array, as far as can be seen without types?
fn is_array(e: &Expr) -> bool {
    let Kind::Apply(p, arguments) = &*e.tail().kind else { return false };
    match p.form.applied() {
        Applied::Elements | Applied::Prefixes | Applied::Whole | Applied::Indices => true,
        Applied::Nothing => p.name != AT && !matches!(p.form, Form::Dot | Form::Width),
        Applied::Reduction => arguments.iter().filter_map(Argument::expr).next().is_some_and(is_array),
    }
}

/// Is it computed once, and stays in memory?
fn is_kept(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(_)))
}
