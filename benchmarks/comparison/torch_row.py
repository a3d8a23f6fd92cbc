"""One problem as PyTorch's call and as plans, on the same tensors.

Tensors are kept in memory order; to PyTorch they are (N, C, H, W), in
torch.channels_last where the layout is nhwc. An epilogue is what a user of
PyTorch writes: a convolution with its bias, then one call for each further step,
in place where there is such a call. Nothing here needs a GPU but the launches of
plans.
"""

import conv_mlir
import torch
from conv_mlir import tensors

from .measuring import Refused
from .timing import count_sets

ALIGNMENT = 256  # Bytes, of every tensor.

INPUTS = {"forward": "xw", "dgrad": "yw", "wgrad": "xy"}
RESULT = {"forward": "y", "dgrad": "x", "wgrad": "w"}


class Pool:
    """Copies of a tensor of memory order `shape`, one after another."""

    def __init__(self, sets, shape, dtype, device="cuda"):
        self.shape = torch.Size(shape)
        self.elements = self.shape.numel()
        size = torch.empty(0, dtype=dtype).element_size()
        padded = -(-self.elements * size // ALIGNMENT) * ALIGNMENT
        self.step = padded // size
        self.memory = torch.empty(sets * self.step, dtype=dtype, device=device)

    def __getitem__(self, index):
        begin = index * self.step
        return self.memory[begin : begin + self.elements].view(self.shape)

    def randomise(self):
        self.memory.uniform_(-1, 1)

    def poison(self, index):
        self[index].fill_(float("nan"))


def check_comparable(problem):
    """Refused where PyTorch has no single call that computes the problem."""
    if problem.pad_low != problem.pad_high or min(problem.pad_low) < 0:
        raise Refused("PyTorch pads both sides alike, and crops nothing")
    if any(factor != 1 for factor in problem.input_dilation):
        raise Refused("PyTorch has no input dilation")
    if problem.derivative or problem.bias_gradient:
        raise Refused("epilogues of gradients are not compared")
    if problem.accumulate or problem.flip:
        raise Refused("PyTorch adds to no result, and flips no filter")
    types = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "f32": "f32", "f64": "f64"}
    if types.get(problem.type) != problem.out_type:
        raise Refused(f"type {problem.type} to {problem.out_type} is not compared")


def shapes_of(problem):
    """Of x, w and y, in memory order."""

    def order(outer, spatial, channels):
        if problem.channels_last:
            return (outer, *spatial, channels)
        return (outer, channels, *spatial)

    return {
        "x": order(problem.n, problem.input, problem.c),
        "w": order(problem.k, problem.filter, problem.c // problem.groups),
        "y": order(problem.n, problem.output, problem.k),
    }


def shapes_of_epilogue(problem):
    """Of scale, bias and residual, as far as the problem has them."""
    shapes = {"scale": (problem.k,), "bias": (problem.k,)}
    shapes["residual"] = shapes_of(problem)["y"]
    return {name: shapes[name] for name in shapes if getattr(problem, name)}


def activate(problem, y):
    """PyTorch's call for the problem's activation."""
    functional = torch.nn.functional
    calls = {
        "": lambda: y,
        "relu": y.relu_,
        "clip": lambda: y.clamp_(*problem.clip),
        "gelu": lambda: functional.gelu(y),
        "gelu-tanh": lambda: functional.gelu(y, approximate="tanh"),
        "silu": lambda: functional.silu(y, inplace=True),
        "sigmoid": y.sigmoid_,
        "tanh": y.tanh_,
    }
    return calls[problem.activation]()


class PlanLaunch:
    """Launches of a plan on PyTorch's current stream."""

    def __init__(self, path, inputs, results, sets):
        """inputs: pools by the names x, w, y, scale, bias and residual; results: a
        pool."""
        self.plan = conv_mlir.Plan.load(path)
        self.device = torch.cuda.current_device()
        self.plan.prepare(self.device)
        self.results = results
        self.workspace = torch.empty(
            self.plan.workspace_bytes, dtype=torch.uint8, device="cuda"
        )
        # Gradients are called dx, dw, dy.
        names = [operand.name for operand in self.plan.arguments]
        pools = [inputs.get(name) or inputs[name[-1]] for name in names]
        pools.append(results)
        self.pointers = [[pool[i].data_ptr() for pool in pools] for i in range(sets)]

    def __call__(self, index):
        self.plan.launch(
            self.pointers[index],
            torch.cuda.current_stream().cuda_stream,
            self.workspace.data_ptr(),
            device=self.device,
        )
        return self.results[index]

    def poison(self, index):
        """NaN wherever the launch is to write."""
        self.results.poison(index)
        self.workspace.fill_(0xFF)

    def describe(self):
        return {
            "schedule": self.plan.schedule,
            "workspace_bytes": self.plan.workspace_bytes,
            "compile_ms": self.plan.compile_ms,
            "kernels": [
                {
                    "name": launch.kernel,
                    "grid": launch.grid,
                    "block": launch.block,
                    "cluster": launch.cluster,
                    "registers": launch.registers,
                    "shared_bytes": launch.dynamic_shared_bytes
                    + launch.static_shared_bytes,
                }
                for launch in self.plan.launches
            ],
        }


class TorchRow:
    def __init__(self, backend, problem, device="cuda"):
        check_comparable(problem)
        self.backend, self.problem = backend, problem
        shapes, dtype = shapes_of(problem), tensors.dtype_of(problem.type)
        inputs, result = INPUTS[problem.op], RESULT[problem.op]
        operands = {name: (shapes[name], dtype) for name in inputs}
        row_type = torch.promote_types(dtype, torch.float32)
        for name, shape in shapes_of_epilogue(problem).items():
            operands[name] = (shape, dtype if name == "residual" else row_type)
        bytes = sum(
            type.itemsize * torch.Size(shape).numel()
            for shape, type in operands.values()
        )
        self.sets = count_sets(bytes, backend.l2_bytes)
        self.rotation = {"sets": self.sets, "input_bytes": bytes}
        self.inputs = {
            name: Pool(self.sets, shape, type, device)
            for name, (shape, type) in operands.items()
        }
        for pool in self.inputs.values():
            pool.randomise()
        self.results = Pool(self.sets, shapes[result], dtype, device)
        self.rows = {
            name: [self.inputs[name][i].to(dtype) for i in range(self.sets)]
            for name in {"scale", "bias"} & set(self.inputs)
        }

    def _tensor(self, name, index):
        """As PyTorch has it: a 1-D problem is one of height 1 to cuDNN. A gradient
        also asks for the tensor that it is the gradient of, of which PyTorch
        takes the shape alone."""
        pool = self.inputs.get(name, self.results)
        view = tensors.from_memory_order(pool[index], self.problem.channels_last)
        return view.unsqueeze(2) if view.dim() == 3 else view

    def _call_arguments(self):
        """Stride, padding, dilation, transposed, output padding, groups."""
        problem = self.problem
        lead = 1 if len(problem.input) == 1 else 0
        stride = [1] * lead + list(problem.stride)
        pad = [0] * lead + list(problem.pad_low)
        dilation = [1] * lead + list(problem.dilation)
        return stride, pad, dilation, False, [0] * len(stride), problem.groups

    def cudnn(self):
        torch.backends.cudnn.allow_tf32 = self.problem.type == "tf32"
        arguments = self._call_arguments()
        if self.problem.op == "forward":
            return lambda index: self._forward(index, arguments)
        backward = torch.ops.aten.convolution_backward
        mask = [self.problem.op == "dgrad", self.problem.op == "wgrad", False]
        position = mask.index(True)
        return lambda index: backward(
            self._tensor("y", index),
            self._tensor("x", index),
            self._tensor("w", index),
            None,
            *arguments,
            mask,
        )[position]

    def _row(self, name, index):
        """Scale or bias in the type of the tensors, as PyTorch takes it; None where
        the problem has none."""
        return self.rows[name][index] if name in self.rows else None

    def _forward(self, index, arguments):
        problem = self.problem
        bias = None if problem.scale else self._row("bias", index)
        y = torch.ops.aten.convolution(
            self._tensor("x", index), self._tensor("w", index), bias, *arguments
        )
        if problem.scale:
            column = (-1, *[1] * (y.dim() - 2))
            y.mul_(self._row("scale", index).view(column))
            if problem.bias:
                y.add_(self._row("bias", index).view(column))
        if problem.residual:
            y.add_(self._tensor("residual", index))
        return activate(problem, y)

    def plan(self, path):
        launch = PlanLaunch(path, self.inputs, self.results, self.sets)
        return launch, launch.describe()

    def check(self, launch, reference):
        """Set 0 into poisoned memory: the relative Frobenius error against cuDNN's
        result, and a copy of ours."""
        launch.poison(0)
        result = launch(0)
        if reference.dim() > result.dim():
            reference = reference.squeeze(2)
        expected = tensors.to_memory_order(reference, self.problem.channels_last)
        expected = expected.to(torch.promote_types(expected.dtype, torch.float32))
        error = (result.to(expected.dtype) - expected).norm() / expected.norm()
        return error.item(), result.clone()

    def same(self, launch, bits):
        launch.poison(0)
        result = launch(0)
        return torch.equal(result.view(torch.int8), bits.view(torch.int8))

    def estimate_us(self, launch):
        return self.backend.estimate_us(launch, self.sets)
