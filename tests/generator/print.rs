//! Syntax trees as the text that a user would write: what to paste into a bug report.

use lift_core::syntax::{Expr, ExprKind, Function, Let, Pattern, PatternKind, TypeExpr, TypeKind, Unary};

pub fn functions(all: &[Function]) -> String {
    all.iter().map(function).collect::<Vec<_>>().join("\n")
}

pub fn function(f: &Function) -> String {
    let sizes: Vec<&str> = f.sizes.iter().map(|s| s.name.text.as_str()).collect();
    let params: Vec<String> = f.params.iter().map(|p| format!("{}: {}", p.name.text, ty(&p.ty))).collect();
    let wheres: Vec<String> = f.wheres.iter().map(expr).collect();
    let wheres = if wheres.is_empty() { String::new() } else { format!("\nwhere {}\n", wheres.join(", ")) };
    let (sizes, params, body) = (sizes.join(", "), params.join(", "), expr(&f.body));
    let result = f.result.as_ref().map_or_else(String::new, |result| format!(" -> {}", ty(result)));
    format!("fn {}<{sizes}>({params}){result}{wheres} {{\n    {body}\n}}", f.name.text)
}

fn list<T>(items: &[T], f: impl Fn(&T) -> String) -> String {
    items.iter().map(f).collect::<Vec<_>>().join(", ")
}

fn ty(t: &TypeExpr) -> String {
    match &t.kind {
        TypeKind::Name(name) => name.clone(),
        TypeKind::Array(element, length) => format!("[{}; {}]", ty(element), expr(length)),
        TypeKind::Tuple(parts) => format!("({})", list(parts, ty)),
    }
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Int(n, suffix) => format!("{n}{}", suffix.map_or("", |s| s.name())),
        ExprKind::Float(x, suffix) => format!("{x:?}{}", suffix.map_or("", |s| s.name())),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Unary(op, inner) => {
            format!("{}{}", if *op == Unary::Neg { "-" } else { "!" }, inside(inner))
        }
        ExprKind::Binary(op, a, b) => format!("{} {} {}", inside(a), op.symbol(), inside(b)),
        ExprKind::Cast(inner, to) => format!("{} as {}", inside(inner), ty(to)),
        ExprKind::Call(callee, arguments) => format!("{}({})", expr(callee), list(arguments, expr)),
        ExprKind::Sized(name, given) => {
            let size = |size: &Option<Expr>| match size {
                Some(size) => format!("{{ {} }}", expr(size)),
                None => "_".into(),
            };
            format!("{name}::<{}>", list(&given.sizes, size))
        }
        ExprKind::Index(xs, i) => format!("{}[{}]", inside(xs), expr(i)),
        ExprKind::Field(tuple, k) => format!("{}.{k}", inside(tuple)),
        ExprKind::Tuple(parts) => format!("({})", list(parts, expr)),
        ExprKind::Array(elements) => format!("[{}]", list(elements, expr)),
        ExprKind::Lambda(params, body) => format!("|{}| {}", list(params, pattern), expr(body)),
        ExprKind::Block(lets, tail) => format!("{{ {} {} }}", list(lets, binding), expr(tail)),
        ExprKind::If(c, then, otherwise) => {
            format!("if {} {{ {} }} else {{ {} }}", expr(c), expr(then), expr(otherwise))
        }
    }
}

/// In parentheses where an operator stands beside it.
fn inside(e: &Expr) -> String {
    match e.kind {
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(..) | ExprKind::If(..) => {
            format!("({})", expr(e))
        }
        _ => expr(e),
    }
}

fn binding(one: &Let) -> String {
    format!("let {} = {};", pattern(&one.pattern), expr(&one.value))
}

fn pattern(p: &Pattern) -> String {
    let written = p.ty.as_ref().map_or(String::new(), |t| format!(": {}", ty(t)));
    let name = match &p.kind {
        PatternKind::Name(name) => name.clone(),
        PatternKind::Wild => "_".into(),
        PatternKind::Tuple(parts) => format!("({})", list(parts, pattern)),
    };
    name + &written
}
