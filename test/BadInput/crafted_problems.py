"""Plans whose problem line and buffers disagree, and verifications of nothing.

A case is a plan, a change of it, arguments, a status and words of the message.
"""

SIZES = {"f16": 2, "f32": 4, "f64": 8, "s8": 1}
VERIFY = ["--verify"]


def same(plan):
    pass


def problem(line):
    return lambda plan: plan.header.update(problem=line)


def buffer(index, **changes):
    """Changes a buffer, whose size stays right."""

    def change(plan):
        changed = plan.header["buffers"][index]
        changed.update(changes)
        size = SIZES[changed["type"]]
        for extent in changed["shape"]:
            size *= extent
        changed["bytes"] = size

    return change


def hide(index):
    """Makes an argument or a result scratch memory."""
    return buffer(index, role="workspace", position=-1)


def no_launches(plan):
    plan.header["launches"] = []


def all_of(*changes):
    def change(plan):
        for each in changes:
            each(plan)

    return change


EMPTY = all_of(
    problem("forward n=0 c=8 h=5 w=5 k=8 r=3 s=3 pad=1 type=f16"),
    buffer(0, shape=[0, 5, 5, 8]),
    buffer(2, shape=[0, 5, 5, 8]),
    no_launches,
)
NAN = ["--input=nan-x.npy", "--input=nan-w.npy"]
RESULT = ["case.plan: buffers[2]: expected the result of the problem, y, 1x5x5x8 of f16, got y"]
HUGE = problem("forward n=100000 c=8 h=50000 w=50000 k=8 r=3 s=3 pad=1 type=f16")
DBIAS = problem("wgrad n=1 c=8 h=5 w=5 k=8 r=3 s=3 pad=1 type=f16 epilogue=dbias")

CASES = {
    "unchanged": ("plain", same, VERIFY, 0, ["in 200 elements", "code       nvvm"]),
    "larger result": ("plain", buffer(2, shape=[1, 5, 5, 80000]), VERIFY, 2, RESULT),
    "larger result, not verified": ("plain", buffer(2, shape=[1, 5, 5, 80000]), [], 2, RESULT),
    "larger result, of a sample": (
        "plain",
        buffer(2, shape=[1, 5, 5, 80000]),
        ["--verify=sample:10"],
        2,
        RESULT,
    ),
    "smaller result": ("plain", buffer(2, shape=[1, 1, 1, 8]), VERIFY, 2, RESULT),
    "empty result": ("plain", all_of(buffer(2, shape=[0]), no_launches), VERIFY, 2, RESULT),
    "result of another type": ("plain", buffer(2, type="f64"), VERIFY, 2, RESULT),
    "result of another name": ("plain", buffer(2, name="z"), VERIFY, 2, ["got z, 1x5x5x8"]),
    "larger argument": ("plain", buffer(0, shape=[1, 5, 5, 800]), VERIFY, 2, ["buffers[0]", "x, 1x5x5x8"]),
    "smaller argument": ("plain", buffer(1, shape=[1, 1, 1, 8]), VERIFY, 2, ["buffers[1]", "w, 8x3x3x8"]),
    "no result": ("plain", hide(2), VERIFY, 2, ["as many results as the problem has, 1 (y), got 0"]),
    "no argument": ("plain", hide(0), VERIFY, 2, ["the positions of the arguments must be 0, 1, 2"]),
    "no last argument": ("plain", hide(1), VERIFY, 2, ["as many arguments", "2 (x, w), got 1"]),
    "one result of two": ("plain", DBIAS, VERIFY, 2, ["buffers[1]: expected the argument of the problem, dy"]),
    "second result hidden": ("sums", hide(3), VERIFY, 2, ["2 (dw, db), got 1"]),
    "second result of none": (
        "sums",
        problem("wgrad n=2 c=16 h=8 w=8 k=16 r=3 s=3 pad=1 type=bf16"),
        VERIFY,
        2,
        ["as many results as the problem has, 1 (dw), got 2"],
    ),
    "problem of other extents": ("plain", HUGE, VERIFY, 2, ["x, 100000x50000x50000x8"]),
    "no problem line": ("plain", problem("@main of a file"), VERIFY, 2, ["no problem line"]),
    "nothing runs": ("plain", no_launches, VERIFY, 1, ["FAILED", "is nan"]),
    "nothing runs and NaN is expected": (
        "plain",
        no_launches,
        VERIFY + NAN,
        1,
        ["full: FAILED, nothing to compare: every expected element of y is NaN"],
    ),
    "none but NaN is expected": ("plain", same, VERIFY + NAN, 1, ["nothing to compare"]),
    "none but NaN, in JSON": (
        "plain",
        same,
        VERIFY + NAN + ["--json"],
        1,
        ['"compared": 0', '"passed": false', '"code": "nvvm"'],
    ),
    "empty batch": ("plain", EMPTY, VERIFY, 1, ["nothing to compare: y has no elements"]),
    "empty batch, not verified": ("plain", EMPTY, [], 0, ["kernel     none"]),
    "buffers beyond all memory": (
        "plain",
        lambda plan: plan.header["buffers"].extend(
            {"name": "a", "role": "workspace", "position": -1, "type": "f16", "shape": [2**46], "bytes": 2**47}
            for _ in range(1000)
        ),
        [],
        2,
        ["buffers: together they take more than 2^56 bytes"],
    ),
}
