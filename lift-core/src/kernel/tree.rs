//! A kernel's tree as text, before it is printed in any language.

use super::{Access, Array, Change, Expr, Kernel, Local, LocalId, Parallel, Space, Stmt};
use std::fmt;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "kernel {}", self.name)?;
        for (array, access) in &self.arrays {
            let access = match access {
                Access::Read => "reads",
                Access::Write => "writes",
                Access::ReadWrite => "reads and writes",
            };
            writeln!(f, "  {access} {}: [{}; {}]", array.name, array.scalar, array.length)?;
        }
        for (name, scalar) in &self.scalars {
            writeln!(f, "  is given {name}: {scalar}")?;
        }
        let [x, y, z] = &self.grid;
        match self.group {
            Some([a, b, c]) => writeln!(f, "  over ({x}, {y}, {z}) groups of ({a}, {b}, {c}) work-items")?,
            None => writeln!(f, "  over ({x}, {y}, {z}) work-items")?,
        }
        block(f, &self.body, 1)?;
        match &self.item {
            Some(item) => {
                writeln!(f, "one work-item of a group")?;
                block(f, item, 1)
            }
            None => Ok(()),
        }
    }
}

/// Statements, indented by their depth.
fn block(f: &mut fmt::Formatter, body: &[Stmt], depth: usize) -> fmt::Result {
    body.iter().try_for_each(|stmt| statement(f, stmt, depth))
}

fn statement(f: &mut fmt::Formatter, stmt: &Stmt, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)?;
    match stmt {
        Stmt::Comment(text) => writeln!(f, "// {text}"),
        Stmt::Declare { local, value, change } => {
            let keyword = match change {
                Change::Never => "let",
                Change::Freely => "let mut",
                Change::Reduction => "let running",
            };
            let ty = width(local);
            writeln!(f, "{keyword} {local}: {ty} = {value}")
        }
        Stmt::Assign(local, value) => writeln!(f, "{local} = {value}"),
        Stmt::Array(array, values) => {
            let space = match array.space {
                Space::Global => "global",
                Space::Local => "local",
                Space::Private => "private",
                Space::Items => "distributed",
                Space::Constant => "constant",
            };
            let vector = if array.width == 1 { String::new() } else { format!("x{}", array.width) };
            write!(f, "{space} {array}: [{}{vector}; {}]", array.scalar, array.length)?;
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            if values.is_empty() { writeln!(f) } else { writeln!(f, " = {}", values.join(", ")) }
        }
        Stmt::Store(array, index, value) => writeln!(f, "{array}[{index}] = {value}"),
        Stmt::Soon(array, index) => writeln!(f, "soon {array}[{index}]"),
        Stmt::Barrier(reason) => writeln!(f, "barrier: {reason}"),
        Stmt::Loop { var, extent, parallel, body } => {
            writeln!(f, "for {var} in 0..{extent}{parallel}")?;
            block(f, body, depth + 1)
        }
        Stmt::If(condition, then, otherwise) => {
            writeln!(f, "if {condition}")?;
            block(f, then, depth + 1)?;
            if otherwise.is_empty() {
                return Ok(());
            }
            writeln!(f, "{:1$}else", "", 2 * depth)?;
            block(f, otherwise, depth + 1)
        }
    }
}

/// The type of a variable: `f32`, or `f32x4` for a vector.
fn width(local: &Local) -> String {
    if local.width == 1 { local.scalar.to_string() } else { format!("{}x{}", local.scalar, local.width) }
}

impl fmt::Display for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Parallel::Sequential => Ok(()),
            Parallel::Global(d) => write!(f, " over work-items {d}"),
            Parallel::Group(d) => write!(f, " over groups {d}"),
            Parallel::Local(d) => write!(f, " over work-items {d} of a group"),
        }
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.id {
            LocalId::Own(number) => write!(f, "{}_{number}", self.name),
            // Its name ends in the element's number.
            LocalId::Element(..) => f.write_str(&self.name),
        }
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let list = |all: &[Expr]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Expr::Literal(value) => write!(f, "{value}"),
            Expr::Local(local) => write!(f, "{local}"),
            Expr::Parameter { name, .. } => f.write_str(name),
            Expr::Index(n, scalar) => write!(f, "({n} as {scalar})"),
            Expr::Test(condition) => write!(f, "({condition})"),
            Expr::Load(array, index, 1) => write!(f, "{array}[{index}]"),
            Expr::Load(array, index, width) => write!(f, "{array}[{index}; {width}]"),
            Expr::Op(op, _, operands) => match (&operands[..], op.name()) {
                ([a, b], name) if !name.starts_with(char::is_alphabetic) => write!(f, "({a} {name} {b})"),
                ([a], name) if !name.starts_with(char::is_alphabetic) => write!(f, "{name}{a}"),
                (all, name) => write!(f, "{name}({})", list(all)),
            },
            Expr::Cast(_, to, inner) => write!(f, "({inner} as {to})"),
            Expr::Splat(inner, width) => write!(f, "[{inner}; {width}]"),
            Expr::Lanes(parts) => write!(f, "[{}]", list(parts)),
            Expr::Lane(inner, k) => write!(f, "{inner}.{k}"),
            Expr::Select(condition, a, b) => write!(f, "(if {condition} {{ {a} }} else {{ {b} }})"),
        }
    }
}
