//! Models to begin with: `models FOLDER` writes those that the tests of `lift-onnx` change.

#[path = "../../lift-onnx/tests/common/mod.rs"]
mod common;
#[path = "../../lift-onnx/tests/mutated/mod.rs"]
mod mutated;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    std::fs::create_dir_all(&folder)?;
    mutated::models::named()
        .into_iter()
        .try_for_each(|(name, model)| std::fs::write(format!("{folder}/{name}.onnx"), model))
}
