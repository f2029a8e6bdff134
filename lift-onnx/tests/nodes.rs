//! ONNX's own tests: what they expect is computed, or the model is refused by name.
//!
//! The cases are written by `scripts/onnx_cases.py`, which needs Python with the packages onnx and numpy (onnxruntime for the
//! networks, and Pillow for those that were trained). Without them nothing is tested, and the test says so.
//!
//! * `LIFT_ONNX_CASES=FOLDER` takes cases that were written before;
//! * `LIFT_DEVICE=NAME` runs networks on this device, and not on the processor;
//! * `LIFT_ONNX_FEWEST=1` takes networks' forms of fewest kernels;
//! * `LIFT_ONNX_ONLY=NAME` runs the cases whose names contain this, and says more of them.

mod common;

use common::npy;
use lift::graph::{Graph, Network};
use lift::tune::Goal;
use lift::{Argument, Device, Error};
use lift_onnx::{Dim, Model, OnnxError, Recipe, Tensor};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// One line of the index of cases.
struct Case {
    name: String,
    /// Is it made of what convolutional networks are made of?
    known: bool,
    rtol: f64,
    atol: f64,
    /// The same as a part of the largest element.
    scaled: f64,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    model: PathBuf,
}

/// How a case ended.
enum End {
    Right,
    Refused(String),
    Wrong(String),
}

/// The cases that the script writes with these options, or those of a folder that the caller names.
fn cases(options: &[&str]) -> Option<(Option<tempfile::TempDir>, Vec<Case>)> {
    let (kept, folder) = match std::env::var_os("LIFT_ONNX_CASES") {
        Some(folder) => (None, PathBuf::from(folder)),
        None => {
            let temporary = tempfile::tempdir().unwrap();
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/onnx_cases.py");
            match Command::new("python3").arg(script).arg(temporary.path()).args(options).output() {
                Ok(output) if output.status.success() => {}
                Ok(output) => {
                    let reason = String::from_utf8_lossy(&output.stderr);
                    eprintln!("nothing is tested, the cases can't be written: {}", reason.trim());
                    return None;
                }
                Err(error) => {
                    eprintln!("nothing is tested, `python3` does not run: {error}");
                    return None;
                }
            }
            let folder = temporary.path().to_path_buf();
            (Some(temporary), folder)
        }
    };
    let only = std::env::var("LIFT_ONNX_ONLY").unwrap_or_default();
    let index = std::fs::read_to_string(folder.join("index.tsv")).unwrap();
    let cases = index.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, _, known, rtol, atol, inputs, outputs, _] = fields[..] else {
            panic!("a line is wrong: {line}")
        };
        if !name.contains(&only) {
            return None;
        }
        let arrays = |kind: &str, count: &str| {
            (0..count.parse().unwrap())
                .map(|i: usize| npy::read(&folder.join(name).join(format!("{kind}_{i}.npy"))))
                .collect()
        };
        Some(Case {
            name: name.to_string(),
            known: known == "1",
            rtol: rtol.parse().unwrap(),
            atol: atol.parse().unwrap(),
            scaled: if options.is_empty() { 0.0 } else { LIKE },
            inputs: arrays("input", inputs),
            outputs: arrays("output", outputs),
            model: folder.join(name).join("model.onnx"),
        })
    });
    Some((kept, cases.collect()))
}

/// How the graph of a recipe is compiled.
type Compile = fn(&Graph) -> Result<Network, Error>;

/// The results of a recipe as the graph of it computes them.
fn compiled(recipe: &Recipe, inputs: &[Tensor], compile: Compile) -> Result<Vec<Tensor>, String> {
    let graph = recipe.graph("model").map_err(|e| e.to_string())?;
    let network = compile(&graph).map_err(|e| e.to_string())?;
    let arguments: Vec<Argument> = inputs.iter().map(npy::argument).collect();
    let outputs = network.run(&arguments).map_err(|e| e.to_string())?;
    Ok(outputs.into_iter().map(npy::tensor).collect())
}

/// The same by the meaning of the programs, one step after the other.
fn interpreted(recipe: &Recipe, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let mut arrays: Vec<Option<Tensor>> = recipe.arrays.iter().map(|array| array.constant.clone()).collect();
    for (array, input) in recipe.inputs.iter().zip(inputs) {
        arrays[*array] = Some(input.clone());
    }
    for step in &recipe.steps {
        let arguments: Vec<Argument> =
            step.arguments.iter().map(|array| npy::argument(arrays[*array].as_ref().unwrap())).collect();
        let sizes: Vec<usize> = step.sizes.iter().map(|(_, size)| *size).collect();
        let outputs = lift::interpret(&step.program, &sizes, &arguments).map_err(|e| e.to_string())?;
        for (array, output) in step.results.iter().zip(outputs) {
            arrays[*array] = Some(npy::tensor(output));
        }
    }
    Ok(recipe.outputs.iter().map(|(_, array)| arrays[*array].clone().unwrap()).collect())
}

/// A model, and arrays for its inputs.
struct Passed {
    model: Model,
    arrays: Vec<Tensor>,
}

impl Passed {
    /// Stores an array in the model instead: tests of operators pass shapes and axes, which networks know.
    fn store(&mut self, name: &str) -> bool {
        let Some(at) = self.model.inputs.iter().position(|input| input.name == name) else { return false };
        self.model.inputs.remove(at);
        self.model.constants.insert(name.to_string(), self.arrays.remove(at));
        true
    }

    /// Numbers for the dimensions that are left open: those of the arrays.
    fn recipe(&self) -> Result<Recipe, OnnxError> {
        let mut open: Vec<(String, usize)> = vec![];
        for (input, array) in self.model.inputs.iter().zip(&self.arrays) {
            for (axis, (dim, length)) in input.dims.iter().zip(array.shape()).enumerate() {
                let name = match dim {
                    Dim::Number(_) => continue,
                    Dim::Named(name) => name.clone(),
                    Dim::Open => format!("{}[{axis}]", input.name),
                };
                if !open.iter().any(|(known, _)| *known == name) {
                    open.push((name, *length));
                }
            }
        }
        let dims: Vec<(&str, usize)> = open.iter().map(|(name, length)| (name.as_str(), *length)).collect();
        self.model.recipe(&dims)
    }
}

fn run(case: &Case, compile: Compile) -> End {
    let model = match Model::read(&case.model) {
        Ok(model) => model,
        Err(error) => return End::Refused(error.to_string()),
    };
    let mut passed = Passed { model, arrays: case.inputs.clone() };
    let empty = passed.model.inputs.iter().zip(&case.inputs).filter(|(_, array)| array.is_empty());
    for name in empty.map(|(input, _)| input.name.clone()).collect::<Vec<_>>() {
        passed.store(&name);
    }
    let recipe = loop {
        match passed.recipe() {
            Ok(recipe) => break recipe,
            Err(OnnxError::DataDependentShape { input, .. }) if passed.store(&input) => {}
            Err(error) => return End::Refused(error.to_string()),
        }
    };
    let end = |results: Result<Vec<Tensor>, String>| results.and_then(|found| compared(&found, case));
    let Err(reason) = end(compiled(&recipe, &passed.arrays, compile)) else { return End::Right };
    // Is it the model that was understood wrong, or the graph that computes something else?
    End::Wrong(match end(interpreted(&recipe, &passed.arrays)) {
        Ok(()) => format!("{reason} (right step by step)"),
        Err(other) => format!("{reason} (step by step: {other})"),
    })
}

/// Are these the results that the case expects?
fn compared(found: &[Tensor], case: &Case) -> Result<(), String> {
    for (i, (found, expected)) in found.iter().zip(&case.outputs).enumerate() {
        let (types, shapes) =
            ((found.scalar(), expected.scalar()), (found.shape().to_vec(), expected.shape().to_vec()));
        // What a step computes has at least one dimension.
        let number = shapes == (vec![1], vec![]);
        if types.0 != types.1 || (shapes.0 != shapes.1 && !number) {
            return Err(format!("result {i} is {types:?} {shapes:?}"));
        }
        let (found, expected) = (npy::numbers(found), npy::numbers(expected));
        let largest = expected.iter().filter(|x| x.is_finite()).fold(0.0f64, |a, x| a.max(x.abs()));
        let atol = case.atol.max(case.scaled * largest);
        for (at, (x, y)) in found.into_iter().zip(expected).enumerate() {
            let equal = x == y || (x.is_nan() && y.is_nan());
            let near = (x - y).abs() <= atol + case.rtol * y.abs();
            if !equal && !near {
                return Err(format!("element {at} of result {i} is {x} and not {y}"));
            }
        }
    }
    if found.len() == case.outputs.len() { Ok(()) } else { Err("results are missing".to_string()) }
}

/// Runs the cases, says how they ended, and fails if any is wrong. How many are right: of convolutional networks, and of the others.
fn check(cases: &[Case], compile: Compile) -> [usize; 2] {
    let said_more = std::env::var_os("LIFT_ONNX_ONLY").is_some();
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let mut wrong: Vec<String> = vec![];
    for case in cases {
        let start = Instant::now();
        let end = catch_unwind(AssertUnwindSafe(|| run(case, compile)));
        let word = match end.unwrap_or_else(|_| End::Wrong("it panicked".to_string())) {
            End::Right => "right",
            End::Refused(reason) => {
                if case.known || said_more {
                    println!("refused {}: {reason}", case.name);
                }
                "refused"
            }
            End::Wrong(reason) => {
                println!("WRONG {}: {reason}", case.name);
                wrong.push(format!("{}: {reason}", case.name));
                "wrong"
            }
        };
        if start.elapsed() > Duration::from_secs(5) {
            println!("{} took {:.1} s", case.name, start.elapsed().as_secs_f64());
        }
        *counts.entry((case.known, word)).or_default() += 1;
    }
    let right = [true, false].map(|known| counts.get(&(known, "right")).copied().unwrap_or_default());
    for ((known, word), count) in counts {
        println!(
            "{count} {word} of {}",
            if known { "operators of convolutional networks" } else { "others" }
        );
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
    right
}

/// Sums of many elements are exact to such a part of the largest of an array.
const LIKE: f64 = 1e-4;

/// So many of ONNX's tests of operators of convolutional networks are right at least.
const ENOUGH: usize = 350;

#[test]
fn node_tests_are_right_or_refused_by_name() {
    if let Some((_kept, cases)) = cases(&[]) {
        // What is right as it is written is soonest known.
        let [right, _] = check(&cases, |graph| graph.compile_as_written(&Device::cpu(), &[]));
        let some = std::env::var_os("LIFT_ONNX_ONLY").is_some();
        assert!(some || right >= ENOUGH, "{right} cases are right");
    }
}

/// All of them, in the forms that are likely to be fast.
fn networks(options: &[&str]) {
    if let Some((_kept, cases)) = cases(options) {
        let compile = |graph: &Graph| {
            let fewest = std::env::var_os("LIFT_ONNX_FEWEST").is_some();
            let goal = if fewest { Goal::FewestKernels } else { Goal::Moderate };
            graph.compile_for(&Device::from_env()?, &[], goal)
        };
        let right: usize = check(&cases, compile).into_iter().sum();
        assert_eq!(right, cases.len(), "networks that are right");
    }
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn networks_with_drawn_weights_are_right() {
    for batch in ["1", "4"] {
        networks(&["--light", "--batch", batch]);
    }
}

#[test]
#[ignore = "takes minutes, and fetches packages of Python's"]
fn networks_as_they_were_trained_are_right() {
    for batch in ["1", "4"] {
        networks(&["--pretrained", "--batch", batch]);
    }
}
