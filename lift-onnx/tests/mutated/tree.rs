//! A model's bytes as a tree of fields, which can be changed and written again.

use crate::common::{bytes, number, varint};

/// The kinds of messages that are taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    Shape,
    Dimension,
    Opset,
    Entry,
}

/// What a field holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    Number(u64),
    Fixed32([u8; 4]),
    Fixed64([u8; 8]),
    Bytes(Vec<u8>),
    Message(Kind, Vec<Field>),
}

/// One field of a message.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub number: u64,
    pub content: Content,
}

/// The kind of message that a field is, if it is one.
fn inner(message: Kind, number: u64) -> Option<Kind> {
    Some(match (message, number) {
        (Kind::Model, 7) | (Kind::Attribute, 6) => Kind::Graph,
        (Kind::Model, 8) => Kind::Opset,
        (Kind::Graph, 1) => Kind::Node,
        (Kind::Graph, 5) | (Kind::Attribute, 5) => Kind::Tensor,
        (Kind::Graph, 11..=13) => Kind::ValueInfo,
        (Kind::Node, 5) => Kind::Attribute,
        (Kind::Tensor, 13) => Kind::Entry,
        (Kind::ValueInfo, 2) => Kind::Type,
        (Kind::Type, 1) => Kind::TensorType,
        (Kind::TensorType, 2) => Kind::Shape,
        (Kind::Shape, 1) => Kind::Dimension,
        _ => return None,
    })
}

/// The fields of a message; `None` if the bytes are none.
pub fn fields(mut rest: &[u8], kind: Kind) -> Option<Vec<Field>> {
    let mut found = vec![];
    while !rest.is_empty() {
        let tag = take_varint(&mut rest)?;
        let number = tag >> 3;
        let content = match tag & 7 {
            0 => Content::Number(take_varint(&mut rest)?),
            1 => Content::Fixed64(take(&mut rest, 8)?.try_into().ok()?),
            5 => Content::Fixed32(take(&mut rest, 4)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(take_varint(&mut rest)?).ok()?;
                let content = take(&mut rest, length)?;
                match inner(kind, number).and_then(|kind| Some((kind, fields(content, kind)?))) {
                    Some((kind, inside)) => Content::Message(kind, inside),
                    None => Content::Bytes(content.to_vec()),
                }
            }
            _ => return None,
        };
        found.push(Field { number, content });
    }
    Some(found)
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, others) = rest.split_at_checked(count)?;
    *rest = others;
    Some(first)
}

fn take_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The bytes of a message with these fields.
pub fn written(fields: &[Field]) -> Vec<u8> {
    let one = |field: &Field| match &field.content {
        Content::Number(value) => number(field.number, *value as i64),
        Content::Fixed32(value) => [varint(field.number << 3 | 5), value.to_vec()].concat(),
        Content::Fixed64(value) => [varint(field.number << 3 | 1), value.to_vec()].concat(),
        Content::Bytes(content) => bytes(field.number, content),
        Content::Message(_, inside) => bytes(field.number, written(inside)),
    };
    fields.iter().flat_map(one).collect()
}

/// The way to each field: which one of the outermost, which one inside that, and so on.
pub fn places(fields: &[Field]) -> Vec<Vec<usize>> {
    fn go(fields: &[Field], at: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        for (k, field) in fields.iter().enumerate() {
            at.push(k);
            found.push(at.clone());
            if let Content::Message(_, inside) = &field.content {
                go(inside, at, found);
            }
            at.pop();
        }
    }
    let mut found = vec![];
    go(fields, &mut vec![], &mut found);
    found
}

/// The fields beside the one at a place, that one included.
pub fn siblings<'f>(fields: &'f mut Vec<Field>, place: &[usize]) -> Option<&'f mut Vec<Field>> {
    let mut level = fields;
    for k in &place[..place.len().checked_sub(1)?] {
        match &mut level.get_mut(*k)?.content {
            Content::Message(_, inside) => level = inside,
            Content::Number(_) | Content::Fixed32(_) | Content::Fixed64(_) | Content::Bytes(_) => {
                return None;
            }
        }
    }
    Some(level)
}

/// All messages of a kind, each by the function `see`.
pub fn each<'f>(fields: &'f mut [Field], wanted: Kind, see: &mut dyn FnMut(&mut Vec<Field>)) {
    for field in fields {
        if let Content::Message(kind, inside) = &mut field.content {
            if *kind == wanted {
                see(inside);
            }
            each(inside, wanted, see);
        }
    }
}
