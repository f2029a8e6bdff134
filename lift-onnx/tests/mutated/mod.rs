//! Small models, changed at random where a field says something: names, shapes, numbers, operators, attributes.
//!
//! The hunt (`hunt.rs`) draws changes from seeds, and the fuzzer (`fuzz/fuzz_targets/onnx.rs`) has them applied to what it found.

#![allow(dead_code, reason = "each user has a part")]

pub mod models;
pub mod networks;
pub mod tree;
pub mod whole;
pub mod words;

use fastrand::Rng;
use tree::{Content, Field, Kind};

/// A model with a few changes.
pub fn mutated(model: &[u8], random: &mut Rng) -> Vec<u8> {
    let Some(mut fields) = tree::fields(model, Kind::Model) else { return damaged(model.to_vec(), random) };
    // One change leaves most models whole, several find what one does not.
    for _ in 0..*random.choice(&[1, 1, 1, 2, 2, 3, 5]).unwrap() {
        change(&mut fields, random);
    }
    let bytes = tree::written(&fields);
    if random.u8(0..20) == 0 { damaged(bytes, random) } else { bytes }
}

/// Other bytes, without regard to what they mean.
fn damaged(mut bytes: Vec<u8>, random: &mut Rng) -> Vec<u8> {
    for _ in 0..random.usize(1..4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = random.usize(..bytes.len());
        match random.u8(0..5) {
            0 => bytes[at] ^= 1 << random.u8(0..8),
            1 => bytes[at] = random.u8(..),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => bytes.insert(at, *random.choice(&[0, 1, 0x7f, 0x80, 0xff]).unwrap()),
        }
    }
    bytes
}

/// One change.
fn change(fields: &mut Vec<Field>, random: &mut Rng) {
    match random.u8(0..16) {
        0 => at_a_place(fields, random, |all, k, _| drop(all.remove(k))),
        1 => at_a_place(fields, random, |all, k, _| all.insert(k, all[k].clone())),
        2 => at_a_place(fields, random, |all, k, random| {
            let other = random.usize(..all.len());
            all.swap(k, other);
        }),
        3..6 => {
            let names = names(fields);
            at_a_place(fields, random, |all, k, random| other(&mut all[k].content, &names, random));
        }
        6 | 7 => rewired(fields, random),
        8 | 9 => of_a_message(fields, Kind::Node, random, with_attribute),
        10 => of_a_message(fields, Kind::Node, random, |node, random| {
            set(node, 4, text(random.choice(words::OPERATORS).unwrap()));
        }),
        11 => of_a_message(fields, Kind::Tensor, random, reshaped),
        12 => of_a_message(fields, Kind::Shape, random, |shape, random| {
            let lengths = shape_of(random);
            *shape = lengths.iter().map(|n| dimension(*n)).collect();
        }),
        13 => with_constant(fields, random),
        14 => with_node(fields, random),
        _ => match random.u8(0..3) {
            0 => of_a_message(fields, Kind::Opset, random, |set_, random| {
                set(set_, 2, Content::Number(random.u64(5..30)));
            }),
            1 => of_a_message(fields, Kind::TensorType, random, |ty, random| {
                set(ty, 1, Content::Number(random.u64(0..17)));
            }),
            _ => with_output(fields, random),
        },
    }
}

fn text(word: &str) -> Content {
    Content::Bytes(word.as_bytes().to_vec())
}

fn field(number: u64, content: Content) -> Field {
    Field { number, content }
}

/// Gives a field that stands once a value.
fn set(message: &mut Vec<Field>, number: u64, content: Content) {
    message.retain(|field| field.number != number);
    message.push(Field { number, content });
}

fn at_a_place(
    fields: &mut Vec<Field>,
    random: &mut Rng,
    change: impl FnOnce(&mut Vec<Field>, usize, &mut Rng),
) {
    let places = tree::places(fields);
    let Some(place) = random.choice(&places) else { return };
    let k = place[place.len() - 1];
    if let Some(all) = tree::siblings(fields, place).filter(|all| k < all.len()) {
        change(all, k, random);
    }
}

/// Changes one of the messages of a kind.
fn of_a_message(
    fields: &mut [Field],
    kind: Kind,
    random: &mut Rng,
    change: impl FnOnce(&mut Vec<Field>, &mut Rng),
) {
    let mut count = 0;
    tree::each(fields, kind, &mut |_| count += 1);
    if count == 0 {
        return;
    }
    let (chosen, mut at, mut change) = (random.usize(..count), 0, Some(change));
    tree::each(fields, kind, &mut |message| {
        if at == chosen
            && let Some(change) = change.take()
        {
            change(message, random);
        }
        at += 1;
    });
}

/// The names of arrays.
fn names(fields: &mut [Field]) -> Vec<Vec<u8>> {
    let mut names = vec![vec![]];
    for (kind, numbers) in
        [(Kind::Node, &[1, 2][..]), (Kind::Tensor, &[8]), (Kind::ValueInfo, &[1]), (Kind::Graph, &[])]
    {
        tree::each(fields, kind, &mut |message| {
            for field in message.iter().filter(|field| numbers.contains(&field.number)) {
                if let Content::Bytes(name) = &field.content {
                    names.push(name.clone());
                }
            }
        });
    }
    names
}

/// Something else of the same kind.
fn other(content: &mut Content, names: &[Vec<u8>], random: &mut Rng) {
    match content {
        Content::Number(value) => {
            *value = match random.u8(0..6) {
                0 => *random.choice(words::EXTREMES).unwrap() as u64,
                1 => value.wrapping_add(1),
                2 => value.wrapping_sub(1),
                3 => value.wrapping_mul(2),
                _ => random.u64(0..8),
            }
        }
        Content::Fixed32(value) => *value = random.choice(words::FLOATS).unwrap().to_le_bytes(),
        Content::Fixed64(value) => *value = random.u64(..).to_le_bytes(),
        Content::Bytes(value) if std::str::from_utf8(value).is_ok() && value.len() < 40 => {
            *value = match random.u8(0..4) {
                0 => random.choice(words::OPERATORS).unwrap().as_bytes().to_vec(),
                1 => random.choice(words::VALUES).unwrap().as_bytes().to_vec(),
                _ => random.choice(names).cloned().unwrap_or_default(),
            }
        }
        Content::Bytes(value) => match random.u8(0..3) {
            0 => *value = damaged(std::mem::take(value), random),
            1 => *value = elements(value.len() / 4, 1, random),
            _ => *value = elements(value.len() / 8, 7, random),
        },
        Content::Message(_, inside) => random.shuffle(inside),
    }
}

/// A node reads another array.
fn rewired(fields: &mut [Field], random: &mut Rng) {
    let names = names(fields);
    of_a_message(fields, Kind::Node, random, |node, random| {
        let inputs: Vec<usize> = (0..node.len()).filter(|k| node[*k].number == 1).collect();
        let name = Content::Bytes(random.choice(&names).cloned().unwrap_or_default());
        match random.choice(&inputs) {
            Some(k) if random.u8(0..4) > 0 => node[*k].content = name,
            _ => node.insert(0, field(1, name)),
        }
    });
}

/// A node has an attribute, or another value of one that it has.
fn with_attribute(node: &mut Vec<Field>, random: &mut Rng) {
    let operator = node.iter().find_map(|field| match &field.content {
        Content::Bytes(name) if field.number == 4 => Some(name.clone()),
        _ => None,
    });
    let (name, kind) = words::attribute(&operator.unwrap_or_default(), random);
    let kind = if random.u8(0..8) == 0 { random.u64(0..9) } else { kind };
    let number = |random: &mut Rng| match random.u8(0..8) {
        0 => *random.choice(words::EXTREMES).unwrap(),
        _ => random.i64(-1..5),
    };
    let mut attribute = vec![field(1, text(name)), field(20, Content::Number(kind))];
    let float = |random: &mut Rng| Content::Fixed32(random.choice(words::FLOATS).unwrap().to_le_bytes());
    match kind {
        1 => attribute.push(field(2, float(random))),
        2 => attribute.push(field(3, Content::Number(number(random) as u64))),
        3 => attribute.push(field(4, text(random.choice(words::VALUES).unwrap()))),
        4 => {
            let mut tensor = vec![];
            reshaped(&mut tensor, random);
            attribute.push(field(5, Content::Message(Kind::Tensor, tensor)));
        }
        6 => (0..random.u8(0..5)).for_each(|_| attribute.push(field(7, float(random)))),
        _ => {
            for _ in 0..*random.choice(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 6]).unwrap() {
                attribute.push(field(8, Content::Number(number(random) as u64)));
            }
        }
    }
    let is_it = |field: &Field| matches!(&field.content, Content::Message(Kind::Attribute, inside) if inside.contains(&attribute[0]));
    node.retain(|field| !is_it(field));
    node.push(field(5, Content::Message(Kind::Attribute, attribute)));
}

/// Lengths: small ones mostly.
fn shape_of(random: &mut Rng) -> Vec<i64> {
    let rank = *random.choice(&[0, 1, 1, 2, 2, 3, 4, 4, 5]).unwrap();
    let length = |random: &mut Rng| match random.u8(0..24) {
        0 => *random.choice(words::EXTREMES).unwrap(),
        1 => *random.choice(&[1 << 12, 1 << 16, 1 << 20, 1 << 31, 46341]).unwrap(),
        _ => random.i64(1..7),
    };
    (0..rank).map(|_| length(random)).collect()
}

fn dimension(length: i64) -> Field {
    let length = field(1, Content::Number(length as u64));
    field(1, Content::Message(Kind::Dimension, vec![length]))
}

/// An array gets another shape, and as many elements.
fn reshaped(tensor: &mut Vec<Field>, random: &mut Rng) {
    let (shape, kind) = (shape_of(random), *random.choice(&[1, 1, 1, 7, 7, 9, 6, 10, 11, 2]).unwrap());
    tensor.retain(|field| field.number == 8);
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(usize::try_from(*d).ok()?));
    tensor.extend(shape.iter().map(|n| field(1, Content::Number(*n as u64))));
    tensor.push(field(2, Content::Number(kind)));
    let count = count.filter(|n| *n <= 1 << 16).unwrap_or(3);
    tensor.push(field(9, Content::Bytes(elements(count, kind, random))));
}

/// The bytes of so many elements of one of ONNX's types.
fn elements(count: usize, kind: u64, random: &mut Rng) -> Vec<u8> {
    let strange = random.u8(0..6) == 0;
    (0..count)
        .flat_map(|_| {
            let small = random.i64(-1..6);
            match kind {
                1 if strange => random.choice(words::FLOATS).unwrap().to_le_bytes().to_vec(),
                1 => (small as f32 * 0.5).to_le_bytes().to_vec(),
                7 if strange => random.choice(words::EXTREMES).unwrap().to_le_bytes().to_vec(),
                7 => small.to_le_bytes().to_vec(),
                11 => (small as f64).to_le_bytes().to_vec(),
                6 => (small as i32).to_le_bytes().to_vec(),
                10 => [0, 0x3c].to_vec(),
                _ => vec![small.rem_euclid(2) as u8],
            }
        })
        .collect()
}

/// One more stored array, which a node reads.
fn with_constant(fields: &mut [Field], random: &mut Rng) {
    let name = text(&format!("c{}", random.u8(..)));
    let mut tensor = vec![field(8, name.clone())];
    reshaped(&mut tensor, random);
    of_a_message(fields, Kind::Graph, random, |graph, _| {
        graph.insert(0, field(5, Content::Message(Kind::Tensor, tensor)));
    });
    of_a_message(fields, Kind::Node, random, |node, random| {
        let inputs: Vec<usize> = (0..node.len()).filter(|k| node[*k].number == 1).collect();
        match random.choice(&inputs) {
            Some(k) if random.bool() => node[*k].content = name,
            _ => {
                let after = inputs.last().map_or(0, |k| k + 1);
                node.insert(after, field(1, name));
            }
        }
    });
}

/// One more node: one of another model, or only an operator; its result is one of the model.
fn with_node(fields: &mut [Field], random: &mut Rng) {
    let names = names(fields);
    let models = models::all();
    let mut from = tree::fields(random.choice(&models).unwrap(), Kind::Model).unwrap_or_default();
    let mut nodes = vec![];
    tree::each(&mut from, Kind::Node, &mut |node| nodes.push(node.clone()));
    let Some(mut node) = random.choice(&nodes).cloned() else { return };
    for input in node.iter_mut().filter(|field| field.number == 1) {
        input.content = Content::Bytes(random.choice(&names).cloned().unwrap_or_default());
    }
    let name = text(&format!("n{}", random.u8(..)));
    set(&mut node, 2, name.clone());
    of_a_message(fields, Kind::Graph, random, |graph, _| {
        graph.push(field(1, Content::Message(Kind::Node, node)));
        graph.push(field(12, Content::Message(Kind::ValueInfo, vec![field(1, name)])));
    });
}

/// One more result, or another one.
fn with_output(fields: &mut [Field], random: &mut Rng) {
    let names = names(fields);
    let name = Content::Bytes(random.choice(&names).cloned().unwrap_or_default());
    let output = field(12, Content::Message(Kind::ValueInfo, vec![field(1, name)]));
    of_a_message(fields, Kind::Graph, random, |graph, random| {
        if random.bool() {
            graph.retain(|field| field.number != 12);
        }
        graph.push(output);
    });
}

/// The n-th of the models that a hunt tries, with the name of the one that it was made of.
pub fn numbered(seed: u64) -> (&'static str, Vec<u8>) {
    let mut random = Rng::with_seed(seed);
    let (name, model) = models::named().swap_remove(random.usize(..models::named().len()));
    (name, mutated(&model, &mut random))
}
