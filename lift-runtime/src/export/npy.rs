//! NumPy's file format, as far as dense arrays need it.

use crate::{Argument, Error, host};
use lift_core::types::Scalar;

/// NumPy's name of a type, without the order of bytes.
pub fn ty(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b1",
        Scalar::I8 => "i1",
        Scalar::U8 => "u1",
        Scalar::I16 => "i2",
        Scalar::U16 => "u2",
        Scalar::I32 => "i4",
        Scalar::U32 => "u4",
        Scalar::I64 => "i8",
        Scalar::U64 => "u8",
        Scalar::F16 => "f2",
        Scalar::F32 => "f4",
        Scalar::F64 => "f8",
    }
}

/// An array as a file, in C's order.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn file(array: &Argument<'_>, name: &str) -> Result<Vec<u8>, Error> {
    let (header, dense) = (header(array.scalar(), array.shape()), array.dense(name)?);
    let elements = dense.bytes();
    let mut bytes = host::room(&format!("`{name}` as a file"), header.len() + elements.len())?;
    bytes.extend(header);
    bytes.extend_from_slice(elements);
    Ok(bytes)
}

/// The header of the file, padded so that the elements begin at a multiple of 64 bytes.
fn header(scalar: Scalar, shape: &[usize]) -> Vec<u8> {
    let order = match scalar.bytes() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    // As Python writes tuples: `()`, `(3,)`, `(3, 4)`.
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let lengths = if shape.len() == 1 { lengths.trim_end() } else { lengths.trim_end_matches(", ") };
    let text =
        format!("{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({lengths}), }}", ty(scalar));
    // Version 2, for headers of any length: magic, version, length.
    const START: usize = 12;
    let length = (START + text.len() + 1).next_multiple_of(64) - START;
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend(format!("{text:width$}\n", width = length - 1).into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::header;
    use lift_core::types::Scalar;

    #[test]
    fn shapes_are_pythons_and_elements_are_aligned() {
        for (shape, text) in [(&[][..], "()"), (&[3], "(3,)"), (&[3, 4], "(3, 4)")] {
            let bytes = header(Scalar::U8, shape);
            let dictionary = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {text}, }}");
            assert!(String::from_utf8_lossy(&bytes).contains(&dictionary), "{dictionary}");
            assert_eq!((bytes.len() % 64, bytes.last()), (0, Some(&b'\n')));
        }
    }
}
