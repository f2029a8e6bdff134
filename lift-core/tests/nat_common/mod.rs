//! A reader of expressions and conditions, so that the tests can state facts as a person would.

use lift_core::nat::{Condition, Facts, Nat, Var};

/// Names in lower case are index variables, numbered by their name; others are sizes.
pub fn var(name: &str) -> Var {
    match name.chars().all(|c| !c.is_ascii_uppercase()) {
        true => Var::index(name, name.bytes().fold(1, |n, b| n * 37 % 65_521 + u32::from(b))),
        false => Var::size(name),
    }
}

pub fn nat(text: &str) -> Nat {
    let mut reader = Reader::new(text);
    let n = reader.sum();
    assert!(reader.tokens.is_empty(), "{text}: {:?} is left", reader.tokens);
    n
}

pub fn condition(text: &str) -> Condition {
    let mut reader = Reader::new(text);
    let c = reader.or();
    assert!(reader.tokens.is_empty(), "{text}: {:?} is left", reader.tokens);
    c
}

/// `0 <= i < N`, `N = 4` and conditions, separated by `;`. Sizes are at least 1, in what is `asked`
/// too.
pub fn facts(text: &str, asked: &[&str]) -> Facts {
    let mut facts = Facts::new();
    for name in asked.iter().flat_map(|a| Reader::new(a).tokens).chain(Reader::new(text).tokens) {
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            facts.size(&var(&name));
        }
    }
    for fact in text.split(';').map(str::trim).filter(|f| !f.is_empty()) {
        let parts: Vec<&str> = fact.split('<').collect();
        match (&parts[..], fact.split_once(" = ")) {
            ([low, middle, end], _) if middle.starts_with('=') => {
                facts.range(&var(middle[1..].trim()), &nat(low), &nat(end));
            }
            (_, Some((name, value))) => facts.fix(&var(name.trim()), value.trim().parse().unwrap()),
            _ => facts.assume(&condition(fact)),
        }
    }
    facts
}

struct Reader {
    /// The next one last.
    tokens: Vec<String>,
}

impl Reader {
    fn new(text: &str) -> Reader {
        let chars: Vec<char> = text.chars().collect();
        let (mut tokens, mut at) = (vec![], 0);
        while at < chars.len() {
            let start = at;
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if chars[at].is_whitespace() {
                at += 1;
                continue;
            } else if word(chars[at]) {
                while at < chars.len() && word(chars[at]) {
                    at += 1;
                }
            } else {
                let pair: String = chars[at..].iter().take(2).collect();
                at += if ["==", "!=", "<=", ">=", "&&", "||"].contains(&&pair[..]) { 2 } else { 1 };
            }
            tokens.push(chars[start..at].iter().collect());
        }
        tokens.reverse();
        Reader { tokens }
    }

    fn peek(&self) -> &str {
        self.tokens.last().map_or("", |t| t)
    }

    fn next(&mut self) -> String {
        self.tokens.pop().unwrap_or_default()
    }

    fn or(&mut self) -> Condition {
        let mut left = self.and();
        while self.peek() == "||" {
            self.next();
            left = left.or(self.and());
        }
        left
    }

    fn and(&mut self) -> Condition {
        let mut left = self.relation();
        while self.peek() == "&&" {
            self.next();
            left = left.and(self.relation());
        }
        left
    }

    fn relation(&mut self) -> Condition {
        let a = self.sum();
        let relation = self.next();
        let b = self.sum();
        match &relation[..] {
            "==" => Condition::eq(a, b),
            "!=" => Condition::ne(a, b),
            "<" => Condition::lt(a, b),
            "<=" => Condition::le(a, b),
            ">" => Condition::gt(a, b),
            ">=" => Condition::ge(a, b),
            other => panic!("{other} is no relation"),
        }
    }

    fn sum(&mut self) -> Nat {
        let mut left = self.product();
        loop {
            match self.peek() {
                "+" => {
                    self.next();
                    left = left + self.product();
                }
                "-" => {
                    self.next();
                    left = left - self.product();
                }
                _ => return left,
            }
        }
    }

    fn product(&mut self) -> Nat {
        let mut left = self.unary();
        loop {
            match self.peek() {
                "*" => {
                    self.next();
                    left = left * self.unary();
                }
                "/" => {
                    self.next();
                    left = left.div(&self.unary());
                }
                "%" => {
                    self.next();
                    left = left.rem(&self.unary());
                }
                _ => return left,
            }
        }
    }

    fn unary(&mut self) -> Nat {
        let token = self.next();
        match &token[..] {
            "-" => -self.unary(),
            "(" => {
                let inner = self.sum();
                assert_eq!(self.next(), ")");
                inner
            }
            "min" | "max" => {
                assert_eq!(self.next(), "(");
                let a = self.sum();
                assert_eq!(self.next(), ",");
                let b = self.sum();
                assert_eq!(self.next(), ")");
                let (a, b) = (&a, &b);
                if token == "min" { a.min(b) } else { a.max(b) }
            }
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                Nat::constant(number.parse().unwrap())
            }
            name => {
                assert!(!name.is_empty(), "an expression is missing");
                Nat::var(&var(name))
            }
        }
    }
}
