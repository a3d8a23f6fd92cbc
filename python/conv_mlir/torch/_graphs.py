"""Small things that passes over traced programs (torch.fx, ATen operators) need."""

import operator

import torch

aten = torch.ops.aten
prims = torch.ops.prims
CONVERT = prims.convert_element_type.default
# What every node keeps of the one that it takes the place of.
KEPT = ("seq_nr", "stack_trace", "nn_module_stack", "partitioner_tag", "custom")


def live_nodes(graph):
    """All nodes, but those that are erased on the way."""
    return (node for node in list(graph.nodes) if not node._erased)


def value(node):
    """The fake tensor of a node."""
    return node.meta["val"]


def is_call(node, *targets):
    return isinstance(node, torch.fx.Node) and node.target in targets


def only_user(node):
    """The one operator that uses a node, or None."""
    users = list(node.users)
    return users[0] if len(users) == 1 and users[0].op == "call_function" else None


def original(node):
    """What a node is another name of."""
    while is_call(node, aten.alias.default, aten.detach.default):
        node = node.args[0]
    return node


def insert(like, target, *arguments, **options):
    """A call in the place of `like` (insertion is the caller's), with its value."""
    node = like.graph.call_function(target, arguments, options)
    node.meta = {key: like.meta[key] for key in KEPT if key in like.meta}
    values = torch.fx.map_arg(arguments, value)
    if target is operator.getitem:
        node.meta["val"] = values[0][values[1]]
        return node
    with fake_mode(values), torch.no_grad():
        node.meta["val"] = target(*values, **options)
    return node


def fake_mode(arguments):
    for leaf in torch.utils._pytree.tree_leaves(arguments):
        if isinstance(leaf, torch.Tensor):
            return leaf.fake_mode
    raise AssertionError("a call without tensors")


def same_value(node, expected):
    """Whether a node can take the place of another one: type, shape and strides."""
    a, b = value(node), value(expected)
    return (a.dtype, a.shape, a.stride()) == (b.dtype, b.shape, b.stride())


def erase(*nodes):
    """Erases nodes that nobody uses, last first."""
    for node in reversed(nodes):
        if not node.users:
            node.graph.erase_node(node)


def replace(old, new, *others):
    """Puts a node in the place of another; `others` led to that one only."""
    old.replace_all_uses_with(new)
    erase(*others, old)


def pieces(node):
    """The results of a node with several, by their index."""
    found = {}
    for user in node.users:
        found.setdefault(user.args[1], user)
    return found


def result_of(like, node, index):
    return insert(like, operator.getitem, node, index)
