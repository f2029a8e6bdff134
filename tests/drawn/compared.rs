//! Comparing a form with its program.

use super::{Meant, is_quick, named};
use crate::common::Trial;
use lift::target::Target;
use lift_core::constraints::Limits;
use lift_core::schedules::Candidate;
use lift_core::{CompileError, Program, Sizes};
use lift_runtime::{Device, Error};

/// How a form was compared with its program.
#[derive(Debug)]
pub enum Compared {
    Interpreted,
    Ran,
    /// There are no kernels, or the device can't run them, or it would take long: this is why.
    Refused(String),
}

/// Has the form the value of its program at this point?
pub fn same(
    candidate: &Candidate,
    point: &[usize],
    meant: &Meant,
    device: Option<&Device>,
) -> Result<Compared, String> {
    let sizes = named(candidate, point);
    match candidate.placed(&sizes, Limits::default()) {
        Ok(placed) => equal(&placed, sizes, meant, device),
        Err(why) => refusal(&why),
    }
}

/// The same of a form whose maps are placed, at values of all its sizes.
pub fn equal(
    program: &Program,
    sizes: Sizes,
    meant: &Meant,
    device: Option<&Device>,
) -> Result<Compared, String> {
    let point: Vec<usize> = sizes.0.iter().filter_map(|(_, n)| usize::try_from(*n).ok()).collect();
    // Whether a device runs it or not: making kernels may fail, too.
    match lift_core::compile(program, &sizes, &Target::default()) {
        Ok(plan) if is_quick(&plan) => {}
        Ok(_) => return Ok(Compared::Refused("it takes too many operations".into())),
        Err(why) => return refusal(&why),
    }
    let form = Trial { program, sizes, arguments: meant.trial.arguments.clone() };
    meant.interpreted(&form.interpret()?)?;
    let Some(device) = device else { return Ok(Compared::Interpreted) };
    let compiled = match lift_runtime::compile(program, device, &point) {
        Ok(compiled) => compiled,
        Err(Error::Compile(why)) => return refusal(&why),
        Err(Error::Unsupported { what, .. }) => return Ok(Compared::Refused(what)),
        Err(Error::Build { log, text, .. }) => return Err(format!("on {device}: {log}\n{text}")),
        Err(other) => return Err(format!("on {device}: {other}")),
    };
    let got = form.run_spoiled(&compiled).map_err(|problem| format!("on {device}: {problem}"))?;
    meant
        .computed(&got)
        .map_err(|problem| format!("on {device}: {problem}\n{}", compiled.plan().opencl()))?;
    Ok(Compared::Ran)
}

/// A form at a point that fits is refused only for reasons of its own.
fn refusal(why: &CompileError) -> Result<Compared, String> {
    match why {
        CompileError::Size(_) => Err(why.to_string()),
        CompileError::Unsupported { message, .. } => Ok(Compared::Refused(message.clone())),
    }
}
