//! What is published of the networks, or follows from that; and what is said where they can't be compared.

use crate::check::{difference, relative_error};
use crate::flags::Flags;
use crate::zoo::Zoo;
use clap::{Parser, ValueEnum};
use lift::Device;
use lift::ndarray::arr1;

/// The parameters of each network and the launches of a run: one for each convolution, matrix, pooling and normalisation of
/// responses, and one for softmax. What follows a convolution is computed with it, batch normalisation, too, and parts of
/// modules are written where they belong.
const KNOWN: [(Zoo, usize, usize); 5] = [
    (Zoo::Alexnet, 60_965_224, 5 + 3 + 3 + 2 + 1),
    (Zoo::Nin, 7_595_176, 12 + 3 + 1 + 1),
    (Zoo::Googlenet, 6_998_552, 57 + 1 + 14 + 2 + 1),
    (Zoo::Vgg16, 138_357_544, 13 + 3 + 5 + 1),
    (Zoo::MobilenetV2, 3_504_872, 52 + 1 + 1 + 1),
];

/// One network at a time: their weights are large.
#[test]
fn parameters_shapes_and_launches() {
    assert_eq!(Zoo::value_variants().len(), KNOWN.len());
    for (zoo, parameters, launches) in KNOWN {
        let (net, result) = zoo.built(None).unwrap_or_else(|error| panic!("{zoo}: {error}"));
        assert_eq!(net.parameters, parameters, "{zoo}");
        assert_eq!(net.graph.ty(result).to_string(), "[[f32; 1000]; N]", "{zoo}");
        let mut graph = net.graph;
        graph.output("prob", result).unwrap_or_else(|error| panic!("{zoo}: {error}"));
        let network = graph.compile_as_written(&Device::cpu(), &zoo.sizes(1));
        let network = network.unwrap_or_else(|error| panic!("{zoo}: {error}"));
        let found = network.memory().prepares.iter().filter(|prepares| !**prepares).count();
        assert_eq!(found, launches, "{zoo}");
    }
}

/// Where only means are taken of all that is left of a picture, it may be any that is large enough.
#[test]
fn pictures_of_other_sizes() {
    for (zoo, too_small_for) in
        [(Zoo::Nin, Some("conv1")), (Zoo::Googlenet, Some("pool3")), (Zoo::MobilenetV2, None)]
    {
        let (net, result) = zoo.built(None).unwrap_or_else(|error| panic!("{zoo}: {error}"));
        let mut graph = net.graph;
        graph.output("prob", result).unwrap_or_else(|error| panic!("{zoo}: {error}"));
        let refused =
            |height| graph.at(&[("N", 3), ("H", height), ("W", 99)]).err().map(|error| error.to_string());
        assert_eq!(refused(160), None, "{zoo}");
        let demands = too_small_for.map(|layer| format!("`{layer}` demands "));
        match (refused(10), demands) {
            (None, None) => (),
            (Some(said), Some(demands)) => assert!(said.starts_with(&demands), "{zoo}: {said}"),
            (said, _) => panic!("{zoo}: {said:?}"),
        }
    }
}

#[test]
fn how_far_results_are_apart() {
    let (here, there) = (arr1(&[1.0f32, 2.5, -4.0]).into_dyn(), arr1(&[1.0f32, 2.0, -4.0]).into_dyn());
    assert_eq!(relative_error(&here, &there), 0.125);
    assert_eq!(relative_error(&there, &there), 0.0);
    for none in [f32::NAN, f32::INFINITY] {
        let wrong = arr1(&[none, 2.0, -4.0]).into_dyn();
        assert_eq!(relative_error(&wrong, &there), f64::INFINITY);
    }
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let (here, there) = (names(&["a", "b"]), names(&["a"]));
    assert_eq!(difference(&here, &here), None);
    assert_eq!(difference(&here, &there), Some(("`b`".to_string(), "none".to_string())));
}

/// Without PyTorch, or where its networks are others.
#[cfg(unix)]
#[test]
fn what_python_may_lack() {
    use crate::check::Shared;
    use lift::ndarray::Array4;

    let shared = Shared::new().unwrap_or_else(|error| panic!("{error}"));
    let said = |arguments: &[&str]| {
        let flags =
            Flags::try_parse_from(["networks"].iter().chain(arguments)).unwrap_or_else(|e| panic!("{e}"));
        let found = shared.run(Zoo::Nin, &Array4::zeros((1, 3, 2, 2)), &flags);
        found.map(|_| ()).unwrap_err().to_string()
    };
    let none = said(&["--python", "no-such-python", "--script", "x.py"]);
    assert!(none.starts_with("`no-such-python` does not run: "), "{none}");
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let script = folder.path().join("script");
    let answers = |text: &str| {
        std::fs::write(&script, text).unwrap_or_else(|error| panic!("{error}"));
        said(&["--python", "sh", "--script", &script.display().to_string()])
    };
    let missing = r#"echo '{"missing": "torch", "why": "no module", "pip": "pip install torch"}'"#;
    assert_eq!(answers(missing), "that Python has no torch (no module): pip install torch");
    let failed = answers("echo first >&2; echo 'ValueError: a shape' >&2; exit 1");
    assert!(failed.ends_with("(exit status: 1): ValueError: a shape"), "{failed}");
    assert!(answers("echo nonsense").contains("is not understood"));
}
