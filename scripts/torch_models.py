#!/usr/bin/env python3
"""What PyTorch takes for ONNX models: `torch_models.py MODEL.onnx…` prints a line of JSON for each.

{"model": NAME, "torch": VERSION, "ms": MEDIAN, "least_ms": SHORTEST, "way": WAY, "ways": {WAY: MEDIAN, …}, "difference": D}

It is fp32 without TF32, with cuDNN's search for algorithms. On a GPU a run is the replay of a captured graph, so that nothing
waits for the host. There are four ways, of which the fastest counts: channels first or last, and normalisations (with the
multiplications and additions per channel behind them) as they are or folded into the convolution before them. D is the largest
difference from onnxruntime's result on the processor, as a part of its largest value, taken before a softmax at the end, which
would hide differences. Weights that the model makes by
ConstantOfShape are drawn, as those of a trained network would lie, since with equal ones every result would be the same.

Needs torch, onnx and onnxruntime. To compare with `network MODEL.onnx --device nvidia --json`."""

import argparse
import json
import os
import statistics
import sys
import time

import numpy
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import numpy_helper

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False
LAYOUTS = {"channels first": torch.contiguous_format, "channels last": torch.channels_last}


def draw(graph):
    """Weights that a ConstantOfShape makes become stored ones, drawn with the variance 2/(values that a sum takes)."""
    random = numpy.random.default_rng(1)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            readers[name] = node.op_type, place
    for node in [node for node in graph.node if node.op_type == "ConstantOfShape"]:
        shape, (reader, place) = stored[node.input[0]], readers[node.output[0]]
        values = random.standard_normal(shape).astype(numpy.float32)
        if len(shape) > 1:
            values *= (2 / numpy.prod(shape[1:])) ** 0.5
        elif reader == "BatchNormalization" and place in (1, 4):
            values = 1 + 0.1 * numpy.abs(values)
        else:
            values *= 0.1
        graph.initializer.append(numpy_helper.from_array(values.astype(numpy.float32), node.output[0]))
        graph.node.remove(node)


class Model:
    """The nodes of a graph, each a function of tensors, in their order."""

    def __init__(self, graph, folded, layout):
        self.layout = layout
        self.stored = {
            tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer
        }
        self.compared = compared(graph)
        self.readers = {}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.steps = []
        done = set()
        for node in graph.node:
            if node.op_type == "Unsqueeze" and node.input[0] in self.stored:
                x = self.stored[node.input[0]]
                for axis in sorted(attributes(node)["axes"]):
                    x = x.unsqueeze(axis)
                self.stored[node.output[0]] = x
                done.add(node.output[0])
        for node in graph.node:
            if node.output[0] in done:
                continue
            if node.op_type == "Conv" and folded:
                node = self.fold(node, done)
            self.steps.append((list(node.input), node.output[0], operator(node, self.stored)))
        for name, tensor in self.stored.items():
            tensor = tensor.to(DEVICE) if tensor.is_floating_point() else tensor
            self.stored[name] = self.arrange(tensor)

    def arrange(self, tensor):
        return tensor.contiguous(memory_format=self.layout) if tensor.dim() == 4 else tensor

    def fold(self, conv, done):
        """The convolution with what multiplies and adds by channel behind it in its weights."""
        weights = self.stored[conv.input[1]].double()
        bias = self.stored[conv.input[2]].double() if len(conv.input) > 2 else torch.zeros(len(weights)).double()
        output = conv.output[0]
        while len(self.readers.get(output, [])) == 1 and output != self.compared:
            node = self.readers[output][0]
            if node.op_type == "BatchNormalization":
                gamma, beta, mean, variance = (self.stored[name].double() for name in node.input[1:5])
                scale = gamma / (variance + attributes(node).get("epsilon", 1e-5)) ** 0.5
                shift = beta - mean * scale
            elif node.op_type in ("Mul", "Add") and node.input[0] == output:
                if node.input[1] not in self.stored or self.stored[node.input[1]].numel() != len(weights):
                    break
                value = self.stored[node.input[1]].double().flatten()
                multiplied = node.op_type == "Mul"
                scale = value if multiplied else torch.ones_like(value)
                shift = torch.zeros_like(value) if multiplied else value
            else:
                break
            weights = weights * scale.reshape(-1, *[1] * (weights.dim() - 1))
            bias = bias * scale + shift
            output = node.output[0]
            done.add(output)
        folded = onnx.NodeProto()
        folded.CopyFrom(conv)
        names = [output + ".weights", output + ".bias"]
        self.stored.update(zip(names, [weights.float(), bias.float()]))
        del folded.input[1:]
        folded.input.extend(names)
        folded.output[0] = output
        return folded

    def __call__(self, inputs):
        values = {name: self.arrange(x) for name, x in inputs.items()}
        for names, output, compute in self.steps:
            values[output] = compute(*(values[name] if name in values else self.stored[name] for name in names))
        return values[self.compared]


def compared(graph):
    """The array that is compared."""
    last = graph.node[-1]
    return last.input[0] if last.op_type == "Softmax" else last.output[0]


def attributes(node):
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def operator(node, stored):
    """What a node computes, as a function of its tensors."""
    a = attributes(node)

    def padded(x, value=0.0):
        """The input padded, where ONNX pads its ends differently and PyTorch can't, and the padding that is left to PyTorch."""
        pads = a.get("pads", [0, 0, 0, 0])
        if pads[:2] == pads[2:]:
            return x, pads[:2]
        return F.pad(x, (pads[1], pads[3], pads[0], pads[2]), value=value), [0, 0]

    def conv(x, w, b=None):
        x, pads = padded(x)
        return F.conv2d(x, w, b, a.get("strides", 1), pads, a.get("dilations", 1), a.get("group", 1))

    def max_pool(x):
        x, pads = padded(x, -torch.inf)
        return F.max_pool2d(x, a["kernel_shape"], a.get("strides", 1), pads)

    shares = {}

    def average_pool(x):
        counted, size = bool(a.get("count_include_pad", 0)), x.shape
        x, pads = padded(x)
        means = F.avg_pool2d(x, a["kernel_shape"], a.get("strides", 1), pads, count_include_pad=counted)
        if counted or x.shape == size:
            return means
        if size not in shares:
            ones, _ = padded(torch.ones_like(x[..., : size[2], : size[3]]))
            shares[size] = F.avg_pool2d(ones, a["kernel_shape"], a.get("strides", 1))
        return means / shares[size]

    def gemm(x, w, b=None):
        if a.get("transA", 0) or a.get("alpha", 1) != 1 or a.get("beta", 1) != 1:
            raise NotImplementedError("a Gemm with transA, alpha or beta")
        w = w.t() if a.get("transB", 0) else w
        return x @ w if b is None else torch.addmm(b, x, w)

    def reshape(x, shape):
        if node.input[1] not in stored:
            raise NotImplementedError("a shape that is computed")
        sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(shape.tolist())]
        return x.reshape(sizes)

    def norm(x, gamma, beta, mean, variance):
        return F.batch_norm(x, mean, variance, gamma, beta, False, eps=a.get("epsilon", 1e-5))

    def softmax(x):
        rows = x.reshape(*x.shape[: a.get("axis", 1)], -1)
        return F.softmax(rows, -1).reshape(x.shape)

    operators = {
        "Add": torch.add,
        "AveragePool": average_pool,
        "BatchNormalization": norm,
        "Concat": lambda *x: torch.cat(x, a["axis"]),
        "Conv": conv,
        "Dropout": lambda x, *_: x,
        "Gemm": gemm,
        "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True),
        "LRN": lambda x: F.local_response_norm(x, a["size"], a.get("alpha", 1e-4), a.get("beta", 0.75), a.get("bias", 1.0)),
        "MaxPool": max_pool,
        "Mul": torch.mul,
        "Relu": F.relu,
        "Reshape": reshape,
        "Softmax": softmax,
        "Sum": lambda first, *others: sum(others, first),
        "Transpose": lambda x: x.permute(a["perm"]),
    }
    if node.op_type not in operators:
        raise NotImplementedError(f"the operator {node.op_type}")
    return operators[node.op_type]


@torch.no_grad()
def timed(model, inputs, runs):
    """The result, and the milliseconds of each run."""
    if not GPU:
        result = model(inputs)
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            model(inputs)
            times.append((time.perf_counter() - start) * 1e3)
        return result, times
    for _ in range(5):
        model(inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = model(inputs)
    times = []
    for _ in range(runs + 5):
        start, end = torch.cuda.Event(True), torch.cuda.Event(True)
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return result, times[5:]


def main():
    onnxruntime.set_default_logger_severity(3)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx")
    parser.add_argument("--runs", type=int, default=60, help="timed runs of each way (default 60)")
    options = parser.parse_args()
    for path in options.models:
        model = onnx.load(path)
        draw(model.graph)
        stored = {tensor.name for tensor in model.graph.initializer}
        random = numpy.random.default_rng(0)
        shapes = {
            x.name: [d.dim_value or 1 for d in x.type.tensor_type.shape.dim]
            for x in model.graph.input
            if x.name not in stored
        }
        arrays = {name: random.standard_normal(shape).astype(numpy.float32) for name, shape in shapes.items()}
        model.graph.output.append(onnx.ValueInfoProto(name=compared(model.graph)))
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        expected = session.run([compared(model.graph)], arrays)[0]
        inputs = {name: torch.from_numpy(array).to(DEVICE) for name, array in arrays.items()}
        ways, difference = {}, 0.0
        for layout in LAYOUTS:
            for folded in (False, True):
                network = Model(model.graph, folded, LAYOUTS[layout])
                result, times = timed(network, inputs, options.runs)
                got = result.cpu().numpy().reshape(expected.shape)
                difference = max(difference, float(abs(got - expected).max() / abs(expected).max()))
                ways[layout + (", folded" if folded else "")] = statistics.median(times), min(times)
                del network
        way = min(ways, key=lambda way: ways[way][0])
        line = {
            "model": os.path.splitext(os.path.basename(path))[0],
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name() if GPU else "cpu",
            "ms": round(ways[way][0], 4),
            "least_ms": round(ways[way][1], 4),
            "way": way,
            "ways": {way: round(times[0], 4) for way, times in ways.items()},
            "difference": float(f"{difference:.2g}"),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
