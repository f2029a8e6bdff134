//! What every layer computes, beside what it computes in PyTorch: `scripts/networks.py` has the same networks once more, by
//! their published descriptions, and is given the same weights.

use crate::flags::Flags;
use crate::zoo::Zoo;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use lift::Output;
use lift::ndarray::{Array4, ArrayD};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// How far a layer's results may be from PyTorch's, in parts of the largest of them.
pub const ALLOWED: f64 = 1e-4;

#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error("there is no scripts/networks.py here; say where it is with `--script`")]
    NoScript,
    #[error("`{}` does not run: {error}; `--python` names another Python", .python.display())]
    NoPython { python: PathBuf, error: std::io::Error },
    #[error("that Python has no {library} ({why}): {pip}")]
    Missing { library: String, why: String, pip: String },
    #[error("the script of PyTorch's networks has ended ({status}): {said}")]
    Failed { status: std::process::ExitStatus, said: String },
    #[error("what the script of PyTorch's networks answers is not understood: {0}")]
    Answer(#[from] serde_json::Error),
    #[error("arrays can't be kept: {0}")]
    Folder(#[from] std::io::Error),
    #[error("arrays can't be written: {0}")]
    Write(#[from] ndarray_npy::WriteNpyError),
    #[error("PyTorch's result of `{layer}` can't be read: {error}")]
    Read { layer: String, error: ndarray_npy::ReadNpyError },
    #[error("the layers are others than PyTorch's: here {here}, there {there}")]
    Layers { here: String, there: String },
    #[error("there are {here} parameters, and {there} in PyTorch's network")]
    Parameters { here: usize, there: usize },
    #[error("the result of `{layer}` has the shape {here:?}, and PyTorch's {there:?}")]
    Shape { layer: String, here: Vec<usize>, there: Vec<usize> },
    #[error(transparent)]
    Run(#[from] lift::Error),
}

/// The script's answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Missing { missing: String, why: String, pip: String },
    Done { torch: String, parameters: usize, layers: Vec<String> },
}

/// The arrays that both sides share.
pub struct Shared {
    folder: TempDir,
}

impl Shared {
    pub fn new() -> Result<Shared, CheckError> {
        let folder = tempfile::tempdir()?;
        let shared = Shared { folder };
        std::fs::create_dir(shared.weights())?;
        std::fs::create_dir(shared.results())?;
        Ok(shared)
    }

    pub fn weights(&self) -> PathBuf {
        self.folder.path().join("weights")
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Runs a network in PyTorch, and keeps the results of its layers.
    pub fn run(&self, network: Zoo, pictures: &Array4<f32>, flags: &Flags) -> Result<Theirs<'_>, CheckError> {
        ndarray_npy::write_npy(self.folder.path().join("pictures.npy"), pictures)?;
        let mut command = Command::new(&flags.python);
        command.arg(script(flags)?).arg(network.name()).arg(self.folder.path());
        let output =
            command.output().map_err(|error| CheckError::NoPython { python: flags.python.clone(), error })?;
        if !output.status.success() {
            // Of Python's account of an error the last line says what it is.
            let told = String::from_utf8_lossy(&output.stderr);
            let said = told.trim().lines().last().unwrap_or("without a word").to_string();
            return Err(CheckError::Failed { status: output.status, said });
        }
        match serde_json::from_slice(&output.stdout)? {
            Answer::Missing { missing: library, why, pip } => Err(CheckError::Missing { library, why, pip }),
            Answer::Done { torch, parameters, layers } => {
                Ok(Theirs { shared: self, torch, parameters, layers })
            }
        }
    }
}

/// What PyTorch has computed.
pub struct Theirs<'a> {
    shared: &'a Shared,
    torch: String,
    parameters: usize,
    layers: Vec<String>,
}

/// How far every layer's result is from PyTorch's.
#[derive(Serialize)]
pub struct Check {
    torch: String,
    layers: Vec<Layer>,
    /// Of the last layer's result, where only that was asked for and all is computed together that can be.
    whole: f64,
}

#[derive(Serialize)]
struct Layer {
    name: String,
    shape: Vec<usize>,
    /// The largest difference, in parts of the largest element.
    error: f64,
}

impl Theirs<'_> {
    /// `results` are those of the layers, `whole` that of the last one by itself.
    pub fn compare(
        self,
        names: &[String],
        parameters: usize,
        results: Vec<Output>,
        whole: Output,
    ) -> Result<Check, CheckError> {
        if self.parameters != parameters {
            return Err(CheckError::Parameters { here: parameters, there: self.parameters });
        }
        if let Some((here, there)) = difference(names, &self.layers) {
            return Err(CheckError::Layers { here, there });
        }
        let mut layers = vec![];
        for (name, result) in names.iter().zip(results) {
            let result = result.into_array()?;
            let error = self.error(name, &result)?;
            layers.push(Layer { name: name.clone(), shape: result.shape().to_vec(), error });
        }
        let last = names.last().map_or("", String::as_str);
        let whole = self.error(last, &whole.into_array()?)?;
        Ok(Check { torch: self.torch, layers, whole })
    }

    fn error(&self, layer: &str, result: &ArrayD<f32>) -> Result<f64, CheckError> {
        let path = self.shared.results().join(format!("{layer}.npy"));
        let theirs: ArrayD<f32> = ndarray_npy::read_npy(path)
            .map_err(|error| CheckError::Read { layer: layer.to_string(), error })?;
        if result.shape() != theirs.shape() {
            let (here, there) = (result.shape().to_vec(), theirs.shape().to_vec());
            return Err(CheckError::Shape { layer: layer.to_string(), here, there });
        }
        Ok(relative_error(result, &theirs))
    }
}

/// The first layer in which they differ.
pub fn difference(here: &[String], there: &[String]) -> Option<(String, String)> {
    let at = (0..here.len().max(there.len())).find(|k| here.get(*k) != there.get(*k))?;
    let name = |names: &[String]| names.get(at).map_or("none".to_string(), |name| format!("`{name}`"));
    Some((name(here), name(there)))
}

/// The largest difference, in parts of the largest element; infinite where something is no number.
pub fn relative_error(result: &ArrayD<f32>, theirs: &ArrayD<f32>) -> f64 {
    let (mut apart, mut largest) = (0.0f64, 0.0f64);
    for (a, b) in result.iter().zip(theirs) {
        let difference = (f64::from(*a) - f64::from(*b)).abs();
        apart = if difference.is_nan() { f64::INFINITY } else { apart.max(difference) };
        largest = largest.max(f64::from(b.abs()));
    }
    if apart == 0.0 { 0.0 } else { apart / largest }
}

impl Check {
    /// What is further away than is allowed.
    pub fn wrong(&self) -> Vec<String> {
        let layers = self.layers.iter().map(|layer| (layer.name.as_str(), layer.error));
        let wrong = layers.chain([("the whole", self.whole)]).filter(|(_, error)| *error > ALLOWED);
        wrong.map(|(name, error)| format!("{name} ({error:.0e})")).collect()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN);
        table.set_header(["layer", "shape", "relative error"]);
        if let Some(errors) = table.column_mut(2) {
            errors.set_cell_alignment(CellAlignment::Right);
        }
        for Layer { name, shape, error } in &self.layers {
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            table.add_row([name.clone(), shape.join(" × "), format!("{error:.1e}")]);
        }
        writeln!(f, "{table}")?;
        let worst = self.layers.iter().map(|layer| layer.error).fold(0.0, f64::max);
        write!(
            f,
            "{} layers beside PyTorch {}: {worst:.1e} at most; {:.1e} where all is computed together that can be",
            self.layers.len(),
            self.torch,
            self.whole
        )
    }
}

/// The script that is asked for, that of the repository, or that beside this program.
fn script(flags: &Flags) -> Result<PathBuf, CheckError> {
    if let Some(script) = &flags.script {
        return Ok(script.clone());
    }
    let beside = std::env::current_exe()?.with_file_name("networks.py");
    let places = [Path::new("scripts/networks.py").to_path_buf(), beside];
    places.into_iter().find(|place| place.is_file()).ok_or(CheckError::NoScript)
}
