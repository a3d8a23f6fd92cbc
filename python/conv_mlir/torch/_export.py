"""A PyTorch module as a module of ours: its exported program, or that program with
its gradients, operation by operation."""

import ctypes
import operator

import torch

from .._library import Error
from .._module_text import Function
from . import _aten_layers, _aten_scalars
from ._aten_lowering import Lowering

OPERATORS = {**_aten_scalars.OPERATORS, **_aten_layers.OPERATORS}


def export(module, args, joint=False, *, tf32=False):
    """The text of a module that computes a torch.nn.Module; conv_mlir.compile_module()
    and conv-run take it.

    args: example inputs, a tuple of tensors, whose shapes and types become those of
    the arguments.
    joint: the gradients, too. The module returns a loss, or a tuple whose first
    element is one.
    tf32: convolutions of float32 round their operands to tf32, for tensor cores.

    Without joint, arguments are the inputs, results the outputs, and parameters are
    constants. With it arguments are the parameters and the buffers that are read, and
    the inputs; results are the outputs, the gradients of the parameters, those of
    inputs that require them, and the buffers that have changed. All are in the order
    of named_parameters() and named_buffers(). A tensor without dimensions has the
    shape [1].
    """
    if not isinstance(module, torch.nn.Module):
        raise Error(
            f"module: expected a torch.nn.Module, got {type(module).__name__}"
        )
    if not isinstance(args, (tuple, list)) or not all(map(torch.is_tensor, args)):
        raise Error("args: expected a tuple of tensors")
    program = _trace_joint(module, args) if joint else _trace(module, args)
    return _translate(*program, tf32)


def _traced(trace):
    """What PyTorch refuses, as our Error."""
    try:
        return trace()
    except Exception as error:  # Of any kind: the module's code runs.
        text = " ".join(str(error).split())[:300]
        raise Error(f"PyTorch cannot export the module: {text}") from error


def _trace(module, args):
    """The graph, what each placeholder is (an argument, or a tensor), its results."""
    program = _traced(
        lambda: torch.export.export(module, tuple(args)).run_decompositions()
    )
    signature = program.graph_signature
    changed = [
        *signature.buffers_to_mutate.values(),
        *signature.user_inputs_to_mutate.values(),
    ]
    if changed:
        raise Error(
            f"module: expected one that changes no tensor, it changes '{changed[0]}': "
            "call eval(), or export with joint=True"
        )
    tensors = {**program.state_dict, **program.constants}
    known = {}
    for spec in signature.input_specs:
        if spec.target is not None:
            known[spec.arg.name] = tensors[spec.target]
    return program.graph, known, {}, list(signature.user_outputs)


class _AsTuple(torch.nn.Module):
    """What a joint graph is made of: a tuple of results."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args):
        result = self.module(*args)
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def _trace_joint(module, args):
    from torch._decomp import core_aten_decompositions
    from torch._functorch.aot_autograd import aot_export_module

    graph, signature = _traced(
        lambda: aot_export_module(
            _AsTuple(module),
            list(args),
            trace_joint=True,
            output_loss_index=0,
            decompositions=core_aten_decompositions(),
        )
    )
    backward = signature.backward_signature
    named = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    names = {place: name.partition(".")[2] for place, name in named.items()}
    by_parameter = {n: o for o, n in backward.gradients_to_parameters.items()}
    by_buffer = {n: o for o, n in signature.buffers_to_mutate.items()}
    results = [
        *signature.user_outputs,
        *(by_parameter[n] for n in signature.parameters if n in by_parameter),
        *backward.gradients_to_user_inputs,
        *(by_buffer[n] for n in signature.buffers if n in by_buffer),
    ]
    # Counters of batches are no tensors that a kernel has.
    nodes = {node.name: node for node in graph.graph.nodes}
    counters = {o for o in by_buffer.values() if nodes[o].meta["val"].dtype == torch.int64}
    results = [name for name in results if name not in counters]
    return graph.graph, {}, names, results


def _translate(graph, known, names, results, tf32):
    nodes = {node.name: node for node in graph.nodes}
    for name in results:
        if name not in nodes:
            raise Error(f"results of the module: expected tensors, got {name}")
    results = [nodes[name] for name in results if nodes[name].meta.get("val") is not None]
    needed = _reach(results)
    _check_operators(node for node in graph.nodes if node in needed)
    lowering = Lowering(Function("module"), tf32)
    for node in graph.nodes:
        if node.op == "placeholder":
            _add_placeholder(lowering, node, known, names, needed)
        elif node in needed:
            lowering.values[node] = _lower(lowering, node)
    return lowering.function.text([lowering.tensor(node) for node in results])


def _reach(results):
    needed, open_nodes = set(), list(results)
    while open_nodes:
        node = open_nodes.pop()
        if node not in needed:
            needed.add(node)
            open_nodes += node.all_input_nodes
    return needed


def _check_operators(nodes):
    unknown = [
        f"'{node.name}' ({node.target})"
        for node in nodes
        if node.op == "call_function"
        and node.target is not operator.getitem
        and node.target not in OPERATORS
    ]
    if unknown:
        what = "operator has" if len(unknown) == 1 else "operators have"
        raise Error(
            f"{len(unknown)} {what} no translation (docs/PyTorch.md): "
            + ", ".join(unknown)
        )


def _add_placeholder(lowering, node, known, names, needed):
    """An argument, or a constant where its value is known. What nobody reads is an
    argument only if it is an input."""
    if node.name in known or node.name in names:
        if node not in needed:
            return
    if node.name in known:
        lowering.values[node] = _constant(lowering, node, known[node.name])
        return
    type, shape = lowering.result(node)
    name = names.get(node.name, node.name)
    lowering.values[node] = lowering.function.argument(name, type, shape)


def _constant(lowering, node, tensor):
    type, shape = lowering.result(node)
    if tensor.device.type == "meta" or tensor.layout != torch.strided:
        what = "one on the device meta" if tensor.device.type == "meta" else tensor.layout
        raise lowering.refuse(node, f"expected a dense tensor with values, got {what}")
    dense = tensor.detach().cpu().contiguous()
    data = ctypes.string_at(dense.data_ptr(), dense.numel() * dense.element_size())
    return lowering.function.constant(data, type, shape)


def _lower(lowering, node):
    if node.op != "call_function":
        raise Error(f"'{node.name}': expected an operator, got a {node.op}")
    if node.target is not operator.getitem:
        return OPERATORS[node.target](lowering, node)
    source, index = node.args
    value = lowering.values[source][index]
    if value is None:
        raise Error(
            f"'{source.name}' ({source.target}): its result {index} is not supported"
        )
    return value
