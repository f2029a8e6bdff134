//! What messages call the operands of primitives: the user's own names, also for what stands only
//! in the expansion of an n-dimensional form.

use super::Checker;
use super::describe::{THIS, name};
use crate::expr::{Expr, Kind};
use crate::primitives::signature::{Argument, Pattern, Signature};
use crate::resolve::Reported;
use crate::syntax::{Diagnostic, Site};
use crate::types::Type;
use std::fmt;
use std::rc::Rc;

/// One operand of a primitive that is being checked.
pub struct Operand<'a> {
    /// The primitive, and what the user called it.
    pub site: Site,
    /// What the user called the primitive, or the form that it comes from.
    pub shown: &'a str,
    /// The operand itself.
    pub value: &'a Expr,
    /// What messages call the operand, or a part of it: `xs`, `each row of xs`.
    pub subject: Subject<'a>,
    /// Its type in the signature.
    whole: &'a Pattern,
    /// Its type here.
    ty: &'a Type,
}

/// What messages call an operand, or a part of it. It is put into words where there is a message.
#[derive(Clone)]
pub struct Subject<'a> {
    /// So deep inside of the operand.
    rows: usize,
    whole: Whole<'a>,
}

/// What an operand itself is called.
#[derive(Clone)]
enum Whole<'a> {
    /// By its own text if it is short, else by these words.
    Written(&'a Expr, &'static str),
    /// As the form that it is part of has it.
    OfForm(Rc<str>),
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (0..self.rows).try_for_each(|_| f.write_str("each row of "))?;
        match &self.whole {
            Whole::OfForm(text) => f.write_str(text),
            Whole::Written(value, words) => match name(value) {
                this if this == THIS => f.write_str(words),
                text => f.write_str(&text),
            },
        }
    }
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
        let subject = Subject { rows: self.subject.rows + 1, ..self.subject.clone() };
        Operand { subject, ..*self }
    }

    /// What the operand itself is called, where its subject is a part of it.
    pub fn top(&self) -> String {
        Subject { rows: 0, ..self.subject.clone() }.to_string()
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
            self.written.entry(site).or_default().push(subject.to_string());
        }
        Operand { site, shown, value, subject, whole, ty }
    }

    /// What an operand is called: its own text if it is short, else its place; inside the
    /// expansion of a form the form's operand.
    fn subject<'a>(&self, site: Site, value: &'a Expr, place: &Place) -> Subject<'a> {
        let whole = match value.site == site {
            true => Whole::OfForm(self.subject_of_form(site, value).into()),
            false => Whole::Written(value, place.words()),
        };
        Subject { rows: 0, whole }
    }

    fn subject_of_form(&self, site: Site, value: &Expr) -> String {
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
        let (at, this, ty) = (o.value.site, o.top(), o.ty);
        let this = if this.starts_with("the ") { THIS } else { &this };
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
