//! A layer as a folder of C and OpenCL, with arguments to try it on and the loop nest's result.

use crate::layers::{Data, Layer};
use crate::reference;
use lift::{Compiled, Error};
use std::path::Path;

/// Writes a layer in the form of this name.
pub fn write(form: &str, compiled: &Compiled, layer: &Layer, seed: u64, folder: &Path) -> Result<(), Error> {
    let data = Data::random(layer, seed);
    let arguments = [(&data.kernels).into(), (&data.biases).into(), (&data.input).into()];
    let expected = reference::conv(&data).mapv(|x| x as f32);
    compiled.export().form(form).arguments(&arguments)?.expected(&[(&expected).into()])?.write(folder)
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::form::Form;
    use crate::layers::Layer;
    use lift::{Device, Error};

    #[test]
    fn a_layer_is_written_with_data() -> Result<(), Error> {
        let layer = Layer { number: 0, inputs: 4, outputs: 8, side: 4 };
        let form = Form::new("combined".parse().expect("a choice")).expect("it applies");
        let compiled = form.compile(&Device::cpu(), &layer)?;
        let parent = tempfile::tempdir().expect("a temporary folder");
        let folder = parent.path().join("layer");
        write(&form.name(), &compiled, &layer, 1, &folder)?;
        for name in ["main.c", "kernels.npy", "biases.npy", "input.npy", "expected.npy"] {
            assert!(folder.join(name).exists(), "{name}");
        }
        Ok(())
    }
}
