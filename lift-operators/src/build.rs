//! Programs whose ranks are known at run time only: their syntax trees are put together, and checked like any other.

use crate::OperatorError;
use lift::Program;
use lift_core::syntax::{
    Binary, Expr, ExprKind, Function, Name, Param, Pattern, PatternKind, Site, SizeParam, TypeExpr, TypeKind,
};
use lift_core::types::Scalar;

fn expr(kind: ExprKind) -> Expr {
    Expr { site: Site::default(), kind }
}

fn named(text: &str) -> Name {
    Name { text: text.to_string(), site: Site::default() }
}

/// A variable or a size.
pub fn name(text: &str) -> Expr {
    expr(ExprKind::Name(text.to_string()))
}

/// A number that is a size, or an integer.
pub fn int(n: usize) -> Expr {
    // A `usize` has at most 64 bits.
    expr(ExprKind::Int(n as u128, None))
}

/// A number that may be negative.
pub fn signed(n: i64) -> Expr {
    let magnitude = expr(ExprKind::Int(n.unsigned_abs().into(), None));
    match n < 0 {
        true => expr(ExprKind::Unary(lift_core::syntax::Unary::Neg, Box::new(magnitude))),
        false => magnitude,
    }
}

/// A float whose type comes from its place.
pub fn float(x: f64) -> Expr {
    expr(ExprKind::Float(x, None))
}

pub fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(Box::new(name(function)), arguments))
}

pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// `xs[i]`
pub fn index(xs: Expr, i: Expr) -> Expr {
    expr(ExprKind::Index(Box::new(xs), Box::new(i)))
}

/// `x as scalar`
pub fn cast(x: Expr, scalar: Scalar) -> Expr {
    expr(ExprKind::Cast(Box::new(x), scalar_type(scalar)))
}

/// `|x, …| body`, for lambdas of several parameters as for those of one.
pub fn lambda(params: &[&str], body: Expr) -> Expr {
    expr(ExprKind::Lambda(
        params.iter().map(|p| pattern(PatternKind::Name((*p).to_string()))).collect(),
        Box::new(body),
    ))
}

/// `|(x, …)| body`, for the elements of what `zip` gives.
pub fn tuple_lambda(params: &[String], body: Expr) -> Expr {
    let parts = params.iter().map(|p| pattern(PatternKind::Name(p.clone()))).collect();
    expr(ExprKind::Lambda(vec![pattern(PatternKind::Tuple(parts))], Box::new(body)))
}

fn pattern(kind: PatternKind) -> Pattern {
    Pattern { site: Site::default(), kind, ty: None }
}

fn scalar_type(scalar: Scalar) -> TypeExpr {
    TypeExpr { site: Site::default(), kind: TypeKind::Name(scalar.name().to_string()) }
}

/// The type of arrays of these lengths, from the outside in.
pub fn array(scalar: Scalar, lengths: &[Expr]) -> TypeExpr {
    lengths.iter().rev().fold(scalar_type(scalar), |element, length| TypeExpr {
        site: Site::default(),
        kind: TypeKind::Array(Box::new(element), Box::new(length.clone())),
    })
}

/// A function of the elements that lie so many dimensions deep in `xs`.
///
/// Lambdas at different depths have variables of different names, so that functions may be applied within functions.
pub fn within(depth: usize, xs: Expr, f: &dyn Fn(Expr) -> Expr) -> Expr {
    match depth {
        0 => f(xs),
        _ => {
            let x = format!("x{depth}");
            let body = within(depth - 1, name(&x), f);
            call("map", vec![lambda(&[&x], body), xs])
        }
    }
}

/// The same of several arrays, whose elements are taken side by side.
pub fn side_by_side(depth: usize, arrays: Vec<Expr>, f: &dyn Fn(Vec<Expr>) -> Expr) -> Expr {
    if depth == 0 {
        return f(arrays);
    }
    if arrays.len() == 1 {
        return arrays.into_iter().fold(int(0), |_, xs| within(depth, xs, &|x| f(vec![x])));
    }
    let names: Vec<String> = (0..arrays.len()).map(|i| format!("x{depth}_{i}")).collect();
    let body = side_by_side(depth - 1, names.iter().map(|x| name(x)).collect(), f);
    call("map", vec![tuple_lambda(&names, body), call("zip", arrays)])
}

/// A function that is being put together.
pub struct Draft {
    operator: &'static str,
    sizes: Vec<SizeParam>,
    params: Vec<Param>,
    wheres: Vec<Expr>,
}

impl Draft {
    /// Without any parameters.
    pub fn new(operator: &'static str) -> Draft {
        Draft { operator, sizes: vec![], params: vec![], wheres: vec![] }
    }

    /// With one more size.
    pub fn size(&mut self, size: &str) -> Expr {
        self.sizes.push(SizeParam { name: named(size), tune: None });
        name(size)
    }

    /// With a size `D0`, `D1`, … for each dimension.
    pub fn dimensions(&mut self, rank: usize) -> Vec<Expr> {
        (0..rank).map(|d| self.size(&dimension(d))).collect()
    }

    /// The same without that of one axis.
    pub fn dimensions_but(&mut self, rank: usize, axis: usize) -> Vec<Expr> {
        (0..rank).filter(|d| *d != axis).map(|d| self.size(&dimension(d))).collect()
    }

    /// With one more parameter.
    pub fn param(&mut self, param: &str, scalar: Scalar, lengths: &[Expr]) -> Expr {
        self.params.push(Param { name: named(param), ty: array(scalar, lengths), constant: false });
        name(param)
    }

    /// With one more clause.
    pub fn demand(&mut self, clause: Expr) {
        self.wheres.push(clause);
    }

    /// The checked program that computes this.
    pub fn program(self, body: Expr) -> Result<Program, OperatorError> {
        let Draft { operator, sizes, params, wheres } = self;
        // Within the function its name stands for itself, and some operators are named as what they are made of.
        let function = Function {
            name: named("operator"),
            sizes,
            params,
            result: None,
            wheres,
            body,
            public: true,
            strict: false,
            constant: false,
        };
        let unsound = |mistake: String| OperatorError::Unsound { operator, mistake };
        let mistake = |mistakes: Vec<lift_core::syntax::Diagnostic>| {
            unsound(mistakes.first().map_or_else(String::new, ToString::to_string))
        };
        let programs = lift_core::check(&[function]).map_err(mistake)?;
        let program = programs.first().map(|program| program.named(operator));
        program.ok_or_else(|| unsound("the checker gave no program".to_string()))
    }
}

/// Are there arrays with so many elements? Sums of such numbers are far from the largest ones.
pub fn is_length(n: u64) -> bool {
    n < 1 << 48
}

/// What the size of a dimension is called.
pub fn dimension(d: usize) -> String {
    format!("D{d}")
}
