"""Plans whose launches do not go with their kernels.

A case is a plan, a change of it, arguments, a status and words of the message.
"""


def launch(**changes):
    return lambda plan: plan.header["launches"][0].update(changes)


def argument(index, **changes):
    return lambda plan: plan.header["launches"][0]["arguments"][index].update(changes)


def replace(index, new):
    def change(plan):
        plan.header["launches"][0]["arguments"][index] = new

    return change


def drop(plan):
    plan.header["launches"][0]["arguments"].pop()


def add(plan):
    plan.header["launches"][0]["arguments"].append({"kind": "i32", "bits": 3})


ADDRESS = {"kind": "buffer", "buffer": 0, "byte_offset": 0}
NUMBER = {"kind": "i64", "bits": 4096}

CASES = {
    "most blocks": ("plain", launch(grid=[2147483647, 65535, 65535]), [], 2, ["launches[0].grid", "more blocks"]),
    "many blocks": ("plain", launch(grid=[2147483647, 1, 1]), [], 2, ["more blocks than the plan's buffers"]),
    "one thread": ("plain", launch(block=[1, 1, 1]), [], 2, ["block is 1x1x1, but the kernel requires 64x1x1"]),
    "too much shared memory": ("plain", launch(dynamic_shared_bytes=262144), [], 2, ["262144 bytes of shared memory"]),
    "too little shared memory": ("plain", launch(dynamic_shared_bytes=1), [], 3, ["out-of-bounds shared"]),
    "unknown kernel": ("plain", launch(kernel="other"), [], 2, ["there is no kernel 'other'"]),
    "kernel with an escape": ("plain", launch(kernel="conv\x1b[31m"), [], 2, ["launches[0].kernel", "\\x1b[31m"]),
    "too few arguments": ("plain", drop, [], 2, ["kernel conv_forward_f16_", ": expected 3 arguments, the plan has 2"]),
    "too many arguments": ("plain", add, [], 2, ["kernel conv_forward_f16_", ": expected 3 arguments, the plan has 4"]),
    "number for an address": ("plain", replace(2, NUMBER), [], 2, ["argument 2: expected an address, the plan has a number of 8 bytes"]),
    "number for a tensor map": ("maps", replace(0, NUMBER), [], 2, ["argument 0: expected a tensor map, the plan has a number"]),
    "address for a tensor map": ("maps", replace(0, ADDRESS), [], 2, ["argument 0: expected a tensor map, the plan has an address"]),
    "offset at the end": ("plain", argument(0, byte_offset=400), [], 3, ["out-of-bounds global"]),
    "odd offset": ("plain", argument(0, byte_offset=3), [], 3, ["is not a multiple of"]),
    "negative offset": ("plain", argument(0, byte_offset=-16), [], 2, ["launches[0].arguments[0]", "leave x (argument 0)"]),
    "box beyond shared memory": ("maps", argument(0, box=[16, 256, 256, 1]), [], 2, ["larger than shared memory"]),
    "box of another rank": ("maps", argument(0, box=[16, 10]), [], 2, ["arguments[0]: tensor map: box"]),
    "no launches and no code": (
        "plain",
        lambda plan: (plan.header.update(launches=[], images=[]), plan.images.clear()),
        ["--verify"],
        1,
        ["FAILED"],
    ),
}
