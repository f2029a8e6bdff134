#!/usr/bin/env python3
"""Times of VGG-16's nine distinct convolution layers by cuDNN, in milliseconds: fp32 without TF32, batch 1, the
faster of both layouts, the algorithm that cuDNN's search picks, 20 runs in a captured graph, the median of nine.
Needs PyTorch and an NVIDIA GPU. To compare with `vgg16 --device nvidia --points examples/vgg16/points/h200.txt`, or kept in a
file, with `figures throughput --device nvidia --peer cuDNN=FILE`."""

import torch

torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.benchmark = True

# Number in the network, input channels, output channels, rows and columns.
LAYERS = [
    (0, 3, 64, 224),
    (2, 64, 64, 224),
    (5, 64, 128, 112),
    (7, 128, 128, 112),
    (10, 128, 256, 56),
    (12, 256, 256, 56),
    (17, 256, 512, 28),
    (19, 512, 512, 28),
    (24, 512, 512, 14),
]
RUNS = 20


@torch.no_grad()
def microseconds(inputs, outputs, side, layout):
    x = torch.randn(1, inputs, side, side, device="cuda").to(memory_format=layout)
    layer = torch.nn.Conv2d(inputs, outputs, 3, padding=1).cuda().to(memory_format=layout)
    for _ in range(5):
        layer(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(RUNS):
            layer(x)
    times = []
    for _ in range(9):
        start, end = torch.cuda.Event(True), torch.cuda.Event(True)
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / RUNS * 1e3)
    return sorted(times)[len(times) // 2]


print("layer,ms")
for number, inputs, outputs, side in LAYERS:
    layouts = (torch.contiguous_format, torch.channels_last)
    print(f"{number},{min(microseconds(inputs, outputs, side, layout) for layout in layouts) / 1e3:.4f}")
