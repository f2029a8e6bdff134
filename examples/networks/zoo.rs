//! The networks that there are.

use crate::builder::{BuildError, Builder};
use crate::{alexnet, googlenet, mobilenet, nin, vgg16};
use clap::ValueEnum;
use lift::ndarray::Array4;
use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Zoo {
    Alexnet,
    Nin,
    Googlenet,
    Vgg16,
    MobilenetV2,
}

impl Zoo {
    /// What it is called, in scripts, too.
    pub fn name(self) -> &'static str {
        match self {
            Zoo::Alexnet => "alexnet",
            Zoo::Nin => "nin",
            Zoo::Googlenet => "googlenet",
            Zoo::Vgg16 => "vgg16",
            Zoo::MobilenetV2 => "mobilenet-v2",
        }
    }

    /// Its graph, with random weights, which are also written into a folder if there is one, and its result.
    pub fn built(self, folder: Option<PathBuf>) -> Result<(Builder, lift::graph::Value), BuildError> {
        let layers = match self {
            Zoo::Alexnet => alexnet::alexnet,
            Zoo::Nin => nin::nin,
            Zoo::Googlenet => googlenet::googlenet,
            Zoo::Vgg16 => vgg16::vgg16,
            Zoo::MobilenetV2 => mobilenet::mobilenet_v2,
        };
        let mut net = Builder::new(self.name(), self.range(), folder);
        let result = layers(&mut net)?;
        Ok((net, result))
    }

    /// How far the numbers of its pictures are from 0. Where responses are normalised they are Caffe's, 0 to 255 less a mean:
    /// of small numbers hardly anything is taken.
    pub fn range(self) -> f32 {
        match self {
            Zoo::Alexnet | Zoo::Googlenet => 128.0,
            Zoo::Nin | Zoo::Vgg16 | Zoo::MobilenetV2 => 2.0,
        }
    }

    /// Values for the sizes that its graph leaves open.
    pub fn sizes(self, batch: usize) -> Vec<(&'static str, usize)> {
        match self {
            Zoo::Alexnet | Zoo::Vgg16 => vec![("N", batch)],
            _ => vec![("N", batch), ("H", 224), ("W", 224)],
        }
    }

    /// Random pictures of the usual size.
    pub fn pictures(self, batch: usize) -> Array4<f32> {
        let side = if self == Zoo::Alexnet { 227 } else { 224 };
        let mut random = fastrand::Rng::with_seed(2);
        Array4::from_shape_simple_fn((batch, 3, side, side), || self.range() * (2.0 * random.f32() - 1.0))
    }
}

impl fmt::Display for Zoo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}
