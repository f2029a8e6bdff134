#!/usr/bin/env python3
"""Writes models with arguments and expected results: `scripts/onnx_cases.py FOLDER [--light] [--only PATTERN]`.

The packages onnx, numpy and (for --light) onnxruntime must be installed.

Without --light: the tests of single operators that come with ONNX, and the small stored models of its backend tests.
With --light: the nine networks that ONNX ships without their weights, with weights drawn from a fixed seed, and what
onnxruntime computes of them without changing the graph; what goes into the softmax at the end is a result, too.

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
import sys
import warnings

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


def light_models(cases):
    """Networks whose weights are replaced by zeros, with weights that are none."""
    import onnxruntime

    data = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    for path in sorted(glob.glob(os.path.join(data, "*.onnx"))):
        name = os.path.basename(path).removesuffix(".onnx")
        if not cases.wanted(name):
            continue
        model = with_weights(onnx.load(path), np.random.default_rng(SEED))
        stored = {tensor.name for tensor in model.graph.initializer}
        random = np.random.default_rng(SEED + 1)
        inputs = {}
        for value in model.graph.input:
            if value.name not in stored:
                shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
                inputs[value.name] = random.standard_normal(shape).astype(np.float32)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        # Weights are large: the session reads the file that the case has.
        weights = sum(int(np.prod(tensor.dims)) for tensor in model.graph.initializer)
        large = weights > 20_000_000
        cases.add(name, "light", model, list(inputs.values()), [], external=large)
        folder = os.path.join(cases.folder, name)
        session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options)
        results = session.run(None, inputs)
        for i, value in enumerate(results):
            np.save(os.path.join(folder, f"output_{i}.npy"), value)
        fields = cases.lines.pop().split("\t")
        fields[6] = str(len(results))
        cases.lines.append("\t".join(fields))
        print(name, f"{weights} weights, results", [f"{v.shape} {v.min():.3g}..{v.max():.3g}" for v in results])


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
    # What goes into the last function, too: of most elements it makes zeros.
    last = [node.input[0] for node in graph.node if node.op_type == "Softmax"]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in last)
    # Arrays that are stored and no inputs need a newer version of the format.
    model.ir_version = max(model.ir_version, 4)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--only", help="a pattern that names must contain")
    options = parser.parse_args()
    cases = Cases(options.folder, options.only)
    if options.light:
        light_models(cases)
    else:
        operator_tests(cases)
        stored_tests(cases)
    cases.close()


if __name__ == "__main__":
    sys.exit(main())
