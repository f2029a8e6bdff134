//! The schedule `mapped` of a layer: the space of its placements, and candidates drawn from it.

use crate::layers::{KERNEL, Layer, conv_layer};
use lift::constraints::{Code, Limits, Placement, Placements, place};
use lift::schedules::MAPPED;
use lift::{Program, Sizes};
use lift_core::solve::{Domain, Formula, Problem, Solution};
use std::error::Error;

/// What becomes of two sequential maps of which one is all that the other does (CC'22, rule 8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// They are one, always: the heuristic.
    Always,
    /// As the solver likes.
    Free,
    Never,
}

/// A form of a layer with its maps and parameters open, or its parameters only.
pub struct Space {
    /// Without parameters.
    sizes: Sizes,
    pub placements: Placements,
}

/// A candidate, ready to be tried.
pub struct Drawn {
    pub program: Program,
    /// All of them.
    pub sizes: Sizes,
    /// The codes of its maps, and its parameters.
    pub form: String,
}

/// So many choices of parameters are combined with codes at random.
const PARAMETERS: usize = 1000;

impl Space {
    pub fn new(layer: &Layer, options: &[&str], fusion: Fusion) -> Result<Space, Box<dyn Error>> {
        if let Some(unknown) = options.iter().find(|name| !MAPPED.options.iter().any(|(o, _)| o == *name)) {
            let all: Vec<&str> = MAPPED.options.iter().map(|(name, _)| *name).collect();
            return Err(format!("`mapped` has no option `{unknown}`, but these: {}", all.join(", ")).into());
        }
        let program = MAPPED.derive(conv_layer::program(), options)?.program;
        let values = [layer.outputs, KERNEL, KERNEL, layer.inputs, layer.side, layer.side];
        let names = program.sizes().iter().map(|size| size.var.clone());
        let sizes = Sizes(names.zip(values.map(|n| n as i64)).collect());
        let always = fusion == Fusion::Always;
        let mut placements = Placements::of(&program, &sizes, Some(Limits::default()), always)?;
        if fusion == Fusion::Never {
            let maps = placements.nest.maps.len();
            let apart: Vec<i64> = Code::ALL.iter().filter(|c| **c != Code::FUSED).map(|c| c.0).collect();
            placements.problem.domains[..maps].fill(Domain::of(apart));
        }
        Ok(Space { sizes, placements })
    }

    /// With the maps where these codes say, the first for those that are in no other, the next for those in
    /// one other; all else in sequence.
    pub fn placed(self, codes: &[i64]) -> Result<Space, Box<dyn Error>> {
        let code = |depth: usize| codes.get(depth).map_or(Code::SEQUENTIAL, |code| Code(*code));
        let maps = self.placements.nest.maps.iter().map(|map| (map.id, code(map.around.len()))).collect();
        let program = place(&self.placements, &Placement { maps, parameters: vec![] });
        let placements = Placements::of(&program, &self.sizes, Some(Limits::default()), false)?;
        Ok(Space { placements, ..self })
    }

    /// What the solver finds, at random.
    pub fn solved(&self, seed: u64) -> impl Iterator<Item = Drawn> {
        self.placements.sample(seed).map(|placement| self.drawn(&placement))
    }

    /// Codes drawn without a look at the constraints, with parameters that fit by themselves; `None` where
    /// the constraints do not hold.
    pub fn unconstrained(&self, seed: u64) -> impl Iterator<Item = Option<Drawn>> {
        let Placements { nest, problem, .. } = &self.placements;
        let first = nest.maps.len();
        let of_parameters = |c: &&Formula| c.variables().iter().all(|variable| *variable >= first);
        let constraints = problem.constraints.iter().filter(of_parameters).cloned().collect();
        let fitting = Problem { constraints, ..problem.clone() };
        let fitting: Vec<Solution> = fitting.sample(seed).take(PARAMETERS).collect();
        // Names of the parameters, in the order of the problem's variables.
        let names = self.placements.sample(seed).next().unwrap_or_default().parameters;
        let mut random = fastrand::Rng::with_seed(seed);
        std::iter::repeat_with(move || {
            let mut values = fitting.get(random.usize(..fitting.len().max(1)))?.clone();
            values[..first].fill_with(|| Code::ALL[random.usize(..Code::ALL.len())].0);
            problem.constraints.iter().all(|c| c.holds(&values)).then(|| {
                let maps = nest.maps.iter().zip(&values).map(|(map, code)| (map.id, Code(*code)));
                let parameters = names.iter().zip(&values[first..]);
                let parameters = parameters.map(|((var, _), value)| (var.clone(), *value)).collect();
                self.drawn(&Placement { maps: maps.collect(), parameters })
            })
        })
    }

    fn drawn(&self, placement: &Placement) -> Drawn {
        let Sizes(mut sizes) = self.sizes.clone();
        sizes.extend(placement.parameters.iter().cloned());
        let code = |map: &lift::constraints::Map| {
            let own = placement.maps.iter().find(|(id, _)| *id == map.id).map(|(_, code)| *code);
            map.given.or(own).unwrap_or(Code::SEQUENTIAL)
        };
        let maps = self.placements.nest.maps.iter().map(|map| (map.id, code(map))).collect();
        let form = Placement { maps, parameters: placement.parameters.clone() }.to_string();
        Drawn { program: place(&self.placements, placement), sizes: Sizes(sizes), form }
    }
}
