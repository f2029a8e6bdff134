//! Puts networks together, layer by layer, with random weights.
//!
//! A layer is a node or a few: none is put together with others by hand, since compiling the graph does that. Pictures are
//! `[[[[f32; W]; H]; C]; N]`, rows `[[f32; M]; N]`.

use crate::programs;
use crate::window::Window;
use lift::Program;
use lift::graph::{Graph, GraphError, Length, Value};
use lift::ndarray::{Array1, ArrayD, IxDyn, arr0};
use lift_operators::{OperatorError, Scalar, along, elementwise, layout, matrix, over, rows, scalar, window};
use std::f32::consts::TAU;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Operator(#[from] OperatorError),
    #[error("weights could not be written: {0}")]
    Write(#[from] ndarray_npy::WriteNpyError),
    #[error("`{layer}` takes arrays whose lengths are known, and is given {given}")]
    Open { layer: String, given: String },
}

/// What a channel's scale, or one like it, is of the dimensions of pictures and of rows.
const OF_CHANNELS: [bool; 4] = [false, true, false, false];

/// A network, while it is put together.
pub struct Builder {
    pub graph: Graph,
    /// The results of its layers, by their names.
    pub layers: Vec<(String, Value)>,
    /// How many numbers have been learned, as it were.
    pub parameters: usize,
    /// How large the numbers of pictures are.
    range: f32,
    /// Where weights are written, too.
    folder: Option<PathBuf>,
    random: fastrand::Rng,
}

impl Builder {
    /// For pictures of numbers within this range around 0. Where there is a folder, weights are also written into it.
    pub fn new(name: &str, range: f32, folder: Option<PathBuf>) -> Builder {
        let (graph, random) = (Graph::new(name), fastrand::Rng::with_seed(1));
        Builder { graph, layers: vec![], parameters: 0, range, folder, random }
    }

    /// Any number of pictures of three channels.
    pub fn pictures(
        &mut self,
        height: impl Into<Length>,
        width: impl Into<Length>,
    ) -> Result<Value, BuildError> {
        Ok(self.graph.input("pictures", Scalar::F32, &["N".into(), 3.into(), height.into(), width.into()])?)
    }

    /// Convolutions with so many kernels, and a bias for each.
    pub fn conv(
        &mut self,
        name: &str,
        x: Value,
        kernels: usize,
        window: Window,
    ) -> Result<Value, BuildError> {
        let x = self.conv_alone(name, x, kernels, window)?;
        self.bias(name, x)
    }

    pub fn conv_relu(
        &mut self,
        name: &str,
        x: Value,
        kernels: usize,
        window: Window,
    ) -> Result<Value, BuildError> {
        let x = self.conv(name, x, kernels, window)?;
        self.relu(name, x)
    }

    /// The same in groups of channels that know nothing of each other.
    pub fn conv_grouped_relu(
        &mut self,
        name: &str,
        x: Value,
        kernels: usize,
        groups: usize,
        window: Window,
    ) -> Result<Value, BuildError> {
        let shape = [kernels, self.channels(name, x)? / groups, window.side, window.side];
        let weights = self.normal(name, &shape)?;
        let sizes: Vec<_> = [("G", groups)].into_iter().chain(window.strides()).collect();
        let x = self.apply(name, window::conv_grouped::program(), &sizes, &[weights, x])?;
        let x = self.bias(name, x)?;
        self.relu(name, x)
    }

    /// Convolutions, a batch normalisation after them, and no bias.
    pub fn conv_norm(
        &mut self,
        name: &str,
        x: Value,
        kernels: usize,
        window: Window,
    ) -> Result<Value, BuildError> {
        let x = self.conv_alone(name, x, kernels, window)?;
        self.batch_norm(name, x)
    }

    /// The same of each channel by itself.
    pub fn depthwise_norm(&mut self, name: &str, x: Value, window: Window) -> Result<Value, BuildError> {
        let shape = [self.channels(name, x)?, 1, window.side, window.side];
        let weights = self.normal(name, &shape)?;
        let x = self.apply(name, window::conv_depthwise::program(), &window.strides(), &[weights, x])?;
        self.batch_norm(name, x)
    }

    fn conv_alone(
        &mut self,
        name: &str,
        x: Value,
        kernels: usize,
        window: Window,
    ) -> Result<Value, BuildError> {
        let shape = [kernels, self.channels(name, x)?, window.side, window.side];
        let weights = self.normal(name, &shape)?;
        self.apply(name, window::conv::program(), &window.strides(), &[weights, x])
    }

    /// Rows times a matrix, and a bias for each column.
    pub fn linear(&mut self, name: &str, x: Value, columns: usize) -> Result<Value, BuildError> {
        let shape = [columns, self.channels(name, x)?];
        let weights = self.normal(name, &shape)?;
        let x = self.apply(name, matrix::matmul_nt::program(), &[], &[x, weights])?;
        self.bias(name, x)
    }

    pub fn linear_relu(&mut self, name: &str, x: Value, columns: usize) -> Result<Value, BuildError> {
        let x = self.linear(name, x, columns)?;
        self.relu(name, x)
    }

    fn bias(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let most = self.range / 8.0;
        let biases = self.uniform(self.channels(name, x)?, -most, most);
        let biases = self.learned(&format!("{name}.biases"), biases)?;
        let x = self.elementwise(&format!("{name}.bias"), scalar::add::program(), x, &[biases])?;
        Ok(self.layer(name, x))
    }

    /// As it is after training: what it subtracts and divides by are weights. What it comes to are a factor and a term for each
    /// channel, which are the same in every run, and computed once.
    fn batch_norm(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let channels = self.channels(name, x)?;
        let name = format!("{name}.norm");
        let (gammas, betas) = (self.uniform(channels, 0.5, 1.5), self.uniform(channels, -0.5, 0.5));
        // About the variance that normal kernels give what is not rectified before: other numbers grow from layer to layer.
        let (means, variances) = (self.uniform(channels, -0.5, 0.5), self.uniform(channels, 1.0, 4.0));
        let gammas = self.learned(&format!("{name}.gammas"), gammas)?;
        let betas = self.learned(&format!("{name}.betas"), betas)?;
        let means = self.constant(&format!("{name}.means"), means)?;
        let variances = self.constant(&format!("{name}.variances"), variances)?;
        let factors = programs::scales::program();
        let scales = self.apply(&format!("{name}.scales"), factors, &[], &[gammas, variances])?;
        let terms = programs::shifts::program();
        let shifts = self.apply(&format!("{name}.shifts"), terms, &[], &[betas, means, scales])?;
        let x = self.elementwise(&name, programs::affine::program(), x, &[scales, shifts])?;
        Ok(self.layer(&name, x))
    }

    pub fn relu(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        self.activation(name, scalar::relu::program(), x)
    }

    pub fn relu6(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        self.activation(name, programs::relu6::program(), x)
    }

    fn activation(&mut self, name: &str, program: &Program, x: Value) -> Result<Value, BuildError> {
        let name = format!("{name}.relu");
        let x = self.elementwise(&name, program, x, &[])?;
        Ok(self.layer(&name, x))
    }

    pub fn max_pool(&mut self, name: &str, x: Value, window: Window) -> Result<Value, BuildError> {
        let x = self.apply(name, window::max_pool::program(), &window.sizes(), &[x])?;
        Ok(self.layer(name, x))
    }

    /// The mean of each channel: pictures become rows.
    pub fn global_average(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let x = self.apply(name, &over(rows::mean::program(), 4, &[2, 3])?, &[], &[x])?;
        Ok(self.layer(name, x))
    }

    /// Each divided by the root of the root, cubed, of the mean square of five channels around it.
    pub fn local_response_norm(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let program = along(rows::lrn_three_quarters::program(), 4, 1)?;
        let alpha = self.graph.constant(&format!("{name}.alpha"), arr0(1e-4f32))?;
        let bias = self.graph.constant(&format!("{name}.bias"), arr0(1.0f32))?;
        let x = self.apply(name, &program, &[("LEFT", 2), ("RIGHT", 2)], &[x, alpha, bias])?;
        Ok(self.layer(name, x))
    }

    /// The channels of several arrays one after the other.
    pub fn concat(&mut self, name: &str, parts: &[Value]) -> Result<Value, BuildError> {
        let x = self.apply(name, &layout::concat(Scalar::F32, 4, 1, parts.len())?, &[], parts)?;
        Ok(self.layer(name, x))
    }

    pub fn add(&mut self, name: &str, x: Value, y: Value) -> Result<Value, BuildError> {
        let program = elementwise(scalar::add::program(), 4, &[vec![true; 4], vec![true; 4]])?;
        let x = self.apply(name, &program, &[], &[x, y])?;
        Ok(self.layer(name, x))
    }

    /// Pictures as rows.
    pub fn flatten(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let picture = (1..4).map(|d| self.length(name, x, d)).collect::<Result<Vec<usize>, _>>()?;
        let flat = layout::reshape(Scalar::F32, &picture, &[picture.iter().product()])?;
        self.apply(name, &flat.each("N", &["x"]).map_err(OperatorError::from)?, &[], &[x])
    }

    pub fn softmax(&mut self, name: &str, x: Value) -> Result<Value, BuildError> {
        let x = self.apply(name, &along(rows::softmax::program(), 2, 1)?, &[], &[x])?;
        Ok(self.layer(name, x))
    }

    /// A function of numbers, the first of them from `x`, the others the same for a whole channel.
    fn elementwise(
        &mut self,
        name: &str,
        program: &Program,
        x: Value,
        of_channels: &[Value],
    ) -> Result<Value, BuildError> {
        let rank = self.graph.ty(x).shape().0.len();
        let mut uses = vec![vec![true; rank]];
        uses.resize(1 + of_channels.len(), OF_CHANNELS[..rank].to_vec());
        let arguments: Vec<Value> = [x].iter().chain(of_channels).copied().collect();
        self.apply(name, &elementwise(program, rank, &uses)?, &[], &arguments)
    }

    fn apply(
        &mut self,
        name: &str,
        program: &Program,
        sizes: &[(&str, usize)],
        arguments: &[Value],
    ) -> Result<Value, BuildError> {
        Ok(self.graph.apply(name, program, sizes, arguments)?[0])
    }

    fn layer(&mut self, name: &str, result: Value) -> Value {
        self.layers.push((name.to_string(), result));
        result
    }

    fn channels(&self, layer: &str, x: Value) -> Result<usize, BuildError> {
        self.length(layer, x, 1)
    }

    fn length(&self, layer: &str, x: Value, dimension: usize) -> Result<usize, BuildError> {
        let ty = self.graph.ty(x);
        let length = ty.shape().0.get(dimension).and_then(|length| length.as_constant());
        length
            .and_then(|length| usize::try_from(length).ok())
            .ok_or_else(|| BuildError::Open { layer: layer.to_string(), given: ty.to_string() })
    }

    /// Kernels, or rows of a matrix: normally distributed so that what they make of rectified numbers is as large as these
    /// (He et al., 2015).
    fn normal(&mut self, layer: &str, shape: &[usize]) -> Result<Value, BuildError> {
        let deviation = (2.0 / shape[1..].iter().product::<usize>() as f32).sqrt();
        let random = &mut self.random;
        let mut second = None;
        let number = || {
            second.take().unwrap_or_else(|| {
                // Two at a time (Box and Muller, 1958).
                let radius = deviation * (-2.0 * (1.0 - random.f32()).ln()).sqrt();
                let (sine, cosine) = (random.f32() * TAU).sin_cos();
                second = Some(radius * sine);
                radius * cosine
            })
        };
        let array = ArrayD::from_shape_simple_fn(IxDyn(shape), number);
        self.learned(&format!("{layer}.weights"), array)
    }

    /// A number for each channel, evenly distributed.
    fn uniform(&mut self, channels: usize, low: f32, high: f32) -> ArrayD<f32> {
        let random = &mut self.random;
        Array1::from_shape_simple_fn(channels, || low + (high - low) * random.f32()).into_dyn()
    }

    fn learned(&mut self, name: &str, array: ArrayD<f32>) -> Result<Value, BuildError> {
        self.parameters += array.len();
        self.constant(name, array)
    }

    fn constant(&mut self, name: &str, array: ArrayD<f32>) -> Result<Value, BuildError> {
        if let Some(folder) = &self.folder {
            ndarray_npy::write_npy(folder.join(format!("{name}.npy")), &array)?;
        }
        Ok(self.graph.constant(name, array)?)
    }
}
