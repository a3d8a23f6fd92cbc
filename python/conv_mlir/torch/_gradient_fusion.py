"""Brings an activation's derivative behind dgrad, and the gradient of a bias beside
wgrad.

Input: a traced program with a backward. Output: the same with conv_mlir::conv_dgrad
and conv_mlir::conv_wgrad in the place of PyTorch's backward where they do more.
"""

from ._activation_patterns import find_derivative
from ._graphs import CONVERT, aten, erase, insert, is_call, live_nodes, pieces
from ._graphs import result_of, same_value, value
from ._traced import BACKWARD, CONVOLUTION, accepted, ours, read_backward
from ._traced import write_dgrad, write_wgrad
from ._types import wide_type

SUM = aten.sum.dim_IntList
# Whose results Inductor's kernels do not compute: a sum over one is a kernel alone.
EXTERNAL = (CONVOLUTION, ours.conv.default, ours.conv_dgrad.default)


def fuse_gradients(graph):
    """Returns how many gradients have become ours."""
    count = 0
    for node in live_nodes(graph):
        if read_backward(node):
            count += _fuse_derivative(node)
    for node in live_nodes(graph):
        if read_backward(node):
            count += _fuse_bias(node)
    return count


def _fuse_derivative(node):
    dy, place, mask = read_backward(node)
    dx = pieces(node).get(0)
    found = find_derivative(dx) if mask[0] and dx is not None else None
    if not found or not _is_operand(found.act, dy, dx):
        return False
    with node.graph.inserting_before(found.end):
        new = write_dgrad(found.end, dy, place, found.act, found.name)
    if not same_value(new, found.end) or not accepted(new):
        erase(new)
        return False
    found.end.replace_all_uses_with(new)
    erase(dx, *_in_order(found.nodes))
    _leave(node, [False, *mask[1:]])
    return True


def _is_operand(act, dy, dx):
    """Whether the kernel takes it: as dx in shape, as dy in type."""
    return value(act).shape == value(dx).shape and value(act).dtype == value(dy).dtype


def _in_order(nodes):
    order = {node: place for place, node in enumerate(nodes[0].graph.nodes)}
    return sorted(nodes, key=order.get)


def _leave(node, mask):
    """What is left of PyTorch's backward."""
    if not any(mask):
        erase(node)
        return
    with node.graph.inserting_before(node):
        new = insert(node, BACKWARD, *node.args[:-1], mask)
    for user in list(node.users):
        user.replace_input_with(node, new)
    erase(node)


def _fuse_bias(node):
    dy, place, mask = read_backward(node)
    results = pieces(node)
    end = results.get(2) if mask[2] else _sum_of(dy)
    if end is None or not mask[1] or 1 not in results:
        return False
    made = []
    # A sum of its own may stand in front, and be used there.
    with node.graph.inserting_before(node if mask[2] else end):
        both = write_wgrad(node, dy, place, True)
        made += [both, result_of(node, both, 0), result_of(node, both, 1)]
        db = made[-1]
        if value(end).dtype != wide_type(value(dy).dtype):
            db = insert(node, CONVERT, db, value(end).dtype)
            made.append(db)
    pairs = [(results[1], made[1]), (end, db)]
    if not all(same_value(n, e) for e, n in pairs) or not accepted(both):
        erase(*made)
        return False
    for old, new in pairs:
        old.replace_all_uses_with(new)
        erase(old)
    _leave(node, [mask[0], False, False])
    return True


def _sum_of(dy):
    """The gradient of a bias as a sum of its own, where that is a kernel of its own."""
    if not is_call(dy, *EXTERNAL) and dy.op != "placeholder":
        return None
    dims = [0, *range(2, value(dy).dim())]
    for user in dy.users:
        if is_call(user, SUM) and sorted(user.args[1]) == dims and len(user.args) == 2:
            return user if not user.kwargs else None
    return None
