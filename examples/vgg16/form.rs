//! What is run of a layer: the program by itself, or the form of it that a schedule derives.

use crate::flags::{Flags, Text};
use crate::layers::{KERNEL, Layer, conv_layer};
use lift::constraints::Limits;
use lift::schedules::{Candidate, Schedule};
use lift::target::Target;
use lift::tune::Choice;
use lift::{CompileError, Compiled, Device, Error, Plan, Program, Sizes};
use std::sync::Arc;

/// The name of the program as it is written.
pub const DEFAULT: &str = "default";

/// Schedule, options and point.
pub fn name(choice: &Choice) -> String {
    if *choice == Choice::default() { DEFAULT.into() } else { choice.to_string() }
}

/// The forms that are asked for.
pub struct Forms {
    /// By a schedule's flags; without them the program as it is.
    flags: Form,
    /// Do the flags name one?
    named: bool,
    /// Of layers by number, from a file.
    file: Vec<(usize, Form)>,
}

impl Forms {
    /// The same for all layers, or as a file says.
    pub fn new(flags: &Flags) -> Result<Forms, String> {
        let (form, named) = (Form::new(flags.choice()?)?, flags.schedule.is_some());
        let Some(path) = &flags.points else { return Ok(Forms { flags: form, named, file: vec![] }) };
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let of = lines.map(|(k, line)| form_of(line).map_err(|e| format!("{name}, line {}: {e}", k + 1)));
        Ok(Forms { flags: form, named, file: of.collect::<Result<_, _>>()? })
    }

    /// What is asked for a layer; `None` where that is left to what is known.
    pub fn given(&self, layer: &Layer) -> Option<&Form> {
        let in_file = self.file.iter().find(|(number, _)| *number == layer.number).map(|(_, form)| form);
        in_file.or(self.named.then_some(&self.flags))
    }

    /// What is asked for a layer, else the program as it is.
    pub fn of(&self, layer: &Layer) -> &Form {
        self.given(layer).unwrap_or(&self.flags)
    }
}

/// A layer's number and a choice as the store of what was tuned has it; commas are as good as spaces.
fn form_of(line: &str) -> Result<(usize, Form), String> {
    let (number, choice) =
        line.trim().split_once(char::is_whitespace).ok_or("a layer and its form are expected")?;
    let number = number.parse().map_err(|e| format!("`{number}`: {e}"))?;
    Ok((number, Form::new(choice.replace(',', " ").parse()?)?))
}

/// The program, derived or not, with the values of the schedule's parameters and perhaps its maps' places.
pub struct Form {
    candidate: Option<Candidate>,
    choice: Choice,
}

impl Form {
    /// By a schedule's name, with some of its options, at a point: `D=32`, …
    pub fn new(choice: Choice) -> Result<Form, String> {
        let Choice { schedule, options, point, .. } = &choice;
        let Some(name) = schedule else {
            return match choice == Choice::default() {
                true => Ok(Form { candidate: None, choice }),
                false => Err("`--option`, `--point` and `--places` are a schedule's: which one?".into()),
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
        Ok(Form { candidate: Some(candidate), choice })
    }

    pub fn name(&self) -> String {
        name(&self.choice)
    }

    pub fn program(&self) -> &Program {
        self.candidate.as_ref().map_or(conv_layer::program(), |c| &c.program)
    }

    /// Every step from the user's program to this form, with what it led to.
    pub fn derivation(&self) -> String {
        let Some(candidate) = &self.candidate else { return self.program().function.to_string() };
        // A step is printed without the sizes that its names stand for.
        let step = |(step, function): (Option<_>, lift::Function)| match step {
            None => format!("{function}"),
            Some(step) => format!("// {step}\n{}", function.told_apart().body),
        };
        candidate.derivation().into_iter().map(step).collect::<Vec<_>>().join("\n\n")
    }

    /// A layer's sizes, with the values of the schedule's parameters. What the point says nothing of is
    /// the first that fits.
    pub fn sizes(&self, layer: &Layer) -> Result<Sizes, CompileError> {
        let sizes = [layer.outputs, KERNEL, KERNEL, layer.inputs, layer.side, layer.side];
        let program = self.program();
        let known = program.sizes().iter().enumerate().filter_map(|(i, size)| {
            let value = sizes.get(i).map(|n| *n as i64).or_else(|| self.choice.value(&size.var.name));
            value.map(|value| (size.var.clone(), value))
        });
        lift::tuned(program, &Sizes(known.collect()))
    }

    /// The program with its maps placed, and all sizes.
    fn placed(&self, layer: &Layer) -> Result<(Program, Sizes), CompileError> {
        let sizes = self.sizes(layer)?;
        let program = match &self.candidate {
            Some(candidate) if self.choice.places.is_empty() => {
                candidate.placed(&sizes, Limits::default())?
            }
            Some(candidate) => candidate.placed_at(&sizes, &self.choice.places)?,
            None => self.program().clone(),
        };
        Ok((program, sizes))
    }

    /// Its kernels and their memory for a layer.
    pub fn plan(&self, layer: &Layer) -> Result<Plan, CompileError> {
        let (program, sizes) = self.placed(layer)?;
        lift::plan(&program, &sizes, &Target::default())
    }

    /// Builds it for a layer.
    pub fn compile(&self, device: &Device, layer: &Layer) -> Result<Arc<Compiled>, Error> {
        let (program, sizes) = self.placed(layer)?;
        let sizes: Vec<usize> = sizes.0.iter().map(|(_, value)| *value as usize).collect();
        lift::compile(&program, device, &sizes)
    }

    /// What it is at each stage between the program and the kernels, and what these need and do.
    pub fn text(&self, text: Text, layer: &Layer) -> Result<String, CompileError> {
        Ok(match text {
            Text::Program => conv_layer::program().function.to_string(),
            Text::Derivation => self.derivation(),
            Text::Candidate => self.program().function.to_string(),
            Text::Lowered => {
                let (program, sizes) = self.placed(layer)?;
                lift::lowered(&program, &sizes, &Target::default())?.to_string()
            }
            Text::Kernels => self.plan(layer)?.kernels().map(|(_, kernel)| kernel.to_string()).collect(),
            Text::Opencl => self.plan(layer)?.opencl(),
            Text::C => self.plan(layer)?.c(),
            Text::Memory => self.plan(layer)?.report().to_string(),
            Text::Explain => lift::explain(&self.plan(layer)?, self.candidate.as_ref()).to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Form, Forms};
    use crate::flags::{Flags, Text};
    use crate::layers::LAYERS;
    use clap::{Parser, ValueEnum};
    use lift::schedules::SCHEDULES;

    /// Those that keep sums in registers until they are whole.
    fn direct_forms() -> impl Iterator<Item = Form> {
        forms().filter(|f| ["default", "combined", "tiled", "blocked"].contains(&f.name().as_str()))
    }

    fn forms() -> impl Iterator<Item = Form> {
        // A convolution is no prefix sum, no transposition, and no window in planes.
        let of_sums = SCHEDULES.iter().filter(|s| !["scans", "turned", "framed"].contains(&s.name));
        let names = of_sums.map(|s| Some(s.name)).chain([None]);
        let choice = |name: Option<&str>| Choice { schedule: name.map(String::from), ..Choice::default() };
        names.map(move |name| Form::new(choice(name)).expect("it applies"))
    }

    /// Input, weights, biases and output.
    #[test]
    fn whole_layers_need_not_a_byte_more_than_any_direct_method() {
        for form in direct_forms() {
            for layer in &LAYERS {
                let plan =
                    form.plan(layer).unwrap_or_else(|e| panic!("{} by {}: {e}", layer.number, form.name()));
                let (bytes, what) = (plan.memory().bytes(), (layer.number, form.name()));
                assert_eq!(bytes, layer.minimum_bytes(), "{what:?}: {}", plan.report());
            }
        }
    }

    /// And the README's columns of memory are, to the tenth of a megabyte that they show, what is allocated for the forms
    /// whose times stand beside them, for the program as it is written, and with im2col's matrix.
    #[test]
    fn points_on_file_fit_their_layers_and_take_the_memory_that_the_readme_shows() {
        let root = env!("CARGO_MANIFEST_DIR");
        let forms = |file: &str| {
            let path = format!("{root}/examples/vgg16/points/{file}.txt");
            Forms::new(&Flags::parse_from(["vgg16", "--points", &path])).unwrap_or_else(|e| panic!("{e}"))
        };
        let (h200, avx512) = (forms("h200"), forms("avx512"));
        let readme = std::fs::read_to_string(format!("{root}/README.md")).expect("it is there");
        for layer in &LAYERS {
            let row = readme.lines().find(|line| line.starts_with(&format!("| {} | ", layer.number)));
            let cells: Vec<&str> = row.unwrap_or_default().split('|').map(str::trim).collect();
            let allocated = |forms: &Forms| {
                let form = forms.of(layer);
                assert_ne!(form.name(), "default", "layer {}", layer.number);
                let plan = form.plan(layer).unwrap_or_else(|e| panic!("layer {}: {e}", layer.number));
                assert!(plan.opencl().len() < 100_000, "{}", form.name());
                plan.memory().bytes()
            };
            let bytes = [allocated(&h200), allocated(&avx512), layer.minimum_bytes(), layer.im2col_bytes()];
            let shown = bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6));
            // layer, channels, picture; µs, cuDNN µs, MB; ms, of peak, MB; ms, MB; im2col's MB
            let in_readme = [6, 9, 11, 12].map(|k| cells.get(k).copied().unwrap_or_default());
            assert_eq!(in_readme, shown.each_ref().map(String::as_str), "layer {}", layer.number);
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("points");
        let mistakes = [
            ("2", "are expected"),
            ("2 nothing D=2", "no schedule"),
            ("x combined D=2", "`x`"),
            ("2 combined,folded D=2", "no option `folded`"),
            ("2 combined D=two", "`D=two`"),
            ("2 combined E=2", "no parameter `E`"),
        ];
        for (line, part) in mistakes {
            std::fs::write(&path, format!("# forms\n{line}\n")).expect("a file");
            let flags = Flags::parse_from(["vgg16".as_ref(), "--points".as_ref(), path.as_os_str()]);
            let message = Forms::new(&flags).err().unwrap_or_default();
            assert!(message.contains("line 2") && message.contains(part), "{line}: {message}");
        }
    }

    /// Layers that nobody names get what is known to be best.
    #[test]
    fn what_is_given_is_given_for_what_it_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("points");
        std::fs::write(&path, "24 combined D=2 V=1 R=1 Q=1\n").expect("a file");
        let given = |arguments: &[&str]| {
            let flags = Flags::parse_from(["vgg16"].iter().chain(arguments));
            let forms = Forms::new(&flags).unwrap_or_else(|e| panic!("{e}"));
            LAYERS.iter().filter(|layer| forms.given(layer).is_some()).map(|l| l.number).collect::<Vec<_>>()
        };
        assert_eq!(given(&["--points", path.to_str().expect("a name")]), [24]);
        assert_eq!(given(&["--schedule", "default"]).len(), LAYERS.len());
        assert!(given(&[]).is_empty());
    }

    /// A form as the store keeps it, its maps in places of its own.
    #[test]
    fn maps_are_where_a_file_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("points");
        let plan = |places: &str| {
            let line = format!("24 mapped {places} TR=2 TQ=1 TD=2 Q=2 D=4 BK=2\n");
            std::fs::write(&path, line).expect("a file");
            let flags = Flags::parse_from(["vgg16".as_ref(), "--points".as_ref(), path.as_os_str()]);
            let forms = Forms::new(&flags).unwrap_or_else(|e| panic!("{e}"));
            forms.of(&LAYERS[8]).plan(&LAYERS[8]).map_err(|e| e.to_string())
        };
        let zeros = |n: usize| ".0".repeat(n);
        let wrong = plan(&format!("@10{}", zeros(12))).expect_err("work-items of no group");
        assert!(wrong.contains("is not inside a `mapWrg"), "{wrong}");
        let few = plan("@20.10").expect_err("there are more maps");
        assert!(few.contains("2 places are given"), "{few}");
        let group = plan(&format!("@20.10{}", zeros(11))).expect("it is valid").launches[0].group;
        let alone = plan(&format!("@30{}", zeros(12))).expect("it is valid").launches[0].group;
        assert_ne!(group, alone);
    }

    /// A multiplication and an addition for each weight and position.
    #[test]
    fn operations_are_counted_from_the_kernels() {
        for form in direct_forms() {
            let plan = form.plan(&LAYERS[8]).expect("it fits");
            let flops: u128 = lift::explain(&plan, None).launches.iter().map(|l| l.flops).sum();
            assert_eq!(flops, LAYERS[8].operations() as u128, "{}", form.name());
        }
    }

    #[test]
    fn every_stage_can_be_printed() {
        for form in forms() {
            for text in Text::value_variants() {
                let printed = form.text(*text, &LAYERS[8]).expect("it fits");
                assert!(printed.lines().count() > 1, "{} by {}", printed, form.name());
            }
        }
    }
}
