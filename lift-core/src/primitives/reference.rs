//! Everything that can be called, for readers and editors: primitives, n-dimensional forms and
//! functions of scalars.

use super::nd::FORMS;
use super::vector::WIDTH;
use super::{Typing, all};
use crate::scalar::{Domain, Op};

/// Says of a function that it is applied to vectors.
pub(crate) const VECTORIZE: &str = "vectorize";

/// Its type: it works on functions, and so is no primitive.
pub(crate) const VECTORIZE_TYPE: &str = "vectorize : (v, <S; v> -> U) -> (<S; v> -> U)";

/// One entry of the reference.
pub struct Entry {
    /// What it is called by.
    pub name: &'static str,
    /// Its documentation, in Markdown.
    pub doc: String,
    /// Its types, in the notation of [`signature`](super::signature).
    pub types: Vec<String>,
    /// What must hold of the sizes in its types.
    pub requires: Vec<&'static str>,
    /// Operands and result, drawn.
    pub picture: &'static str,
    /// An expression, and its value as Rust writes it.
    pub example: Option<(&'static str, &'static str)>,
}

/// The names of all entries.
pub fn names() -> impl Iterator<Item = &'static str> {
    let primitives = all().map(|p| p.0.name).filter(|name| *name != WIDTH);
    primitives.chain([VECTORIZE]).chain(FORMS.iter().map(|f| f.name)).chain(functions().map(Op::name))
}

/// The whole reference, in the order of the tables.
pub fn entries() -> Vec<Entry> {
    let primitives = all().filter(|p| p.name != WIDTH).map(|p| Entry {
        name: p.0.name,
        doc: p.doc.to_string(),
        types: match p.typing {
            Typing::One(text) => vec![text.to_string()],
            Typing::Either(one, other) => vec![one.to_string(), other.to_string()],
            Typing::Many(text) => vec![text(2), text(3), "…".to_string()],
        },
        requires: p.requires.iter().map(|(condition, _)| *condition).collect(),
        picture: p.0.picture,
        example: Some(p.0.example),
    });
    let forms = FORMS.iter().map(|f| Entry {
        name: f.name,
        doc: f.doc.to_string(),
        types: vec![f.signature.to_string()],
        requires: vec![],
        picture: f.picture,
        example: Some(f.example),
    });
    primitives.chain([vectorize()]).chain(forms).chain(functions().map(function)).collect()
}

fn vectorize() -> Entry {
    Entry {
        name: VECTORIZE,
        doc: "The function `f`, applied to vectors of `v` scalars.".to_string(),
        types: vec![VECTORIZE_TYPE.to_string()],
        requires: vec![],
        picture: "vectorize(2, f)(<a b>)   f(<a b>)",
        example: Some((
            "asScalar(map(vectorize(2, |v| v + v), asVector(2, [1, 2, 3, 4])))",
            "array![2, 4, 6, 8]",
        )),
    }
}

fn functions() -> impl Iterator<Item = Op> {
    Op::ALL.iter().filter_map(|op| Op::function(op.name()))
}

fn function(op: Op) -> Entry {
    let of = match op.domain() {
        Domain::Float => "floats",
        _ => "numbers",
    };
    // What Rust calls differently.
    let rusts = match op {
        Op::Pow => "powf",
        Op::Fma => "mul_add",
        other => other.name(),
    };
    let operands = vec!["S"; op.arity()].join(", ");
    Entry {
        name: op.name(),
        doc: format!("Of {of}, or of vectors of them: Rust\u{2019}s [`f32::{rusts}`]."),
        types: vec![format!("{} : ({operands}) -> S", op.name())],
        requires: vec![],
        picture: "",
        example: None,
    }
}
