#!/usr/bin/env python3
"""The networks of the example `networks`, once more and by PyTorch: `networks.py NETWORK FOLDER`.

They are written from their published descriptions, and share nothing with the example but the names of layers. It reads
FOLDER/pictures.npy and the weights, FOLDER/weights/LAYER.….npy, computes in 64-bit floats, writes the result of every layer as
FOLDER/results/LAYER.npy, in 32-bit floats, and prints one line of JSON: {"torch": VERSION, "parameters": N, "layers": [NAME, …]},
or what is missing: {"missing": LIBRARY, "why": REASON, "pip": COMMAND}."""

import json
import os
import sys


class Net:
    """Computes layers, and keeps what they compute."""

    def __init__(self, folder):
        self.folder = folder
        self.layers = []
        self.parameters = 0

    def weights(self, name, shape, learned=True):
        array = numpy.load(os.path.join(self.folder, "weights", name + ".npy"))
        if array.shape != tuple(shape):
            raise ValueError(f"{name} has the shape {array.shape}, and should have {tuple(shape)}")
        self.parameters += array.size if learned else 0
        return torch.from_numpy(array).double()

    def keep(self, name, x):
        self.layers.append(name)
        numpy.save(os.path.join(self.folder, "results", name + ".npy"), x.float().numpy())
        return x

    def conv(self, name, x, outputs, kernel, groups=1, bias=True, **settings):
        weight = self.weights(name + ".weights", [outputs, x.shape[1] // groups, kernel, kernel])
        bias = self.weights(name + ".biases", [outputs]) if bias else None
        return F.conv2d(x, weight, bias, groups=groups, **settings)

    def conv_relu(self, name, x, outputs, kernel, **settings):
        x = self.keep(name, self.conv(name, x, outputs, kernel, **settings))
        return self.keep(name + ".relu", F.relu(x))

    def conv_norm(self, name, x, outputs, kernel, **settings):
        x = self.conv(name, x, outputs, kernel, bias=False, **settings)
        name += ".norm"
        gamma, beta = (self.weights(f"{name}.{part}", [outputs]) for part in ["gammas", "betas"])
        mean, variance = (self.weights(f"{name}.{part}", [outputs], False) for part in ["means", "variances"])
        return self.keep(name, F.batch_norm(x, mean, variance, gamma, beta, training=False, eps=1e-5))

    def relu6(self, name, x):
        return self.keep(name + ".relu", F.relu6(x))

    def linear(self, name, x, outputs):
        weight, bias = self.weights(name + ".weights", [outputs, x.shape[1]]), self.weights(name + ".biases", [outputs])
        return self.keep(name, F.linear(x, weight, bias))

    def linear_relu(self, name, x, outputs):
        return self.keep(name + ".relu", F.relu(self.linear(name, x, outputs)))

    def pool(self, name, x, kernel, stride, **settings):
        return self.keep(name, F.max_pool2d(x, kernel, stride, **settings))

    def lrn(self, name, x):
        return self.keep(name, F.local_response_norm(x, 5, alpha=1e-4, beta=0.75, k=1.0))

    def softmax(self, name, x):
        return self.keep(name, F.softmax(x, 1))


def alexnet(net, x):
    """caffe/models/bvlc_alexnet/deploy.prototxt"""
    x = net.conv_relu("conv1", x, 96, 11, stride=4)
    x = net.pool("pool1", net.lrn("norm1", x), 3, 2, ceil_mode=True)
    x = net.conv_relu("conv2", x, 256, 5, padding=2, groups=2)
    x = net.pool("pool2", net.lrn("norm2", x), 3, 2, ceil_mode=True)
    x = net.conv_relu("conv3", x, 384, 3, padding=1)
    x = net.conv_relu("conv4", x, 384, 3, padding=1, groups=2)
    x = net.conv_relu("conv5", x, 256, 3, padding=1, groups=2)
    x = net.pool("pool5", x, 3, 2, ceil_mode=True)
    x = net.linear_relu("fc6", x.flatten(1), 4096)
    x = net.linear_relu("fc7", x, 4096)
    net.softmax("prob", net.linear("fc8", x, 1000))


def nin(net, x):
    """The network for ImageNet of Caffe's model zoo"""

    def block(number, x, outputs, kernel, projections, **settings):
        x = net.conv_relu(f"conv{number}", x, outputs, kernel, **settings)
        for k, outputs in enumerate(projections):
            x = net.conv_relu(f"cccp{2 * number - 1 + k}", x, outputs, 1)
        return x

    x = net.pool("pool1", block(1, x, 96, 11, [96, 96], stride=4), 3, 2, ceil_mode=True)
    x = net.pool("pool2", block(2, x, 256, 5, [256, 256], padding=2), 3, 2, ceil_mode=True)
    x = net.pool("pool3", block(3, x, 384, 3, [384, 384], padding=1), 3, 2, ceil_mode=True)
    x = block(4, x, 1024, 3, [1024, 1000], padding=1)
    net.softmax("prob", net.keep("pool4", F.adaptive_avg_pool2d(x, 1).flatten(1)))


def googlenet(net, x):
    """caffe/models/bvlc_googlenet/deploy.prototxt"""

    def inception(name, x, n1, r3, n3, r5, n5, pp):
        a = net.conv_relu(f"{name}.1x1", x, n1, 1)
        b = net.conv_relu(f"{name}.3x3_reduce", x, r3, 1)
        b = net.conv_relu(f"{name}.3x3", b, n3, 3, padding=1)
        c = net.conv_relu(f"{name}.5x5_reduce", x, r5, 1)
        c = net.conv_relu(f"{name}.5x5", c, n5, 5, padding=2)
        d = net.pool(f"{name}.pool", x, 3, 1, padding=1)
        d = net.conv_relu(f"{name}.pool_proj", d, pp, 1)
        return net.keep(name, torch.cat([a, b, c, d], 1))

    x = net.conv_relu("conv1", x, 64, 7, stride=2, padding=3)
    x = net.lrn("norm1", net.pool("pool1", x, 3, 2, ceil_mode=True))
    x = net.conv_relu("reduce2", x, 64, 1)
    x = net.lrn("norm2", net.conv_relu("conv2", x, 192, 3, padding=1))
    x = net.pool("pool2", x, 3, 2, ceil_mode=True)
    x = inception("3a", x, 64, 96, 128, 16, 32, 32)
    x = inception("3b", x, 128, 128, 192, 32, 96, 64)
    x = net.pool("pool3", x, 3, 2, ceil_mode=True)
    x = inception("4a", x, 192, 96, 208, 16, 48, 64)
    x = inception("4b", x, 160, 112, 224, 24, 64, 64)
    x = inception("4c", x, 128, 128, 256, 24, 64, 64)
    x = inception("4d", x, 112, 144, 288, 32, 64, 64)
    x = inception("4e", x, 256, 160, 320, 32, 128, 128)
    x = net.pool("pool4", x, 3, 2, ceil_mode=True)
    x = inception("5a", x, 256, 160, 320, 32, 128, 128)
    x = inception("5b", x, 384, 192, 384, 48, 128, 128)
    x = net.keep("pool5", x.mean([2, 3]))
    net.softmax("prob", net.linear("classifier", x, 1000))


def vgg16(net, x):
    """Configuration D; M is pooling"""
    block, layer = 1, 1
    for outputs in [64, 64, "M", 128, 128, "M", 256, 256, 256, "M", 512, 512, 512, "M", 512, 512, 512, "M"]:
        if outputs == "M":
            x = net.pool(f"pool{block}", x, 2, 2)
            block, layer = block + 1, 1
        else:
            x = net.conv_relu(f"conv{block}_{layer}", x, outputs, 3, padding=1)
            layer += 1
    x = net.linear_relu("fc6", x.flatten(1), 4096)
    x = net.linear_relu("fc7", x, 4096)
    net.softmax("prob", net.linear("fc8", x, 1000))


def mobilenet_v2(net, x):
    """Tables 1 and 2 of the paper: t, c, n, s"""
    x = net.relu6("first", net.conv_norm("first", x, 32, 3, stride=2, padding=1))
    strides, channels, factors = [], [], []
    for t, c, n, s in [
        [1, 16, 1, 1],
        [6, 24, 2, 2],
        [6, 32, 3, 2],
        [6, 64, 4, 2],
        [6, 96, 3, 1],
        [6, 160, 3, 2],
        [6, 320, 1, 1],
    ]:
        strides += [s] + [1] * (n - 1)
        channels += [c] * n
        factors += [t] * n
    for number, (t, c, s) in enumerate(zip(factors, channels, strides), 1):
        name, y = f"block{number}", x
        if t > 1:
            y = net.relu6(f"{name}.expand", net.conv_norm(f"{name}.expand", y, t * x.shape[1], 1))
        width = y.shape[1]
        y = net.conv_norm(f"{name}.depthwise", y, width, 3, stride=s, padding=1, groups=width)
        y = net.relu6(f"{name}.depthwise", y)
        y = net.conv_norm(f"{name}.project", y, c, 1)
        x = net.keep(name, x + y) if x.shape == y.shape else y
    x = net.relu6("last", net.conv_norm("last", x, 1280, 1))
    x = net.keep("pool", x.mean([2, 3]))
    net.softmax("prob", net.linear("classifier", x, 1000))


NETWORKS = {
    "alexnet": alexnet,
    "nin": nin,
    "googlenet": googlenet,
    "vgg16": vgg16,
    "mobilenet-v2": mobilenet_v2,
}


def main():
    name, folder = sys.argv[1:]
    net = Net(folder)
    pictures = torch.from_numpy(numpy.load(os.path.join(folder, "pictures.npy"))).double()
    with torch.no_grad():
        NETWORKS[name](net, pictures)
    print(json.dumps({"torch": torch.__version__, "parameters": net.parameters, "layers": net.layers}))


for library in ["numpy", "torch"]:
    try:
        globals()[library] = __import__(library)
    except Exception as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        print(json.dumps({"missing": library, "why": why, "pip": "pip install torch numpy"}))
        sys.exit()

import torch.nn.functional as F

main()
