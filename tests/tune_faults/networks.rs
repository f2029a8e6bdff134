//! Searches over networks: what is found for a group alone stays only where the network is faster with it.

use crate::limits;
use lift::Settings;
use lift::graph::{Graph, Searched};
use lift::prelude::*;
use lift::tune::{Choice, Found, Front, Limits, Store};
use lift_core::types::Scalar;
use std::path::Path;
use std::time::Duration;

lift! {
    pub fn dense<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }
}

const SIDE: usize = 256;

fn graph() -> Graph {
    let side = || SIDE.into();
    let mut graph = Graph::new("one_layer");
    let x = graph.input("x", Scalar::F32, &[side(), side()]).expect("a name of its own");
    let weights = ndarray::Array2::<f32>::from_elem((SIDE, SIDE), 0.5);
    let weights = graph.constant("weights", weights).expect("a name of its own");
    let product = graph.apply("product", dense::program(), &[], &[x, weights]).expect("it fits")[0];
    graph.output("y", product).expect("a name of its own");
    graph
}

/// Notes in the store that a choice takes next to no time, for all that is there.
fn claim(folder: &Path, choice: &Choice) {
    let store = Store::new(folder.join("tuned.txt"));
    let table = store.read().expect("it is sound");
    for (key, front) in &table.fronts {
        let bytes = front.iter().map(|found| found.bytes).min().unwrap_or_default();
        let found = Found { choice: choice.clone(), time: Duration::from_micros(1), bytes };
        store.merge(key, &[found].into_iter().collect::<Front>()).expect("it is written");
    }
}

#[test]
fn a_form_that_makes_the_network_slower_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = Settings { cache: Some(folder.path().into()), ..Settings::default() };
    let device = Device::cpu_with(&settings);
    let graph = graph();
    let choice = || graph.compile(&device, &[]).expect("it compiles").steps()[0].choice.clone();
    let limits = Limits { candidates: 3, time: Duration::from_secs(60), ..limits() };
    let found = graph.search(&device, &[], &limits, |_| {}).expect("one is found");
    assert_eq!(found.len(), 1);
    let before = choice();
    assert!(!before.is_plain(), "{before}");

    // While another search runs somebody else claims that nothing is faster than the program as it is written, which loses in the
    // network's runs.
    let plain = Choice::default();
    let limits = Limits { candidates: 1, ..limits };
    let found = graph.search(&device, &[], &limits, |_| claim(folder.path(), &plain)).expect("one is found");
    let [Searched { gain: Some(gain), .. }] = &found[..] else { panic!("{found:?}") };
    assert!(*gain < 0.7, "{gain}");
    assert_eq!(choice(), before);
}
