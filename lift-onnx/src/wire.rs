//! Bytes are checked before they are read: the reader of messages trusts the lengths that a file names.
//!
//! A file in the format of Protocol Buffers is a list of fields, some of which hold lists of fields themselves. Here every
//! length is compared with what there is, and nothing is allocated but one entry for each message that is open. What passes
//! makes the reader allocate no more than the file is long (times a constant), and recurse no deeper than [`MAX_DEPTH`].

/// How deep messages may lie in each other. Arrays in attributes of nodes need 6; what is deeper are graphs in graphs.
const MAX_DEPTH: usize = 40;

/// The kinds of messages that the reader looks into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    Sequence,
    Shape,
    /// A message all of whose fields are numbers and strings.
    Flat,
}

/// What a field of variable length holds.
enum Content {
    Message(Message),
    /// Numbers of 1 to 10 bytes, one after another.
    Varints,
    /// Numbers of this many bytes, one after another.
    Fixed(usize),
    /// Numbers, each of which must have a field of its own; with the field's name.
    Single(&'static str),
    /// Text, or what is skipped.
    Bytes,
}

/// What field `number` of a message holds, if its length is variable.
fn content(message: Message, number: u64) -> Content {
    use Content::{Bytes, Fixed, Single, Varints};
    use Message::*;
    let inner = match (message, number) {
        (Model, 7) => Graph,
        (Model, 8 | 14) => Flat,
        (Graph, 1) => Node,
        (Graph, 5) | (Attribute, 5) => Tensor,
        (Graph, 11..=13) => ValueInfo,
        (Node, 5) => Attribute,
        (Attribute, 6) => Graph,
        (Attribute, 7) => return Single("floats"),
        (Attribute, 8) => return Single("ints"),
        (Tensor, 1) => return Single("dims"),
        (Tensor, 4) => return Fixed(4),
        (Tensor, 5 | 7) => return Varints,
        (Tensor, 10) => return Fixed(8),
        (Tensor, 13) => Flat,
        (ValueInfo, 2) => Type,
        (Type, 1) => TensorType,
        (Type, 4) => Sequence,
        (TensorType, 2) => Shape,
        (Sequence, 1) => Type,
        (Shape, 1) => Flat,
        _ => return Bytes,
    };
    Content::Message(inner)
}

/// Checks that the bytes are fields with possible lengths, as deep as the reader looks into them.
///
/// # Errors
/// What is wrong, as a sentence without its full stop.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let mut cursor = Cursor { bytes, at: 0 };
    let mut open = vec![(bytes.len(), Message::Model)];
    while let Some(&(end, message)) = open.last() {
        if cursor.at == end {
            open.pop();
            continue;
        }
        let tag = cursor.varint(end)?;
        match (tag >> 3, tag & 7) {
            (0, _) => return Err(format!("byte {} begins a field without a number", cursor.at)),
            (_, 0) => drop(cursor.varint(end)?),
            (_, 1) => cursor.skip(8, end)?,
            (_, 5) => cursor.skip(4, end)?,
            (number, 2) => {
                let length = cursor.varint(end)?;
                let start = cursor.at;
                let inner = cursor.end(length, end)?;
                match content(message, number) {
                    Content::Message(message) if open.len() < MAX_DEPTH => open.push((inner, message)),
                    Content::Message(_) => return Err("graphs lie in each other too deep".to_string()),
                    Content::Varints => {
                        while cursor.at < inner {
                            cursor.varint(inner)?;
                        }
                    }
                    Content::Fixed(size) if (inner - start).is_multiple_of(size) => cursor.at = inner,
                    Content::Fixed(_) => return Err(format!("byte {start} begins numbers that are cut off")),
                    Content::Single(field) => {
                        return Err(format!(
                            "the numbers of a field `{field}` are packed, which ONNX's own library never does \
                             (loading and saving the model with it helps)"
                        ));
                    }
                    Content::Bytes => cursor.at = inner,
                }
            }
            (_, kind) => {
                return Err(format!("byte {} begins a field of kind {kind}, which no model has", cursor.at));
            }
        }
    }
    Ok(())
}

/// A place in the bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// A number of 1 to 10 bytes that ends before `end`.
    fn varint(&mut self, end: usize) -> Result<u64, String> {
        let mut value = 0;
        for index in 0..10 {
            if self.at == end {
                return Err(format!("the bytes end in the middle of a number, at byte {end}"));
            }
            let byte = self.bytes[self.at];
            self.at += 1;
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 && (index < 9 || byte < 2) {
                return Ok(value);
            }
        }
        Err(format!("byte {} ends a number of more than 64 bits", self.at))
    }

    /// Where something of this length ends that begins here.
    fn end(&self, length: u64, end: usize) -> Result<usize, String> {
        let left = end - self.at;
        match usize::try_from(length) {
            Ok(length) if length <= left => Ok(self.at + length),
            _ => Err(format!("byte {} begins a field of {length} bytes, but only {left} are left", self.at)),
        }
    }

    fn skip(&mut self, length: u64, end: usize) -> Result<(), String> {
        self.at = self.end(length, end)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn numbers_that_never_end_are_refused() {
        assert!(check(&[0xff; 40]).unwrap_err().contains("more than 64 bits"));
        assert!(check(&[0x08, 0x80]).unwrap_err().contains("middle of a number"));
    }

    #[test]
    fn lengths_are_compared_with_what_there_is() {
        assert_eq!(check(&[0x3a, 0x00]), Ok(()));
        assert!(check(&[0x3a, 0x05, 0x00]).unwrap_err().contains("5 bytes, but only 1"));
        let huge = [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert!(check(&huge).unwrap_err().contains("only 0 are left"));
    }

    /// A graph in an attribute of a node of a graph, and so on.
    #[test]
    fn depth_is_limited() {
        let mut bytes: Vec<u8> = vec![];
        for level in 0..300 {
            // From the inside out: attribute, node, graph.
            let tag = [0x32, 0x2a, 0x0a][level % 3];
            let mut outer = vec![tag];
            let mut length = bytes.len();
            while length > 0x7f {
                outer.push(length as u8 | 0x80);
                length >>= 7;
            }
            outer.push(length as u8);
            outer.append(&mut bytes);
            bytes = outer;
        }
        let mut model = vec![0x3a, 0x80 | (bytes.len() as u8 & 0x7f), (bytes.len() >> 7) as u8];
        model.append(&mut bytes);
        assert!(check(&model).unwrap_err().contains("too deep"));
    }

    #[test]
    fn packed_dimensions_are_named() {
        // model { graph { initializer { dims: [2] packed } } }
        let bytes = [0x3a, 0x05, 0x2a, 0x03, 0x0a, 0x01, 0x02];
        assert!(check(&bytes).unwrap_err().contains("`dims` are packed"));
    }
}
