//! What messages call the operands of primitives: the user's own names, also for what stands only
//! in the expansion of an n-dimensional form.

use super::Checker;
use super::describe::{THIS, name};
use crate::expr::{Expr, Kind};
use crate::primitives::signature::{Argument, Pattern, Signature};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;

/// One operand of a primitive that is being checked.
pub struct Operand<'a> {
    /// The primitive, and what the user called it.
    pub site: Site,
    /// What the user called the primitive, or the form that it comes from.
    pub shown: &'a str,
    /// The operand itself.
    pub value: &'a Expr,
    /// What messages call the operand, or a part of it: `xs`, `each row of xs`.
    pub subject: String,
    /// What the operand itself is called, where `subject` is a part of it.
    pub top: String,
    /// Its type in the signature.
    whole: &'a Pattern,
    /// Its type here.
    ty: &'a Type,
}

/// Which of the operands comes next, and of how many.
pub struct Place {
    next: usize,
    count: usize,
}

impl Place {
    /// Before the first operand.
    pub fn first(signature: &Signature) -> Place {
        let count = signature.arguments.iter().filter(|a| matches!(a, Argument::Value(_))).count();
        Place { next: 0, count }
    }

    /// On to the next operand.
    pub fn next(&mut self) {
        self.next += 1;
    }

    /// For operands that are too long to be quoted.
    fn words(&self) -> &'static str {
        match (self.count, self.next) {
            (1, _) => "the array",
            (_, 0) => "the first",
            (_, 1) => "the second",
            (_, 2) => "the third",
            _ => THIS,
        }
    }
}

impl<'a> Operand<'a> {
    /// What its elements are called.
    pub fn inside(&self) -> Operand<'a> {
        let subject = format!("each row of {}", self.subject);
        Operand { subject, top: self.top.clone(), ..*self }
    }
}

impl Checker<'_> {
    /// Makes an operand ready to be matched, and remembers what it is called if it is one of a form.
    pub fn operand<'a>(
        &mut self,
        site: Site,
        shown: &'a str,
        value: &'a Expr,
        whole: &'a Pattern,
        ty: &'a Type,
        place: &Place,
    ) -> Operand<'a> {
        let subject = self.subject(site, value, place);
        if value.site != site && self.marks.forms.contains_key(&site) {
            self.written.entry(site).or_default().push(subject.clone());
        }
        Operand { site, shown, value, top: subject.clone(), subject, whole, ty }
    }

    /// What an operand is called: its own text if it is short, else its place; inside the
    /// expansion of a form the form's operand.
    fn subject(&self, site: Site, value: &Expr, place: &Place) -> String {
        if value.site != site {
            return Some(name(value)).filter(|n| n != THIS).unwrap_or(place.words().into());
        }
        match (self.written(site, value), self.marks.forms.get(&site)) {
            (Some(written), Some(form)) if form.name.ends_with("3D") => {
                format!("a dimension of {written}")
            }
            (Some(written), _) if matches!(&*value.kind, Kind::Apply(..)) => written.to_string(),
            (Some(written), _) => format!("each row of {written}"),
            // `map(transpose, xs)`
            (None, _) => "its argument".into(),
        }
    }

    /// The operand of a form that a part of its expansion is made from.
    fn written(&self, site: Site, value: &Expr) -> Option<&str> {
        let k = match &*value.kind {
            Kind::Field(_, k) => *k,
            _ => 0,
        };
        let written = self.written.get(&site)?;
        written.get(k).or(written.first()).map(String::as_str)
    }

    /// Has an operand of an n-dimensional form the dimensions that the form needs? What it expands to
    /// would find out, but not speak of the form.
    pub fn dimensions(&mut self, o: &Operand) -> Result<(), Reported> {
        match self.marks.forms.get(&o.site) {
            Some(form) if o.value.site != o.site && self.resolved(o.ty).shape().0.len() < form.rank() => {
                self.wrong_shape(o)
            }
            _ => Ok(()),
        }
    }

    /// An operand has too few dimensions, or holds something else.
    pub fn wrong_shape<T>(&mut self, o: &Operand) -> Result<T, Reported> {
        let wanted = match self.marks.forms.get(&o.site) {
            Some(form) => dimensions(form.rank()).to_string(),
            None => shape(o.whole),
        };
        let (at, this, ty) = (o.value.site, o.top.as_str(), o.ty);
        let this = if this.starts_with("the ") { THIS } else { this };
        let found = self.show(ty);
        let message = format!("`{}` needs {wanted}, but {this} is {found}", o.shown);
        let mut diagnostic = Diagnostic::new(at, message);
        if let (Pattern::Vector(..), Some(_)) = (innermost(o.whole), self.resolved(ty).shape().1.as_scalar())
        {
            diagnostic = diagnostic.help("make vectors of neighbouring scalars with `asVector`");
        }
        self.report(diagnostic)
    }
}

fn dimensions(rank: usize) -> &'static str {
    match rank {
        1 => "an array",
        2 => "an array of arrays",
        3 => "a 3-dimensional array",
        _ => "a 4-dimensional array",
    }
}

/// The shape of a type with variables, in words.
fn shape(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Array(element, _) => match &**element {
            Pattern::Array(..) => "an array of arrays".into(),
            Pattern::Tuple(_) => "an array of tuples".into(),
            Pattern::Vector(..) => "an array of vectors".into(),
            Pattern::Variable(_) | Pattern::Scalar(_) => "an array".into(),
        },
        Pattern::Vector(..) => "a vector".into(),
        Pattern::Tuple(_) => "a tuple".into(),
        Pattern::Variable(_) => "a value".into(),
        Pattern::Scalar(scalar) => scalar.name().into(),
    }
}

fn innermost(pattern: &Pattern) -> &Pattern {
    match pattern {
        Pattern::Array(element, _) => innermost(element),
        other => other,
    }
}
