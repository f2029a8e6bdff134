//! The index maps of primitives that move no data say where their meaning finds each element, and where it is to be written:
//! at all small sizes that a primitive admits, on an array of distinct numbers.

use lift_core::datum::Datum;
use lift_core::nat::{Nat, Var};
use lift_core::primitives::meaning::{Operand, Operands};
use lift_core::primitives::signature::{Argument, Pattern, Signature};
use lift_core::primitives::{self, Bindings, Form, Layout, Primitive};
use lift_core::scalar::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Sizes are tried from 0 to this.
const LARGEST: i64 = 6;

type Sizes = BTreeMap<Arc<str>, i64>;

/// The number that an expression is at these sizes.
fn number(n: &Nat, sizes: &Sizes) -> i64 {
    n.eval(&|v: &Var| sizes.get(&*v.name).copied()).expect("all its variables have values")
}

/// A map's result for constant indices.
fn mapped(map: primitives::IndexMap, sizes: &Sizes, indices: &[i64]) -> Vec<i64> {
    let bindings = sizes.iter().map(|(name, n)| (name.clone(), Nat::constant(*n))).collect();
    let indices: Vec<Nat> = indices.iter().map(|i| Nat::constant(*i)).collect();
    map(&Bindings(bindings), &indices).iter().map(|n| number(n, sizes)).collect()
}

/// The lengths of an array's type, outermost first.
fn lengths(pattern: &Pattern, sizes: &Sizes) -> Vec<i64> {
    match pattern {
        Pattern::Array(element, n) => [vec![number(n, sizes)], lengths(element, sizes)].concat(),
        Pattern::Variable(_) | Pattern::Scalar(_) | Pattern::Vector(..) | Pattern::Tuple(_) => vec![],
    }
}

/// All indices into an array of these lengths.
fn indices(lengths: &[i64]) -> Vec<Vec<i64>> {
    lengths.iter().fold(vec![vec![]], |all, n| {
        all.iter().flat_map(|front| (0..*n).map(move |i| [&front[..], &[i]].concat())).collect()
    })
}

/// The element at these indices.
fn element(of: &Datum, at: &[i64]) -> Option<Datum> {
    match at {
        [] => Some(of.clone()),
        [i, rest @ ..] => element(of.elements().ok()?.get(usize::try_from(*i).ok()?)?, rest),
    }
}

/// The values that a signature's sizes may have.
fn admitted(signature: &Signature) -> Vec<Sizes> {
    let given = signature.arguments.iter().filter_map(|argument| match argument {
        Argument::Size(name) => Some(name.clone()),
        _ => None,
    });
    let names: BTreeSet<Arc<str>> = given.chain(signature.lengths()).collect();
    let all = names.iter().fold(vec![Sizes::new()], |all, name| {
        let with = |sizes: &Sizes, n: i64| {
            let mut sizes = sizes.clone();
            sizes.insert(name.clone(), n);
            sizes
        };
        all.iter().flat_map(|sizes| (0..=LARGEST).map(move |n| with(sizes, n))).collect()
    });
    let holds = |sizes: &Sizes| {
        let value = |v: &Var| sizes.get(&*v.name).copied();
        signature.requires.iter().all(|(condition, _)| condition.eval(&value) == Ok(true))
    };
    all.into_iter().filter(holds).collect()
}

/// What is wrong with a layout at some sizes.
fn problem(primitive: Primitive, layout: &Layout, signature: &Signature, sizes: &Sizes) -> Option<String> {
    let Some(Argument::Value(pattern)) = signature.arguments.last() else {
        return Some("its last argument is no array".into());
    };
    let (shape, result_shape) = (lengths(pattern, sizes), lengths(&signature.result, sizes));
    let mut numbers = (0..).map(Value::I64);
    let lengths: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    let array = Datum::from_scalars(&lengths, &mut numbers).expect("there are always more numbers");
    let operands = signature.arguments.iter().map(|argument| match argument {
        Argument::Size(name) => Operand::Size(sizes[name]),
        _ => Operand::Value(array.clone()),
    });
    let nothing = |_: &Var| None;
    let meant = (primitive.definition().meaning)(&Operands::new(operands.collect(), None, &nothing));
    let meant = match meant {
        Ok(meant) => meant,
        Err(failure) => return Some(format!("it has no meaning: {failure:?}")),
    };

    let mut read = vec![];
    for at in indices(&result_shape[..layout.arity.min(result_shape.len())]) {
        let from = mapped(layout.read, sizes, &at);
        if element(&meant, &at).is_none() || element(&meant, &at) != element(&array, &from) {
            return Some(format!("`read` takes {at:?} from {from:?}"));
        }
        read.push(from);
    }
    let distinct = read.iter().collect::<BTreeSet<_>>().len();
    let once = layout.once.is_some_and(|once| {
        let bindings = sizes.iter().map(|(name, n)| (name.clone(), Nat::constant(*n))).collect();
        once(&Bindings(bindings)).eval(&nothing) == Ok(true)
    });
    if once && distinct < read.len() {
        return Some("`once` holds, and an element is in the result twice".into());
    }
    if let Some(nest) = layout.nest {
        let bindings = sizes.iter().map(|(name, n)| (name.clone(), Nat::constant(*n))).collect();
        let loops = nest(&Bindings(bindings)).map(|n| number(&n, sizes));
        if loops.iter().product::<i64>() != result_shape[0] {
            return Some(format!("`nest` has {loops:?} iterations"));
        }
    }
    let (arity, write) = layout.write?;
    let kept = layout.keeps.map_or([0, shape[0]], |keeps| {
        let bindings = sizes.iter().map(|(name, n)| (name.clone(), Nat::constant(*n))).collect();
        keeps(&Bindings(bindings)).map(|n| number(&n, sizes))
    });
    // What is written last to a place stays there.
    let mut written = BTreeMap::new();
    for from in indices(&shape[..arity]).into_iter().filter(|from| kept[0] <= from[0] && from[0] < kept[1]) {
        let to = mapped(write, sizes, &from);
        if written.insert(to.clone(), from).is_some() && !layout.overlaps {
            return Some(format!("`write` puts two elements at {to:?}"));
        }
    }
    for (to, from) in &written {
        if element(&array, from).is_none() || element(&array, from) != element(&meant, to) {
            return Some(format!("`write` puts {from:?} at {to:?}"));
        }
    }
    let places = indices(&result_shape).len();
    let inner =
        places / written.keys().next().map_or(1, |to| indices(&result_shape[..to.len()]).len()).max(1);
    (written.len() * inner < places).then(|| format!("`write` reaches {} places only", written.len()))
}

#[test]
fn index_maps_are_what_primitives_mean() {
    let mut tried = 0;
    for primitive in primitives::all() {
        let Form::Layout(layout) = &primitive.definition().form else { continue };
        let signature = primitive.signature(1);
        let all = admitted(&signature);
        assert!(all.len() >= 3, "{}: hardly any sizes", primitive.definition().name);
        for sizes in all {
            let found = problem(primitive, layout, &signature, &sizes);
            assert_eq!(found, None, "{} at {sizes:?}", primitive.definition().name);
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried} sizes only");
}
