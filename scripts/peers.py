#!/usr/bin/env python3
"""Runs the cases of the example `peers` by other libraries. The example starts it and talks to it in lines of JSON, a
request each on stdin and an answer each on stdout:

    {"do": "list"}                                                  what is there, and what is missing
    {"do": "prepare", "peer": NAME, "case": {…}, "inputs": [{"name", "shape", "file"}], "output": SHAPE}
    {"do": "time", "peer": NAME, "seconds": S}                      median and least time of a run in S seconds or so
    {"do": "result", "peer": NAME, "file": PATH}                    the result as 32-bit floats, in the case's own order
    {"do": "reference", "case": {…}, "inputs": […], "output": SHAPE, "file": PATH}
                                                                    the result in 64-bit floats, by PyTorch
    {"do": "forget"}

An answer with "error" says why there is no other. Layouts are each library's best: arrays are brought into them beforehand.
All in fp32 (no TF32). With `cuda` as its argument it runs on the GPU, without on the processor."""

import ctypes
import json
import math
import os
import statistics
import sys
import time

GPU = sys.argv[1:] == ["cuda"]
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def missing_reason(error):
    return f"{type(error).__name__}: {error}".splitlines()[0]


def shape_of(axes, shape, order):
    """The permutation that brings letters into an order, and the shape there; what is missing has the length 1."""
    present = [axes.index(letter) for letter in order if letter in axes]
    return present, [shape[axes.index(letter)] if letter in axes else 1 for letter in order]


class Convolution:
    """A convolution's numbers, in the libraries' order of axes: N C places, and K C places."""

    def __init__(self, case, inputs, output):
        self.case = case
        places = "".join(letter for letter in "ZYX" if letter in case["input"])
        self.rank = len(places)
        self.weights = next((i for i in inputs if i["name"] in ("kernels", "taps")), None)
        self.bias = next((i for i in inputs if i["name"] == "biases"), None)
        self.input = next(i for i in inputs if i is not self.weights and i is not self.bias)
        self.output_order = "NK" + places
        self.input_axes = shape_of(case["input"], self.input["shape"], "NI" + places)
        order = ("CK" if case["transposed"] else "KC") + places
        shape = self.weights["shape"] if self.weights else case["constant"][0]
        self.weights_axes = shape_of(case["weights"], shape, order)
        present, _ = shape_of(case["output"], output, self.output_order)
        # From the libraries' order back to the case's.
        letters = [letter for letter in self.output_order if letter in case["output"]]
        self.back = [letters.index(letter) for letter in case["output"]]
        self.kernel = self.weights_axes[1][2:]

    def settings(self):
        case = self.case
        return [case["stride"]] * self.rank, case["padding"], [case["dilation"]] * self.rank, case["groups"]


class OnnxRuntime:
    """Models of one operator, their weights in the model, all optimisations, one thread for each core."""

    name, pip = "onnxruntime", "pip install onnxruntime onnx numpy"

    def __init__(self):
        import numpy
        import onnx
        import onnxruntime

        if GPU:
            raise RuntimeError("runs on processors only here")
        self.np, self.onnx, self.ort = numpy, onnx, onnxruntime
        self.version = onnxruntime.__version__

    def read(self, entry):
        return self.np.fromfile(entry["file"], dtype=self.np.float32).reshape(entry["shape"])

    def prepare(self, case, inputs, output):
        np, helper = self.np, self.onnx.helper
        nodes, weights, feeds = [], {}, {}
        self.finish = lambda result: result.reshape(output)
        op = case["op"]

        def node(kind, names, **attributes):
            nodes.append(helper.make_node(kind, names, ["result"], **attributes))

        arrays = {entry["name"]: self.read(entry) for entry in inputs}
        values = list(arrays.values())
        if op == "conv":
            conv = Convolution(case, inputs, output)
            kernels = (
                arrays[conv.weights["name"]]
                if conv.weights
                else np.array(case["constant"][1], np.float32).reshape(case["constant"][0])
            )
            present, shape = conv.weights_axes
            weights["w"] = np.ascontiguousarray(kernels.transpose(present).reshape(shape))
            present, shape = conv.input_axes
            feeds["x"] = np.ascontiguousarray(arrays[conv.input["name"]].transpose(present).reshape(shape))
            names = ["x", "w"]
            if conv.bias:
                weights["b"] = arrays["biases"]
                names.append("b")
            strides, padding, dilations, groups = conv.settings()
            kind = "ConvTranspose" if case["transposed"] else "Conv"
            node(kind, names, kernel_shape=conv.kernel, strides=strides, pads=[padding] * (2 * conv.rank),
                 dilations=dilations, group=groups)
            squeezed = lambda r: r.reshape([n for n, l in zip(r.shape, conv.output_order) if l in case["output"]])
            self.finish = lambda result: squeezed(result).transpose(conv.back)
        elif op == "product":
            feeds["a"], feeds["b"] = values
            ta, tb = case["transpose_a"], case["transpose_b"]
            if values[1].ndim == 1:
                feeds["b"] = values[1].reshape(-1, 1)
            if ta or tb:
                node("Gemm", ["a", "b"], transA=int(ta), transB=int(tb))
            else:
                node("MatMul", ["a", "b"])
        elif op == "transpose":
            feeds["x"] = values[0]
            node("Transpose", ["x"], perm=case["order"])
        elif op == "scale_add":
            feeds["x"], feeds["y"] = values
            weights["s"] = np.array(2.5, np.float32)
            nodes.append(helper.make_node("Mul", ["x", "s"], ["scaled"]))
            node("Add", ["scaled", "y"])
        elif op == "gelu":
            feeds["x"] = values[0]
            node("Gelu", ["x"], approximate="tanh")
        elif op == "sigmoid":
            feeds["x"] = values[0]
            node("Sigmoid", ["x"])
        elif op == "pool":
            order, back = ([0, 1, 2], [0, 1, 2]) if case["axes"] == "IYX" else ([2, 0, 1], [1, 2, 0])
            feeds["x"] = np.ascontiguousarray(values[0].transpose(order))[None]
            k, s = case["window"], case["stride"]
            node("MaxPool" if case["largest"] else "AveragePool", ["x"], kernel_shape=[k, k], strides=[s, s])
            self.finish = lambda result: result[0].transpose(back)
        elif op == "sum":
            feeds["x"] = values[0]
            if case["axis"] is None:
                node("ReduceSum", ["x"], keepdims=0)
            else:
                weights["axes"] = np.array([case["axis"]], np.int64)
                node("ReduceSum", ["x", "axes"], keepdims=0)
        elif op == "softmax":
            feeds["x"] = values[0]
            node("Softmax", ["x"], axis=case["axis"])
        elif op == "layer_norm":
            feeds["x"], weights["s"], weights["b"] = values
            node("LayerNormalization", ["x", "s", "b"], axis=-1, epsilon=1e-5)
        elif op == "arg_max":
            feeds["x"] = values[0]
            node("ArgMax", ["x"], axis=-1, keepdims=0)
        elif op == "prefix":
            feeds["x"] = values[0]
            weights["axis"] = np.array(case["axis"], np.int64)
            node("CumSum", ["x", "axis"])
        else:
            raise NotImplementedError(op)
        info, tensor = helper.make_tensor_value_info, self.onnx.TensorProto
        kind = tensor.INT64 if op == "arg_max" else tensor.FLOAT
        graph = helper.make_graph(
            nodes, "case",
            [info(name, tensor.FLOAT, list(array.shape)) for name, array in feeds.items()],
            [info("result", kind, None)],
            [self.onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = CORES
        options.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = self.ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self.binding = self.session.io_binding()
        self.feeds = feeds
        for name, array in feeds.items():
            self.binding.bind_cpu_input(name, array)
        result = self.session.run(None, feeds)[0]
        # The result's memory is the same in all runs.
        self.room = self.ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(result))
        self.binding.bind_ortvalue_output("result", self.room)
        return "one operator"

    def once(self):
        self.session.run_with_iobinding(self.binding)

    def result(self, path):
        self.once()
        result = self.finish(self.room.numpy())
        self.np.ascontiguousarray(result, dtype=self.np.float32).tofile(path)

    def time(self, seconds):
        return by_clock(self.once, seconds)


class NumPy:
    """What NumPy has as one call: products by its BLAS."""

    name, pip = "numpy", "pip install numpy"

    def __init__(self):
        import numpy

        if GPU:
            raise RuntimeError("runs on processors only")
        self.np, self.version = numpy, numpy.__version__

    def prepare(self, case, inputs, output):
        np = self.np
        values = [np.fromfile(e["file"], dtype=np.float32).reshape(e["shape"]) for e in inputs]
        op = case["op"]
        room = np.empty(output, np.int64 if op == "arg_max" else np.float32)
        if op == "product":
            a, b = values
            a = a.T if case["transpose_a"] else a
            b = b.T if case["transpose_b"] else b
            self.call = lambda: np.matmul(a, b, out=room)
        elif op == "sum":
            self.call = lambda: np.sum(values[0], axis=case["axis"], out=room)
        elif op == "prefix":
            self.call = lambda: np.cumsum(values[0], axis=case["axis"], out=room)
        elif op == "transpose":
            self.call = lambda: np.copyto(room, values[0].transpose(case["order"]))
        elif op == "arg_max":
            self.call = lambda: np.argmax(values[0], axis=-1, out=room)
        else:
            raise NotImplementedError("not one call of NumPy")
        self.room = room
        return "BLAS" if op == "product" else "one call"

    def result(self, path):
        self.call()
        self.room.astype(self.np.float32).tofile(path)

    def time(self, seconds):
        return by_clock(self.call, seconds)


class PyTorch:
    """The faster of both layouts for pictures; on a GPU many runs in a captured graph."""

    name, pip = "torch", "pip install torch"

    def __init__(self):
        import torch

        self.torch, self.version, self.dtype = torch, torch.__version__, torch.float32
        if GPU:
            if not torch.cuda.is_available():
                raise RuntimeError("no CUDA device")
            torch.backends.cudnn.benchmark = True
            torch.backends.cudnn.allow_tf32 = False
            torch.backends.cuda.matmul.allow_tf32 = False
        else:
            torch.set_num_threads(CORES)
        self.device = "cuda" if GPU else "cpu"

    def read(self, entry):
        torch = self.torch
        with open(entry["file"], "rb") as file:
            data = bytearray(file.read())
        return torch.frombuffer(data, dtype=torch.float32).reshape(entry["shape"]).to(self.device, self.dtype)

    def prepare(self, case, inputs, output):
        torch = self.torch
        ways = self.ways(case, inputs, output)
        best = None
        self.graph = None
        for how, call, finish in ways:
            with torch.no_grad():
                self.call, self.finish = call, finish
                self.capture()
                seconds = statistics.median(self.time(0.02))
            if best is None or seconds < best[0]:
                best = seconds, how, call, finish, self.graph, self.runs
        _, how, self.call, self.finish, self.graph, self.runs = best
        return how

    def ways(self, case, inputs, output):
        """Ways to compute a case: each with its name, the call, and what makes the case's order of its result."""
        torch = self.torch
        functional = torch.nn.functional
        arrays = {entry["name"]: self.read(entry) for entry in inputs}
        values = list(arrays.values())
        op = case["op"]
        same = lambda r: r
        if op == "conv":
            conv = Convolution(case, inputs, output)
            kernels = (
                arrays[conv.weights["name"]]
                if conv.weights
                else torch.tensor(case["constant"][1], dtype=torch.float32)
                .to(self.device, self.dtype)
                .reshape(case["constant"][0])
            )
            present, shape = conv.weights_axes
            w = kernels.permute(present).reshape(shape).contiguous()
            present, shape = conv.input_axes
            x = arrays[conv.input["name"]].permute(present).reshape(shape).contiguous()
            bias = arrays["biases"] if conv.bias else None
            strides, padding, dilations, groups = conv.settings()
            kind = "conv_transpose" if case["transposed"] else "conv"
            function = getattr(functional, f"{kind}{conv.rank}d")
            formats = [("channels first", torch.contiguous_format)]
            if conv.rank > 1:
                formats.append(
                    ("channels last", torch.channels_last if conv.rank == 2 else torch.channels_last_3d)
                )

            def finish(result):
                result = result.contiguous()
                lengths = [n for n, l in zip(result.shape, conv.output_order) if l in case["output"]]
                return result.reshape(lengths).permute(conv.back)

            def way(name, layout):
                xs, ws = x.contiguous(memory_format=layout), w.contiguous(memory_format=layout)
                call = lambda: function(
                    xs, ws, bias, stride=strides, padding=padding, dilation=dilations, groups=groups
                )
                return name, call, finish

            return [way(*f) for f in formats]
        if op == "product":
            a, b = values
            a = a.T if case["transpose_a"] else a
            b = b.T if case["transpose_b"] else b
            return [("matmul", lambda: torch.matmul(a, b), same)]
        if op == "transpose":
            return [("copy", lambda: values[0].permute(case["order"]).contiguous(), same)]
        if op == "scale_add":
            return [("add", lambda: torch.add(values[1], values[0], alpha=2.5), same)]
        if op == "gelu":
            return [("gelu", lambda: functional.gelu(values[0], approximate="tanh"), same)]
        if op == "sigmoid":
            return [("sigmoid", lambda: torch.sigmoid(values[0]), same)]
        if op == "pool":
            function = functional.max_pool2d if case["largest"] else functional.avg_pool2d
            order, back = ([0, 1, 2], [0, 1, 2]) if case["axes"] == "IYX" else ([2, 0, 1], [1, 2, 0])
            x = values[0].permute(order)[None]

            def pool(name, layout):
                xs = x.contiguous(memory_format=layout)
                call = lambda: function(xs, case["window"], case["stride"])
                return name, call, lambda r: r[0].permute(back)

            return [
                pool("channels first", torch.contiguous_format),
                pool("channels last", torch.channels_last),
            ]
        if op == "sum":
            if case["axis"] is None:
                return [("sum", lambda: torch.sum(values[0]), same)]
            return [("sum", lambda: torch.sum(values[0], dim=case["axis"]), same)]
        if op == "softmax":
            return [("softmax", lambda: torch.softmax(values[0], case["axis"]), same)]
        if op == "layer_norm":
            x, scales, shifts = values
            return [("layer_norm", lambda: functional.layer_norm(x, scales.shape, scales, shifts, 1e-5), same)]
        if op == "arg_max":
            return [("argmax", lambda: torch.argmax(values[0], -1), same)]
        if op == "prefix":
            return [("cumsum", lambda: torch.cumsum(values[0], case["axis"]), same)]
        raise NotImplementedError(op)

    def capture(self):
        """On a GPU: as many runs in a graph as take a millisecond or so."""
        torch = self.torch
        self.graph, self.runs = None, 1
        if not GPU:
            return
        for _ in range(3):
            self.call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        self.call()
        torch.cuda.synchronize()
        self.runs = max(1, min(50, int(2e-3 / (time.perf_counter() - start))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(self.runs):
                self.call()
        self.graph = graph
        graph.replay()
        torch.cuda.synchronize()

    def time(self, seconds):
        torch = self.torch
        with torch.no_grad():
            if not GPU:
                return by_clock(self.call, seconds)
            times, start = [], time.perf_counter()
            while len(times) < 3 or time.perf_counter() - start < seconds:
                begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
                begin.record()
                self.graph.replay()
                end.record()
                torch.cuda.synchronize()
                times.append(begin.elapsed_time(end) * 1e-3 / self.runs)
            return times

    def result(self, path):
        self.write(self.call, self.finish, self.torch.float32, path)

    def reference(self, case, inputs, output, path):
        self.dtype = self.torch.float64
        try:
            _, call, finish = self.ways(case, inputs, output)[0]
            self.write(call, finish, self.dtype, path)
        finally:
            self.dtype = self.torch.float32

    def write(self, call, finish, dtype, path):
        with self.torch.no_grad():
            result = finish(call()).to(dtype).cpu().contiguous()
        with open(path, "wb") as file:
            file.write(ctypes.string_at(result.data_ptr(), result.numel() * result.element_size()))


# After a rest a virtual machine's cores are at half their speed for some 40 milliseconds.
WARMING = 0.06


def by_clock(call, seconds):
    """Times of runs by the clock; several at a time where one is too short for it."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < WARMING:
        call()
    start = time.perf_counter()
    call()
    one = max(time.perf_counter() - start, 1e-7)
    each = max(1, math.ceil(20e-6 / one))
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        for _ in range(each):
            call()
        times.append((time.perf_counter() - start) / each)
    return times


def main():
    peers, lacking, prepared = {}, [], {}
    for kind in (OnnxRuntime, PyTorch, NumPy):
        try:
            peers[kind.name] = kind()
        except Exception as error:
            lacking.append({"name": kind.name, "why": missing_reason(error), "pip": kind.pip})

    def answer(request):
        do = request["do"]
        if do == "list":
            found = [{"name": name, "version": peer.version} for name, peer in peers.items()]
            return {"peers": found, "missing": lacking}
        if do == "forget":
            for name in list(prepared):
                prepared.pop(name)
                peers[name] = type(peers[name])()
            if GPU and "torch" in peers:
                peers["torch"].torch.cuda.empty_cache()
            return {}
        if do == "reference":
            if "torch" not in peers:
                raise RuntimeError("there is no PyTorch to compare with")
            peers["torch"].reference(request["case"], request["inputs"], request["output"], request["file"])
            return {}
        name = request["peer"]
        peer = peers[name]
        if do == "prepare":
            prepared[name] = True
            return {"how": peer.prepare(request["case"], request["inputs"], request["output"])}
        if do == "time":
            times = peer.time(request["seconds"])
            return {"seconds": statistics.median(times), "least": min(times)}
        if do == "result":
            peer.result(request["file"])
            return {}
        raise ValueError(f"`{do}`?")

    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            reply = {"error": missing_reason(error)}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
