//! The notation of the primitives' types, close to the papers':
//! `slide : (size, step, [T; n]) -> [[T; size]; (n - size + step) / step]`.
//!
//! An argument is a size (a lower-case name), a value (a type; capital letters stand for any
//! type, and `bool`, `i32` and so on for themselves), `fill T` (a value of type T, or a scalar for every scalar in it), a function `T -> U`,
//! or a function of an index below `n`: `index(n) -> index(m)`, `index(n) -> T`. `S` stands for
//! scalar types only and `R` for those of numbers, and `<S; v>` is a vector of `v` of them.

use crate::nat::{Condition, Nat};
use crate::types::Scalar;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The type of a primitive, parsed.
#[derive(Clone, Debug)]
pub struct Signature {
    /// What it is applied to, in order.
    pub arguments: Vec<Argument>,
    /// The type of its result, in the variables of the arguments.
    pub result: Pattern,
    /// Conditions on size variables, and the message if they do not hold.
    pub requires: Vec<(Condition, &'static str)>,
}

/// What a primitive expects for one argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A size, which binds this variable.
    Size(Arc<str>),
    /// A value of this type.
    Value(Pattern),
    /// A value of this type, or a scalar for every scalar in it.
    Fill(Pattern),
    /// A function, with the types of its parameters and of its result.
    Function(Vec<Pattern>, Pattern),
    /// From an index below the first length to an index below the second.
    Index(Nat, Nat),
    /// A function from an index below the length to a value of this type.
    Generator(Nat, Pattern),
}

/// A type with variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Any type that fits the letter: see the module's notation.
    Variable(Arc<str>),
    /// This scalar type.
    Scalar(Scalar),
    /// Element and length.
    Array(Box<Pattern>, Nat),
    /// Element and width.
    Vector(Box<Pattern>, Nat),
    /// The components.
    Tuple(Vec<Pattern>),
}

impl Signature {
    /// Parses an entry of the table. The table is ours and tested: a mistake in it shows as a
    /// signature that fits nothing, in every test.
    pub fn parse(text: &str, requires: &[(&'static str, &'static str)]) -> Signature {
        let mut p = Parser::new(text);
        p.skip_to("(");
        let mut arguments = vec![];
        while !p.accept(")") && !p.at_end() {
            arguments.push(p.argument());
            p.accept(",");
        }
        p.accept("->");
        let result = p.pattern();
        let requires = requires
            .iter()
            .map(|(condition, message)| (Parser::new(condition).condition(), *message))
            .collect();
        Signature { arguments, result, requires }
    }

    /// The size variables that lengths of value arguments bind.
    pub fn lengths(&self) -> BTreeSet<Arc<str>> {
        let mut found = BTreeSet::new();
        for argument in &self.arguments {
            if let Argument::Value(pattern) = argument {
                pattern.lengths(&mut found);
            }
        }
        found
    }
}

impl Pattern {
    /// Does this variable stand for scalar types only?
    pub fn is_scalar(variable: &str) -> bool {
        variable.starts_with('S') || Pattern::is_number(variable)
    }

    /// Does this variable stand for the types of numbers only?
    pub(crate) fn is_number(variable: &str) -> bool {
        variable.starts_with('R')
    }

    /// Adds the variables of all lengths and widths in it.
    fn lengths(&self, found: &mut BTreeSet<Arc<str>>) {
        match self {
            Pattern::Variable(_) | Pattern::Scalar(_) => {}
            Pattern::Array(element, length) | Pattern::Vector(element, length) => {
                found.extend(length.vars().into_iter().map(|v| v.name));
                element.lengths(found);
            }
            Pattern::Tuple(parts) => parts.iter().for_each(|p| p.lengths(found)),
        }
    }
}

/// A parser of the notation, by recursive descent.
struct Parser {
    /// Names, numbers, and operators of one or two characters.
    tokens: Vec<String>,
    at: usize,
}

impl Parser {
    fn new(text: &str) -> Parser {
        let mut tokens: Vec<String> = vec![];
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let mut token = c.to_string();
            if c.is_whitespace() {
                continue;
            }
            if c.is_alphanumeric() {
                while let Some(next) = chars.next_if(|n| n.is_alphanumeric()) {
                    token.push(next);
                }
            } else if let Some(next) =
                chars.next_if(|n| matches!((c, n), ('-', '>') | ('<' | '>' | '=' | '!', '=') | ('|', '|')))
            {
                token.push(next);
            }
            tokens.push(token);
        }
        Parser { tokens, at: 0 }
    }

    /// The next token; empty at the end.
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes the next token.
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    /// Takes the next token if it is this one.
    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += found as usize;
        found
    }

    fn skip_to(&mut self, token: &str) {
        while !self.at_end() && !self.accept(token) {
            self.at += 1;
        }
    }

    fn argument(&mut self) -> Argument {
        if self.accept("index") {
            let domain = self.parenthesised();
            self.accept("->");
            if self.accept("index") {
                return Argument::Index(domain, self.parenthesised());
            }
            return Argument::Generator(domain, self.pattern());
        }
        if self.accept("fill") {
            return Argument::Fill(self.pattern());
        }
        if self.peek().starts_with(char::is_lowercase) && Scalar::from_name(self.peek()).is_none() {
            return Argument::Size(self.next().into());
        }
        let first = self.pattern();
        if !self.accept("->") {
            return Argument::Value(first);
        }
        let parameters = match first {
            Pattern::Tuple(parts) => parts,
            one => vec![one],
        };
        Argument::Function(parameters, self.pattern())
    }

    fn parenthesised(&mut self) -> Nat {
        self.accept("(");
        let inside = self.sum();
        self.accept(")");
        inside
    }

    fn pattern(&mut self) -> Pattern {
        if self.accept("[") {
            let element = self.pattern();
            self.accept(";");
            let length = self.sum();
            self.accept("]");
            return Pattern::Array(Box::new(element), length);
        }
        if self.accept("<") {
            let element = self.pattern();
            self.accept(";");
            let width = self.sum();
            self.accept(">");
            return Pattern::Vector(Box::new(element), width);
        }
        if self.accept("(") {
            let mut parts = vec![];
            while !self.accept(")") && !self.at_end() {
                parts.push(self.pattern());
                self.accept(",");
            }
            return Pattern::Tuple(parts);
        }
        let name = self.next();
        match Scalar::from_name(&name) {
            Some(scalar) => Pattern::Scalar(scalar),
            None => Pattern::Variable(name.into()),
        }
    }

    fn condition(&mut self) -> Condition {
        let first = self.comparison();
        if self.accept("||") { first.or(self.condition()) } else { first }
    }

    fn comparison(&mut self) -> Condition {
        let left = self.sum();
        let relation = self.next();
        let right = self.sum();
        match relation.as_str() {
            "==" => Condition::eq(&left, &right),
            "!=" => Condition::ne(&left, &right),
            "<" => Condition::lt(&left, &right),
            "<=" => Condition::le(&left, &right),
            ">" => Condition::gt(&left, &right),
            _ => Condition::ge(&left, &right),
        }
    }

    fn sum(&mut self) -> Nat {
        let mut value = self.product();
        loop {
            if self.accept("+") {
                value = value + self.product();
            } else if self.accept("-") {
                value = value - self.product();
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> Nat {
        let mut value = self.factor();
        loop {
            if self.accept("*") {
                value = value * self.factor();
            } else if self.accept("/") {
                value = value.div(&self.factor());
            } else if self.accept("%") {
                value = value.rem(&self.factor());
            } else {
                return value;
            }
        }
    }

    fn factor(&mut self) -> Nat {
        if self.accept("(") {
            let inside = self.sum();
            self.accept(")");
            return inside;
        }
        if self.accept("-") {
            return -self.factor();
        }
        let token = self.next();
        match token.parse::<i64>() {
            Ok(number) => Nat::constant(number),
            Err(_) => Nat::size(&token),
        }
    }
}
