#!/usr/bin/env python3
"""conv_mlir.torch on several devices: whether gradients are right, and how it scales.

Input: a bundle or a checkout with a build; PyTorch 2.9 or newer, and torchvision for
ResNet-50. Output, by rank 0: a table. Status 1 where gradients are wrong.

    torchrun --nproc_per_node=2 scripts/torch_ddp.py [--parts ddp,fsdp,devices,scaling]
             [--models convnet,resnet50] [--batch 128] [--policy auto]
    torchrun --nproc_per_node=2 scripts/torch_ddp.py --device=cpu

ddp      gradients of DistributedDataParallel against those of one process on the
         joined batch in f64; PyTorch's own kernels in the same way, beside ours
fsdp     the same with fully_shard (FSDP2)
devices  one process, two devices: each plan on both, either one being the current one
scaling  weak scaling of ResNet-50's training step, bf16, channels last: milliseconds
         on one device and on all, with PyTorch's kernels and with enable()

--device=cpu: gloo and the emulator, a small ConvNet, ddp and fsdp.
"""

import argparse
import contextlib
import copy
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import conv_mlir.torch  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from torch_cases import error_of  # noqa: E402

PARTS = {"cuda": ("ddp", "fsdp", "devices", "scaling"), "cpu": ("ddp", "fsdp")}
MODELS = {"cuda": ("convnet", "resnet50"), "cpu": ("convnet",)}
# Errors that need no reason, relative to f64: what rounding to the type may do.
TOLERANCES = {torch.bfloat16: 1e-2, torch.float32: 1e-5}
# How much larger than that of PyTorch's own kernels the largest error may be.
FACTOR = 3
WARM_UP, STEPS = 10, 30


class Ranks:
    """This process, its device, and the others."""

    def __init__(self, kind):
        index = int(os.environ["LOCAL_RANK"])
        self.kind = kind
        self.device = torch.device(kind, index) if kind == "cuda" else torch.device(kind)
        if kind == "cuda":
            torch.cuda.set_device(self.device)
        dist.init_process_group(
            "nccl" if kind == "cuda" else "gloo",
            device_id=self.device if kind == "cuda" else None,
        )
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        self.right = True

    def say(self, *cells):
        if self.rank == 0:
            print("  ".join(str(cell).ljust(12) for cell in cells).rstrip(), flush=True)

    def judge(self, is_right):
        """Whether all ranks say so."""
        word = torch.tensor([int(is_right)], device=self.device)
        dist.all_reduce(word, dist.ReduceOp.MIN)
        self.right = self.right and bool(word.item())
        return "right" if word.item() else "WRONG"

    def largest(self, value):
        """Of the values of all ranks."""
        word = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.all_reduce(word, dist.ReduceOp.MAX)
        return word.item()


# Gradients.


def convnet(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, (3, 2), padding=1, groups=2),
        nn.ReLU(),
        nn.ConvTranspose2d(width, 5, 2, stride=2),
    )


def make_case(name, ranks):
    """A model, the images of all ranks, and the type of autocast."""
    torch.manual_seed(1)
    if name == "resnet50":
        import torchvision

        # Statistics of a batch are those of a rank's part: they stay out of it.
        model, shape = torchvision.models.resnet50().eval(), (4, 3, 96, 96)
    elif ranks.kind == "cuda":
        model, shape = convnet(64), (8, 3, 40, 32)
    else:
        model, shape = convnet(4), (1, 3, 8, 6)
    images = torch.randn(ranks.count * shape[0], *shape[1:])
    dtype = torch.bfloat16 if ranks.kind == "cuda" else torch.float32
    return model.to(ranks.device), images.to(ranks.device), dtype


def gradients(model, images, dtype=None):
    """By name, in f64; with autocast to `dtype` where one is given."""
    cast = dtype not in (None, torch.float32)
    with torch.autocast(images.device.type, dtype) if cast else contextlib.nullcontext():
        loss = model(images).double().square().mean()
    loss.backward()
    return {
        name.removeprefix("module."): whole(parameter.grad).double()
        for name, parameter in model.named_parameters()
    }


def whole(tensor):
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def wrapped(model, part, ranks):
    model = copy.deepcopy(model)
    if part == "ddp":
        devices = [ranks.device.index] if ranks.kind == "cuda" else None
        return DistributedDataParallel(model, device_ids=devices)
    mesh = init_device_mesh(ranks.kind, (ranks.count,))
    for child in model.children():
        if any(True for _ in child.parameters()):
            fully_shard(child, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def worst(found, exact):
    """The largest relative error of a parameter's gradient."""
    return max(error_of(found[name], exact[name]) for name in exact)


def check_gradients(part, name, ranks):
    model, images, dtype = make_case(name, ranks)
    exact = gradients(copy.deepcopy(model).double(), images.double())
    size = len(images) // ranks.count
    mine = images[ranks.rank * size : (ranks.rank + 1) * size]
    stock = worst(gradients(wrapped(model, part, ranks), mine, dtype), exact)
    with conv_mlir.torch.enabled("always", "sync", ranks.kind):
        found = gradients(wrapped(model, part, ranks), mine, dtype)
        joined = gradients(copy.deepcopy(model), images, dtype)
        rows = list(conv_mlir.torch.report())
    ours, calls = sum(row.ours for row in rows), sum(row.calls for row in rows)
    error, one = worst(found, exact), worst(joined, exact)
    limit = max(TOLERANCES[dtype], FACTOR * stock)
    is_right = max(error, one) <= limit and ours > 0
    ranks.say(
        *(part, name, f"{stock:.2e}", f"{error:.2e}", f"{one:.2e}"),
        *(f"{ours} of {calls}", ranks.judge(is_right)),
    )


# Two devices in one process.


def check_devices(ranks):
    """A layer on each device, with each as the current one, by rank 0."""
    is_right = True
    if ranks.rank == 0 and torch.cuda.device_count() > 1:
        with conv_mlir.torch.enabled("always", "sync"):
            for current in (0, 1):
                for index in (0, 1):
                    is_right = is_right and is_layer_right(current, index)
            rows = list(conv_mlir.torch.report())
        is_right = is_right and all(row.ours == row.calls for row in rows)
    ranks.say("devices", "layer", "", "", "", "", ranks.judge(is_right))


def is_layer_right(current, index):
    torch.manual_seed(1)
    device = torch.device("cuda", index)
    with torch.cuda.device(current):
        x = torch.randint(-2, 3, (2, 16, 9, 8)).to(device).bfloat16().requires_grad_()
        w = torch.randint(-2, 3, (32, 16, 3, 2)).to(device).bfloat16().requires_grad_()
        y = F.conv2d(x, w)
        found = [y, *torch.autograd.grad(y, [x, w], torch.ones_like(y))]
    x, w = (t.detach().double().cpu().requires_grad_() for t in (x, w))
    y = F.conv2d(x, w)
    exact = [y, *torch.autograd.grad(y, [x, w], torch.ones_like(y))]
    # Small integers: sums are exact, and rounded once.
    return all(torch.equal(f.cpu(), e.bfloat16()) for f, e in zip(found, exact))


# Scaling.


def step_ms(model, images, labels):
    """The median milliseconds of a training step."""
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    times = []
    for _ in range(WARM_UP + STEPS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[WARM_UP:])


def measure_scaling(ranks, batch, policy):
    import torchvision

    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    layout = dict(memory_format=torch.channels_last)
    model = torchvision.models.resnet50().to(ranks.device, **layout)
    images = torch.randn(batch, 3, 224, 224, device=ranks.device).contiguous(**layout)
    labels = torch.randint(1000, (batch,), device=ranks.device)
    ranks.say()
    ranks.say("resnet50", "ms, 1 device", f"ms, {ranks.count} devices", "efficiency")
    for name in ("stock", policy):
        ours = conv_mlir.torch.enabled(policy, "sync") if name == policy else None
        with ours or contextlib.nullcontext():
            one = step_ms(copy.deepcopy(model), images, labels) if ranks.rank == 0 else 0
            dist.barrier()
            parallel = wrapped(model, "ddp", ranks)
            one, all = map(ranks.largest, (one, step_ms(parallel, images, labels)))
        ranks.say(name, f"{one:.2f}", f"{all:.2f}", f"{one / all:.3f}")


def chosen(text, known, parser, option):
    names = text.split(",") if text else list(known)
    if set(names) - set(known):
        parser.error(f"--{option}: expected some of {', '.join(known)}, got {text}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", choices=list(PARTS), default="cuda")
    parser.add_argument("--parts")
    parser.add_argument("--models")
    parser.add_argument("--batch", type=int, default=128, help="of a device, in scaling")
    parser.add_argument("--policy", default="auto", help="in scaling")
    given = parser.parse_args()
    parts = chosen(given.parts, PARTS[given.device], parser, "parts")
    models = chosen(given.models, MODELS[given.device], parser, "models")
    if "LOCAL_RANK" not in os.environ:
        parser.error("expected to be run by torchrun --nproc_per_node=N")
    ranks = Ranks(given.device)
    ranks.say("part", "model", "PyTorch's", "ours", "one process", "calls", "")
    for part in parts:
        if part in ("ddp", "fsdp"):
            for name in models:
                check_gradients(part, name, ranks)
    if "devices" in parts:
        check_devices(ranks)
    if "scaling" in parts:
        measure_scaling(ranks, given.batch, given.policy)
    dist.destroy_process_group()
    return 0 if ranks.right else 1


if __name__ == "__main__":
    sys.exit(main())
