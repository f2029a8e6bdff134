//! Programs as text, in the language's own syntax.

use super::{Argument, Expr, Function, Kind, Lambda, Literal, Param, Pattern, Size, Tune};
use crate::nat::{Maker, Nat, Var};
use crate::scalar::{Op, Value};
use std::fmt::{self, Display, Formatter, Write};

/// Longer expressions are broken over lines.
const WIDTH: usize = 90;

impl Function {
    /// The same function with names apart: a schedule's parameter whose name a size or a parameter of the program has is
    /// called `W_`, say. Only for text, where the name is all that there is.
    pub fn told_apart(&self) -> Function {
        let taken = |name: &str, taken: &[Var]| {
            let sizes = self.sizes.iter().map(|s| &s.var).filter(|v| v.maker != Maker::Schedule).chain(taken);
            sizes.map(|v| &*v.name).chain(self.params.iter().map(|p| &*p.local.name)).any(|own| own == name)
        };
        let mut given: Vec<Var> = vec![];
        let mut renamed: Vec<(Var, Var)> = vec![];
        for own in self.sizes.iter().map(|s| &s.var).filter(|v| v.maker == Maker::Schedule) {
            let mut name = own.name.to_string();
            while taken(&name, &given) {
                name.push('_');
            }
            let new = Var::parameter(&name);
            given.push(new.clone());
            renamed.extend((new != *own).then(|| (own.clone(), new)));
        }
        if renamed.is_empty() {
            return self.clone();
        }
        let of = |v: &Var| renamed.iter().find(|(own, _)| own == v).map(|(_, new)| new);
        let lookup = |v: &Var| of(v).map(Nat::var);
        let size = |s: &Size| Size {
            var: of(&s.var).unwrap_or(&s.var).clone(),
            tune: s.tune.as_ref().map(|t| t.substitute(&lookup)),
            site: s.site,
        };
        let param = |p: &Param| Param { ty: p.ty.substitute(&lookup), ..p.clone() };
        Function {
            sizes: self.sizes.iter().map(size).collect(),
            params: self.params.iter().map(param).collect(),
            result: self.result.substitute(&lookup),
            wheres: self.wheres.iter().map(|(c, site)| (c.substitute(&lookup), *site)).collect(),
            body: self.body.instantiate(&lookup, &mut self.fresh()),
            ..self.clone()
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Function { name, sizes, params, result, wheres, body, .. } = self.told_apart();
        write!(f, "fn {name}")?;
        if !sizes.is_empty() {
            let sizes: Vec<String> = sizes.iter().map(size).collect();
            write!(f, "<{}>", sizes.join(", "))?;
        }
        f.write_str("(\n")?;
        for param in &params {
            let constant = if param.constant { "const " } else { "" };
            writeln!(f, "    {constant}{}: {},", param.local.name, param.ty)?;
        }
        write!(f, ") -> {result}")?;
        if !wheres.is_empty() {
            f.write_str("\nwhere\n")?;
            wheres.iter().try_for_each(|(condition, _)| writeln!(f, "    {condition},"))?;
        } else {
            f.write_char(' ')?;
        }
        writeln!(f, "{{\n    {}\n}}", layout(&body, 1))
    }
}

fn size(s: &Size) -> String {
    match &s.tune {
        None => s.var.to_string(),
        Some(Tune::Span(low, high)) => format!("tune {}: {low}..={high}", s.var),
        Some(Tune::List(values)) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("tune {}: [{}]", s.var, values.join(", "))
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&flat(self))
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Pattern::Local(l) => write!(f, "{}", l.name),
            Pattern::Wild => f.write_str("_"),
            Pattern::Tuple(parts) => write!(f, "({})", list(parts)),
            Pattern::Typed(inner, ty) => write!(f, "{inner}: {ty}"),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Literal::Int(n) => write!(f, "{n}"),
            Literal::Float(x) => write!(f, "{x:?}"),
            Literal::Exact(Value::Bool(b)) => write!(f, "{b}"),
            Literal::Exact(v) => match v.to_f64() {
                x if x.is_nan() => write!(f, "{}::NAN", v.scalar()),
                f64::INFINITY => write!(f, "{}::INFINITY", v.scalar()),
                f64::NEG_INFINITY => write!(f, "{}::NEG_INFINITY", v.scalar()),
                // The types that a literal has by default need not be written.
                _ if matches!(v, Value::I32(_) | Value::F32(_)) => write!(f, "{v}"),
                _ => write!(f, "{v}{}", v.scalar()),
            },
        }
    }
}

fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// On one line.
fn flat(e: &Expr) -> String {
    match &*e.kind {
        Kind::Local(l) => l.name.to_string(),
        Kind::Literal(literal) => literal.to_string(),
        Kind::Array(es) => format!("[{}]", list(es)),
        Kind::Size(n) => n.to_string(),
        Kind::Test(c) => c.to_string(),
        Kind::Let(pattern, value, body) => format!("{{ let {pattern} = {value}; {body} }}"),
        Kind::Tuple(es) => format!("({})", list(es)),
        Kind::Field(inner, k) => format!("{}.{k}", operand(inner)),
        Kind::Op(op, es) if op.is_infix() => {
            let (left, right) = (binds(&es[0], strength(*op)), binds(&es[1], strength(*op) + 1));
            format!("{left} {} {right}", op.name())
        }
        Kind::Op(op, es) if !op.name().starts_with(char::is_alphabetic) => {
            format!("{}{}", op.name(), operand(&es[0]))
        }
        Kind::Op(op, es) => format!("{}({})", op.name(), list(es)),
        Kind::Cast(inner, to) => format!("{} as {to}", operand(inner)),
        Kind::If(condition, then, otherwise) => format!("if {condition} {{ {then} }} else {{ {otherwise} }}"),
        Kind::Apply(primitive, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| argument(a, &flat)).collect();
            format!("{}({})", primitive.name, arguments.join(", "))
        }
        Kind::Call(name, sizes, es) if sizes.is_empty() => format!("{name}({})", list(es)),
        Kind::Call(name, sizes, es) => {
            let sizes: Vec<String> =
                sizes.iter().map(|n| n.as_ref().map_or("_".into(), ToString::to_string)).collect();
            format!("{name}::<{}>({})", sizes.join(", "), list(es))
        }
        Kind::Typed(inner, _) => flat(inner),
    }
}

/// How strongly an infix operator binds, as in Rust; comparisons, which can't be chained, bind as 2.
fn strength(op: Op) -> u8 {
    match op {
        Op::Mul | Op::Div | Op::Rem => 8,
        Op::Add | Op::Sub => 7,
        Op::Shl | Op::Shr => 6,
        Op::BitAnd => 5,
        Op::BitXor => 4,
        Op::BitOr => 3,
        Op::And => 1,
        Op::Or => 0,
        _ => 2,
    }
}

/// An operand of an operator, in parentheses if it binds less.
fn binds(e: &Expr, outer: u8) -> String {
    match &*e.kind {
        Kind::Op(op, _) if op.is_infix() && strength(*op) >= outer && strength(*op) != 2 => flat(e),
        Kind::Cast(..) if outer != 2 => flat(e),
        _ => operand(e),
    }
}

fn operand(e: &Expr) -> String {
    match &*e.kind {
        Kind::Op(op, _) if op.is_infix() => format!("({})", flat(e)),
        Kind::Cast(..) | Kind::If(..) | Kind::Size(_) | Kind::Test(_) => format!("({})", flat(e)),
        _ => flat(e),
    }
}

fn argument(a: &Argument, expr: &dyn Fn(&Expr) -> String) -> String {
    match a {
        Argument::Size(n) => n.to_string(),
        Argument::Value(e) => expr(e),
        Argument::Function(Lambda { params, body, .. }) => format!("|{}| {}", list(params), expr(body)),
        Argument::Index(var, n) => format!("|{var}| {n}"),
        Argument::Generator(var, e) => format!("|{var}| {}", expr(e)),
    }
}

/// Over several lines where one is too short, at this depth of indentation.
fn layout(e: &Expr, depth: usize) -> String {
    let line = flat(e);
    if line.len() + 4 * depth <= WIDTH && !matches!(&*e.kind, Kind::Let(..)) {
        return line;
    }
    let (outer, inner) = ("    ".repeat(depth), "    ".repeat(depth + 1));
    match &*e.kind {
        Kind::Let(pattern, value, body) => {
            format!("let {pattern} = {};\n{outer}{}", layout(value, depth), layout(body, depth))
        }
        Kind::Apply(primitive, arguments) => {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|a| format!("{inner}{},\n", argument(a, &|e| nested(e, depth + 1))))
                .collect();
            format!("{}(\n{}{outer})", primitive.name, arguments.concat())
        }
        Kind::Tuple(es) => {
            let parts: Vec<String> =
                es.iter().map(|e| format!("{inner}{},\n", nested(e, depth + 1))).collect();
            format!("(\n{}{outer})", parts.concat())
        }
        _ => line,
    }
}

/// A `let` inside another expression stands in braces.
fn nested(e: &Expr, depth: usize) -> String {
    if !matches!(&*e.kind, Kind::Let(..)) {
        return layout(e, depth);
    }
    let (outer, inner) = ("    ".repeat(depth), "    ".repeat(depth + 1));
    format!("{{\n{inner}{}\n{outer}}}", layout(e, depth + 1))
}
