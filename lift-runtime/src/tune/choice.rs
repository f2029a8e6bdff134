//! One of the forms that a program can take, in words.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A form of a program: which schedule derives it, and what it leaves open: values, and perhaps where maps
/// run. Written `blocked ragged GM=8 TN=4`, or `mapped @20.10.0 TR=2`; the program as it is has no
/// schedule's name and is written `-`. A program in parts has a form for each, written `parts: blocked GM=8; -; rows L=32`; a part that
/// is computed where the next one reads it is `inline`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Choice {
    /// The schedule's name; `None` for the program as it is written.
    pub schedule: Option<String>,
    /// Of the schedule, in its order.
    pub options: Vec<String>,
    /// Where each map that the schedule leaves open runs, in the order of the program, by CC'22's codes
    /// (see [`lift_core::constraints`]).
    pub places: Vec<i64>,
    /// Values by name, in the order of the program's `<…>`, a schedule's parameters last. These have the schedule's own
    /// names; a `tune` parameter of the program's that is called as one of them is `program.T` here.
    pub point: Vec<(String, i64)>,
    /// Where the program is computed in several [parts](lift_core::parts), the form of each, and nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Choice>,
    /// Of a part: it is computed where its result is read, and nothing else is said of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inline: bool,
}

/// Before the forms of parts.
const PARTS: &str = "parts:";

/// In place of the form of a part.
const INLINE: &str = "inline";

impl Choice {
    /// The program in parts, each of its own form.
    pub fn of_parts(parts: Vec<Choice>) -> Choice {
        Choice { parts, ..Choice::default() }
    }

    /// Of a part that is computed where its result is read.
    pub fn inline() -> Choice {
        Choice { inline: true, ..Choice::default() }
    }

    /// Is it the program as it is written, in one part?
    pub fn is_plain(&self) -> bool {
        self.schedule.is_none() && self.parts.is_empty() && !self.inline
    }

    /// The value of a parameter, if the choice has it.
    pub fn value(&self, name: &str) -> Option<i64> {
        self.point.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    /// How many doublings its numbers are away from those of the same names in another, all together.
    pub fn doublings_from(&self, other: &Choice) -> f64 {
        let away = |(name, value): &(String, i64)| {
            let [own, other] = [*value, other.value(name)?].map(|value| (value.max(1) as f64).log2());
            Some((own - other).abs())
        };
        self.point.iter().filter_map(away).sum()
    }

    /// The schedule and its options: choices that agree in them differ in numbers and places only.
    pub fn form(&self) -> (Option<&str>, &[String]) {
        (self.schedule.as_deref(), &self.options)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if !self.parts.is_empty() {
            let parts: Vec<String> = self.parts.iter().map(Choice::to_string).collect();
            return write!(f, "{PARTS} {}", parts.join("; "));
        }
        if self.inline {
            return f.write_str(INLINE);
        }
        f.write_str(self.schedule.as_deref().unwrap_or("-"))?;
        self.options.iter().try_for_each(|option| write!(f, " {option}"))?;
        if !self.places.is_empty() {
            let codes: Vec<String> = self.places.iter().map(i64::to_string).collect();
            write!(f, " @{}", codes.join("."))?;
        }
        self.point.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

impl FromStr for Choice {
    type Err = String;
    fn from_str(text: &str) -> Result<Choice, String> {
        if let Some(parts) = text.trim_start().strip_prefix(PARTS) {
            return Ok(Choice::of_parts(parts.split(';').map(str::parse).collect::<Result<_, _>>()?));
        }
        if text.trim() == INLINE {
            return Ok(Choice::inline());
        }
        let mut words = text.split_whitespace();
        let schedule = words.next().ok_or("nothing is named")?;
        let mut choice =
            Choice { schedule: (schedule != "-").then(|| schedule.to_string()), ..Choice::default() };
        for word in words {
            let number = |text: &str| text.parse().map_err(|e| format!("`{word}`: {e}"));
            match (word.strip_prefix('@'), word.split_once('=')) {
                (Some(codes), _) => {
                    choice.places = codes.split('.').map(number).collect::<Result<_, _>>()?;
                }
                (None, None) => choice.options.push(word.to_string()),
                (None, Some((name, value))) => choice.point.push((name.to_string(), number(value)?)),
            }
        }
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn numbers_are_apart_by_doublings() {
        let [a, b]: [Choice; 2] = ["blocked GM=8 GN=16", "blocked ragged GN=4 GM=16 TM=9"]
            .map(|text| text.parse().expect("a choice"));
        assert_eq!((a.doublings_from(&b), b.doublings_from(&a), a.doublings_from(&a)), (3.0, 3.0, 0.0));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "-",
            "- TILE=4",
            "blocked ragged GM=8 GN=16",
            "combined packed padded D=32",
            "mapped inputs @21.20.0.10 Q=4",
            "parts: blocked ragged GM=8; -; mapped @20.10 TR=2",
            "parts: inline; blocked GM=8",
        ] {
            let choice: Choice = text.parse().expect("a choice");
            assert_eq!(choice.to_string(), text);
        }
        assert_eq!("".parse::<Choice>(), Err("nothing is named".into()));
        assert!("blocked GM=many".parse::<Choice>().is_err());
        assert!("mapped @20..0".parse::<Choice>().is_err());
        assert!("parts: -; ; -".parse::<Choice>().is_err());
    }
}
