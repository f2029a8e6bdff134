//! From the bytes of a file to a [`Model`]: the only place that knows the library which reads the messages.

use crate::error::OnnxError;
use crate::external::{Folder, Location};
use crate::model::{Attribute, Dim, Input, Model, Node};
use crate::tensor::{Elements, MAX_RANK, Tensor, count};
use crate::wire;
use half::f16;
use lift_core::types::Scalar;
use ndarray::{ArcArray, IxDyn};
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataLocation, DataType, ModelProto, NodeProto, TensorProto, ValueInfoProto,
};
use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Read};

/// Reads a model; arrays that are stored elsewhere lie in the folder.
pub(crate) fn model(bytes: &[u8], folder: &Folder) -> Result<Model, OnnxError> {
    wire::check(bytes).map_err(not_a_model)?;
    let message = ModelProto::parse_buf(bytes).map_err(|e| not_a_model(e.to_string()))?;
    let graph = message.graph.ok_or_else(|| not_a_model("it has no graph"))?;
    let own = |domain: &Option<String>| matches!(domain.as_deref(), None | Some("" | "ai.onnx"));
    let versions = message.opset_import.iter().filter(|set| own(&set.domain));
    let opset = versions
        .filter_map(|set| set.version)
        .max()
        .ok_or_else(|| not_a_model("it does not say which version of ONNX's operators it uses"))?;
    if !Model::OPSETS.contains(&opset) {
        let (least, most) = (*Model::OPSETS.start(), *Model::OPSETS.end());
        return Err(OnnxError::Opset { got: opset, least, most });
    }
    let constants = constants(graph.initializer, folder)?;
    Ok(Model {
        opset,
        inputs: inputs(graph.input, &constants)?,
        outputs: graph.output.into_iter().map(|o| o.name.unwrap_or_default()).collect(),
        nodes: nodes(graph.node, folder)?,
        constants,
    })
}

fn not_a_model(reason: impl Into<String>) -> OnnxError {
    OnnxError::NotAModel { reason: reason.into() }
}

/// The stored arrays by their names.
fn constants(tensors: Vec<TensorProto>, folder: &Folder) -> Result<HashMap<String, Tensor>, OnnxError> {
    let mut constants = HashMap::new();
    for tensor in tensors {
        let name = tensor.name.clone().unwrap_or_default();
        if name.is_empty() {
            return Err(not_a_model("a stored array has no name"));
        }
        let array = array(tensor, &name, folder)?;
        if constants.insert(name.clone(), array).is_some() {
            let kind = "a stored array".to_string();
            return Err(OnnxError::DuplicateName {
                name,
                first: kind.clone(),
                second: "another".to_string(),
            });
        }
    }
    Ok(constants)
}

/// The inputs that are not stored: old models name their weights among the inputs.
fn inputs(infos: Vec<ValueInfoProto>, constants: &HashMap<String, Tensor>) -> Result<Vec<Input>, OnnxError> {
    let mut names = HashSet::new();
    let mut inputs = vec![];
    for info in infos {
        let name = info.name.clone().unwrap_or_default();
        if name.is_empty() {
            return Err(not_a_model("an input has no name"));
        }
        if !names.insert(name.clone()) {
            let kind = "an input".to_string();
            return Err(OnnxError::DuplicateName { name, first: kind, second: "another input".to_string() });
        }
        if !constants.contains_key(&name) {
            inputs.push(input(info, name)?);
        }
    }
    Ok(inputs)
}

fn input(info: ValueInfoProto, name: String) -> Result<Input, OnnxError> {
    let wrong = |reason: String| OnnxError::Input { input: name.clone(), reason };
    let Some(tensor) = info.r#type.and_then(|t| t.tensor_type) else {
        return Err(wrong("it is no array".to_string()));
    };
    let data_type = tensor.elem_type.unwrap_or(DataType(0));
    let scalar = scalar(data_type)
        .ok_or_else(|| wrong(format!("its elements are of type {data_type}, which programs don't have")))?;
    let Some(shape) = tensor.shape else {
        return Err(wrong("the model does not say how many dimensions it has".to_string()));
    };
    if shape.dim.len() > MAX_RANK {
        return Err(wrong(format!("it has {} dimensions; at most {MAX_RANK} are possible", shape.dim.len())));
    }
    let dims = shape.dim.into_iter().map(|dim| match (dim.dim_value, dim.dim_param) {
        (Some(number), _) => usize::try_from(number).map_or(Dim::Open, Dim::Number),
        // `?` is what some exporters call each length that they don't know; equal names would be equal lengths.
        (None, Some(name)) if name.contains(char::is_alphanumeric) => Dim::Named(name),
        _ => Dim::Open,
    });
    Ok(Input { scalar, dims: dims.collect(), name })
}

fn nodes(messages: Vec<NodeProto>, folder: &Folder) -> Result<Vec<Node>, OnnxError> {
    messages.into_iter().enumerate().map(|(index, message)| node(index, message, folder)).collect()
}

fn node(index: usize, message: NodeProto, folder: &Folder) -> Result<Node, OnnxError> {
    let domain = message.domain.filter(|domain| domain != "ai.onnx").unwrap_or_default();
    let mut node = Node {
        name: message.name.unwrap_or_default(),
        operator: message.op_type.unwrap_or_default(),
        domain,
        inputs: message.input,
        outputs: message.output,
        attributes: HashMap::new(),
    };
    let label = node.label(index);
    if node.operator.is_empty() {
        return Err(not_a_model(format!("{label} has no operator")));
    }
    for message in message.attribute {
        let name = message.name.clone().unwrap_or_default();
        let unsupported = |reason: &str| OnnxError::Unsupported {
            node: label.clone(),
            operator: node.operator.clone(),
            attribute: Some(name.clone()),
            reason: reason.to_string(),
        };
        let value = attribute(message, &label, folder, &unsupported)?;
        if node.attributes.insert(name.clone(), value).is_some() {
            let first = format!("an attribute of {label}");
            return Err(OnnxError::DuplicateName { name, first, second: "another".to_string() });
        }
    }
    Ok(node)
}

/// The value that the attribute's type says it has; very old models don't say the type.
fn attribute(
    message: AttributeProto,
    label: &str,
    folder: &Folder,
    unsupported: &dyn Fn(&str) -> OnnxError,
) -> Result<Attribute, OnnxError> {
    let kind = match message.r#type {
        Some(kind) if kind != AttributeType::UNDEFINED => kind,
        _ if message.g.is_some() => AttributeType::GRAPH,
        _ if message.t.is_some() => AttributeType::TENSOR,
        _ if message.i.is_some() => AttributeType::INT,
        _ if message.f.is_some() => AttributeType::FLOAT,
        _ if message.s.is_some() => AttributeType::STRING,
        _ if !message.floats.is_empty() => AttributeType::FLOATS,
        _ if !message.strings.is_empty() => AttributeType::STRINGS,
        _ => AttributeType::INTS,
    };
    Ok(match kind {
        AttributeType::INT => Attribute::Int(message.i.unwrap_or_default()),
        AttributeType::FLOAT => Attribute::Float(message.f.unwrap_or_default()),
        AttributeType::STRING => Attribute::Text(message.s.unwrap_or_default()),
        AttributeType::INTS => Attribute::Ints(message.ints),
        AttributeType::FLOATS => Attribute::Floats(message.floats),
        AttributeType::STRINGS => Attribute::Texts(message.strings),
        AttributeType::TENSOR => match message.t {
            Some(tensor) => Attribute::Tensor(array(tensor, label, folder)?),
            None => return Err(unsupported("has no value there")),
        },
        AttributeType::GRAPH => {
            return Err(unsupported("computes with a graph of its own, which is not supported"));
        }
        _ => return Err(unsupported("has a value there that is neither numbers, words nor an array")),
    })
}

/// The scalar type of programs for one of ONNX's.
fn scalar(data_type: DataType) -> Option<Scalar> {
    Some(match data_type {
        DataType::BOOL => Scalar::Bool,
        DataType::INT8 => Scalar::I8,
        DataType::UINT8 => Scalar::U8,
        DataType::INT16 => Scalar::I16,
        DataType::UINT16 => Scalar::U16,
        DataType::INT32 => Scalar::I32,
        DataType::UINT32 => Scalar::U32,
        DataType::INT64 => Scalar::I64,
        DataType::UINT64 => Scalar::U64,
        DataType::FLOAT16 => Scalar::F16,
        DataType::FLOAT => Scalar::F32,
        DataType::DOUBLE => Scalar::F64,
        _ => return None,
    })
}

/// What number of ONNX's `TensorProto.DataType` the elements have that `Cast` names.
pub(crate) fn scalar_of_number(number: i64) -> Option<Scalar> {
    scalar(DataType(i32::try_from(number).ok()?))
}

/// A stored array.
fn array(mut message: TensorProto, name: &str, folder: &Folder) -> Result<Tensor, OnnxError> {
    let wrong = |reason: String| OnnxError::Tensor { tensor: name.to_string(), reason };
    let data_type = message.data_type.unwrap_or(DataType(0));
    let scalar = scalar(data_type)
        .ok_or_else(|| wrong(format!("its elements are of type {data_type}, which programs don't have")))?;
    if message.dims.len() > MAX_RANK {
        return Err(wrong(format!(
            "it has {} dimensions; at most {MAX_RANK} are possible",
            message.dims.len()
        )));
    }
    let lengths: Result<Vec<usize>, _> = message.dims.iter().map(|d| usize::try_from(*d)).collect();
    let shape = lengths.map_err(|_| wrong(format!("its shape {:?} has a negative length", message.dims)))?;
    let elements =
        count(&shape).ok_or_else(|| wrong(format!("no memory is as large as its shape {shape:?} says")))?;
    let bytes = elements * scalar.bytes();

    let missing = || {
        wrong(format!(
            "its shape is {shape:?}, but it has another number of elements, or elements of another type"
        ))
    };
    if message.data_location == Some(DataLocation::EXTERNAL) {
        let entry = |key: &str| {
            let entry = message.external_data.iter().find(|entry| entry.key.as_deref() == Some(key));
            entry.and_then(|entry| entry.value.as_deref())
        };
        let path = entry("location").ok_or_else(|| {
            wrong("it lies in another file, but the model does not say in which one".to_string())
        })?;
        let location = Location { path, offset: entry("offset"), length: entry("length") };
        return folder.read(name, &location, bytes, |file| of_bytes(scalar, &shape, file));
    }
    match message.raw_data.take().map(std::cell::RefCell::into_inner) {
        Some(raw) if raw.len() == bytes => of_bytes(scalar, &shape, &mut &raw[..]).map_err(wrong),
        Some(raw) => {
            Err(wrong(format!("shape {shape:?} of {scalar} takes {bytes} bytes, but it has {}", raw.len())))
        }
        None => of_numbers(scalar, &shape, message).ok_or_else(missing),
    }
}

/// Elements that lie one after another, the lowest byte of each first. They are converted as they are read: a network's weights
/// need not be in memory twice.
fn of_bytes(scalar: Scalar, shape: &[usize], raw: &mut dyn Read) -> Result<Tensor, String> {
    macro_rules! numbers {
        ($($variant:ident $ty:ty,)*) => {
            match scalar {
                Scalar::Bool => elements(shape, raw, |[byte]| byte != 0).map(Tensor::Bool),
                $(Scalar::$variant => elements(shape, raw, <$ty>::from_le_bytes).map(Tensor::$variant),)*
            }
        };
    }
    numbers! {
        I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, F32 f32, F64 f64,
    }
}

/// Bytes that are converted at once.
const PIECE: usize = 1 << 16;

/// As many elements as the shape has, of `N` bytes each.
fn elements<T, const N: usize>(
    shape: &[usize],
    raw: &mut dyn Read,
    convert: impl Fn([u8; N]) -> T,
) -> Result<Elements<T>, String> {
    let length = count(shape).unwrap_or(usize::MAX);
    let mut elements = vec![];
    elements.try_reserve_exact(length).map_err(|_| format!("there is no memory for {length} elements"))?;
    let mut piece = vec![0; PIECE];
    while elements.len() < length {
        let bytes = (length - elements.len()).saturating_mul(N).min(PIECE);
        raw.read_exact(&mut piece[..bytes]).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => "it became shorter while it was read".to_string(),
            _ => e.to_string(),
        })?;
        let (chunks, _) = piece[..bytes].as_chunks();
        elements.extend(chunks.iter().map(|chunk| convert(*chunk)));
    }
    shaped(shape, elements).ok_or_else(|| format!("its elements don't have the shape {shape:?}"))
}

/// Elements that have fields of their own: small types are stored as 32 bits, and `f16` as the number that its bits are.
fn of_numbers(scalar: Scalar, shape: &[usize], message: TensorProto) -> Option<Tensor> {
    let small = message.int32_data;
    match scalar {
        Scalar::Bool => shaped(shape, small.iter().map(|x| *x != 0).collect()).map(Tensor::Bool),
        Scalar::I8 => shaped(shape, small.iter().map(|x| *x as i8).collect()).map(Tensor::I8),
        Scalar::U8 => shaped(shape, small.iter().map(|x| *x as u8).collect()).map(Tensor::U8),
        Scalar::I16 => shaped(shape, small.iter().map(|x| *x as i16).collect()).map(Tensor::I16),
        Scalar::U16 => shaped(shape, small.iter().map(|x| *x as u16).collect()).map(Tensor::U16),
        Scalar::F16 => {
            shaped(shape, small.iter().map(|x| f16::from_bits(*x as u16)).collect()).map(Tensor::F16)
        }
        Scalar::I32 => shaped(shape, small).map(Tensor::I32),
        Scalar::I64 => shaped(shape, message.int64_data).map(Tensor::I64),
        Scalar::F32 => shaped(shape, message.float_data).map(Tensor::F32),
        Scalar::F64 => shaped(shape, message.double_data).map(Tensor::F64),
        // Their field is not among those that are read: models have these types as raw bytes.
        Scalar::U32 | Scalar::U64 => None,
    }
}

fn shaped<T>(shape: &[usize], elements: Vec<T>) -> Option<Elements<T>> {
    ArcArray::from_shape_vec(IxDyn(shape), elements).ok()
}
