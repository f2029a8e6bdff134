//! What is run of a layer: the program by itself, or the form of it that a schedule derives.

use crate::layers::{KERNEL, Layer, conv_layer};
use lift::schedules::{Candidate, Schedule};
use lift::{Compiled, Device, Error, Program};
use std::sync::Arc;

/// The program, derived or not, and the values of the schedule's parameters.
pub struct Form {
    candidate: Option<Candidate>,
    point: Vec<(String, usize)>,
}

impl Form {
    /// By a schedule's name, with some of its options, at a point: `D=32`, …
    pub fn new(
        schedule: Option<&str>,
        options: &[String],
        point: &[(String, usize)],
    ) -> Result<Form, String> {
        let Some(name) = schedule else {
            return match (options, point) {
                ([], []) => Ok(Form { candidate: None, point: vec![] }),
                _ => Err("`--option` and `--point` are a schedule's: which one?".into()),
            };
        };
        let schedule = Schedule::named(name).ok_or_else(|| format!("there is no schedule `{name}`"))?;
        let known = |name: &String| schedule.options.iter().any(|(option, _)| option == name);
        if let Some(unknown) = options.iter().find(|name| !known(name)) {
            let all: Vec<&str> = schedule.options.iter().map(|(name, _)| *name).collect();
            return Err(format!("`{name}` has no option `{unknown}`, but these: {}", all.join(", ")));
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let candidate = schedule.derive(conv_layer::program(), &options).map_err(|e| e.to_string())?;
        let open =
            |name: &str| candidate.program.sizes().iter().any(|s| s.tune.is_some() && &*s.var.name == name);
        if let Some((unknown, _)) = point.iter().find(|(name, _)| !open(name)) {
            let tuned = candidate.program.sizes().iter().filter(|s| s.tune.is_some());
            let all: Vec<String> = tuned.map(|s| s.var.to_string()).collect();
            return Err(format!("`{name}` has no parameter `{unknown}`, but these: {}", all.join(", ")));
        }
        Ok(Form { candidate: Some(candidate), point: point.to_vec() })
    }

    /// Schedule, options and point; `default` for the program itself.
    pub fn name(&self) -> String {
        let Some(candidate) = &self.candidate else { return "default".into() };
        let values = self.point.iter().map(|(name, value)| format!("{name}={value}"));
        let options = candidate.options.iter().map(|option| option.to_string());
        let words: Vec<String> =
            [candidate.schedule.to_string()].into_iter().chain(options).chain(values).collect();
        words.join(" ")
    }

    pub fn program(&self) -> &Program {
        self.candidate.as_ref().map_or(conv_layer::program(), |c| &c.program)
    }

    /// Every step from the user's program to this form, with what it led to.
    pub fn derivation(&self) -> String {
        let Some(candidate) = &self.candidate else { return self.program().function.to_string() };
        let step = |(step, function): (Option<_>, lift::Function)| match step {
            None => format!("{function}"),
            Some(step) => format!("// {step}\n{}", function.body),
        };
        candidate.derivation().into_iter().map(step).collect::<Vec<_>>().join("\n\n")
    }

    /// Builds it for a layer. What the point says nothing of is the first that fits.
    pub fn compile(&self, device: &Device, layer: &Layer) -> Result<Arc<Compiled>, Error> {
        let sizes = [layer.outputs, KERNEL, KERNEL, layer.inputs, layer.side, layer.side];
        let program = self.program();
        if self.candidate.is_none() {
            return lift::compile(program, device, &sizes);
        }
        let given = |name: &str| self.point.iter().find(|(n, _)| n == name).map(|(_, value)| *value as i64);
        let known = program.sizes().iter().enumerate().filter_map(|(i, size)| {
            let value = sizes.get(i).map(|n| *n as i64).or_else(|| given(&size.var.name));
            value.map(|value| (size.var.clone(), value))
        });
        let all = lift::tuned(program, &lift::Sizes(known.collect()))?;
        let all: Vec<usize> = all.0.iter().map(|(_, value)| *value as usize).collect();
        lift::compile(program, device, &all)
    }
}
