"""Brings padding with zeros in front of a convolution into the convolution.

Input: a traced program. Output: the same without constant_pad_nd where nothing but
convolutions, and their backward in a program for training, use it. A padding that is
the same on both sides stays PyTorch's operator; another one becomes ours.
"""

from ._graphs import CONVERT, aten, erase, insert, is_call, live_nodes, pieces
from ._graphs import replace, result_of, same_value, value
from ._traced import BACKWARD, CONVOLUTION, accepted, read_backward, read_forward
from ._traced import write_dgrad, write_forward, write_wgrad

PAD = aten.constant_pad_nd.default


def fold_paddings(graph):
    """Returns how many paddings are gone."""
    return sum(_fold(node) for node in live_nodes(graph) if is_call(node, PAD))


def _fold(pad):
    pads = _pads(pad)
    if pads is None:
        return False
    # Autocast converts what was padded.
    users = [pad]
    while len(users[-1].users) == 1 and is_call(next(iter(users[-1].users)), CONVERT):
        users.append(next(iter(users[-1].users)))
    tail = users[-1]
    if not tail.users or not all(_can_fold(user, tail, pads) for user in tail.users):
        return False
    with pad.graph.inserting_before(tail):
        x = pad.args[0]
        for convert in users[1:]:
            x = insert(convert, CONVERT, x, convert.args[1])
    plans = [_plan(user, x, pads) for user in tail.users]
    if not all(plans):
        erase(*[made for plan in plans if plan for made in plan[0]])
        erase(x) if len(users) > 1 else None
        return False
    for _, commit in plans:
        commit()
    erase(*users)
    return True


def _pads(pad):
    """(low, high) of the spatial dimensions, or None where others are padded."""
    x, flat = value(pad.args[0]), list(pad.args[1])
    rank = x.dim() - 2
    fill = pad.args[2] if len(pad.args) > 2 else 0
    if fill != 0 or rank not in (1, 2, 3) or any(flat[2 * rank :]):
        return None
    flat = (flat + [0] * (2 * rank))[: 2 * rank]
    return tuple(flat[0::2][::-1]), tuple(flat[1::2][::-1])


def _can_fold(user, tail, pads):
    if user.op != "call_function":
        return False
    place = read_forward(user)
    if place:
        return place.x is tail and tail not in (place.w, place.bias)
    found = read_backward(user)
    if not found:
        return False
    dy, place, mask = found
    return place.x is tail and dy is not tail and (not mask[0] or _crop(user, pads))


def _crop(backward, pads):
    """The nodes that take the gradient's padding off: conversions, then the crop."""
    node, nodes = pieces(backward).get(0), []
    while node is not None and len(node.users) == 1:
        node = next(iter(node.users))
        nodes.append(node)
        if is_call(node, PAD):
            expected = tuple(tuple(-p for p in side) for side in pads)
            return nodes if _pads(node) == expected else None
        if not is_call(node, CONVERT):
            return None
    return None


def _plan(user, x, pads):
    """(new nodes, commit) for a user, or None."""
    place = read_forward(user)
    if place:
        return _plan_forward(user, _wider(place, x, pads))
    dy, place, mask = read_backward(user)
    return _plan_backward(user, dy, _wider(place, x, pads), mask, pads)


def _wider(place, x, pads):
    low, high = (
        tuple(a + b for a, b in zip(side, more))
        for side, more in zip((place.window.low, place.window.high), pads)
    )
    return place._replace(x=x, window=place.window._replace(low=low, high=high))


def _plan_forward(user, place):
    graph = user.graph
    with graph.inserting_before(user):
        if place.window.is_even:
            arguments = list(user.args)
            arguments[0], arguments[4] = place.x, [*place.window.low]
            node = insert(user, CONVOLUTION, *arguments)
        else:
            node = write_forward(user, place)
    if not same_value(node, user) or (not place.window.is_even and not accepted(node)):
        erase(node)
        return None
    return [node], lambda: replace(user, node)


def _plan_backward(user, dy, place, mask, pads):
    results = pieces(user)
    if place.window.is_even and is_call(user, BACKWARD):
        made, found = _pytorchs(user, place)
    else:
        made, found = _ours(user, dy, place, mask)
    ends = dict(results)
    crop = _crop(user, pads) if mask[0] else []
    with user.graph.inserting_before(user.next):
        for convert in crop[:-1]:
            found[0] = insert(convert, CONVERT, found[0], convert.args[1])
            made.append(found[0])
    if crop:
        ends[0] = crop[-1]
    pairs = [(end, found[index]) for index, end in ends.items()]
    if found and all(same_value(new, end) for end, new in pairs):
        old = [user, *results.values(), *crop]
        return made, lambda: _commit(pairs, old)
    erase(*made)
    return None


def _pytorchs(user, place):
    arguments = list(user.args)
    arguments[1], arguments[5] = place.x, [*place.window.low]
    with user.graph.inserting_before(user):
        node = insert(user, BACKWARD, *arguments)
        found = {index: result_of(user, node, index) for index in pieces(user)}
    return [node, *found.values()], found


def _ours(user, dy, place, mask):
    made, found = [], {}
    with user.graph.inserting_before(user):
        if mask[0]:
            found[0] = write_dgrad(user, dy, place)
            made.append(found[0])
        if mask[1] or mask[2]:
            both = write_wgrad(user, dy, place, bool(mask[2]))
            found[1] = result_of(user, both, 0)
            made += [both, found[1]]
            if mask[2]:
                sums = result_of(user, both, 1)
                found[2] = insert(user, CONVERT, sums, value(dy).dtype)
                made += [sums, found[2]]
    if not all(accepted(n) for n in made if "conv_mlir" in str(n.target)):
        erase(*made)
        return [], {}
    return made, found


def _commit(pairs, old):
    for end, new in pairs:
        end.replace_all_uses_with(new)
    erase(*old)
