"""The StableHLO that JAX prints for a convolution and its two gradients."""

from .cases import spread

# Letters of the orders, as StableHLO has them.
IMAGE = {"N": "b", "C": "f", "H": "0", "W": "1"}
FILTER = {"O": "o", "I": "i", "H": "0", "W": "1"}
CANONICAL_IMAGE, CANONICAL_FILTER = "NCHW", "OIHW"


def arrange(shape, order, canonical):
    """A canonical shape in another order."""
    return tuple(shape[canonical.index(letter)] for letter in order)


def tensor(shape, element):
    return "tensor<" + "x".join([*map(str, shape), element]) + ">"


def numbers(letters):
    return "[" + ", ".join(letters) + "]"


def swapped(letters, a, b):
    return [{a: b, b: a}.get(letter, letter) for letter in letters]


class Lines:
    """The operations of a function; values are numbered as they come."""

    def __init__(self, element):
        self.element, self.lines, self.constants = element, [], 0

    def add(self, text):
        name = f"%{len(self.lines) - self.constants}"
        self.lines.append(f"    {name} = stablehlo.{text}")
        return name

    def convolution(self, operands, shapes, dims, strides, padding, dilations, groups):
        lhs, rhs, out = (tensor(shape, self.element) for shape in shapes)
        dims = f"{numbers(dims[0])}x{numbers(dims[1])}->{numbers(dims[2])}"
        pad = "[" + ", ".join(f"[{low}, {high}]" for low, high in padding) + "]"
        precision = ", ".join(["#stablehlo<precision DEFAULT>"] * 2)
        return self.add(
            f"convolution({', '.join(operands)}) dim_numbers = {dims}, window = "
            f"{{stride = {list(strides)}, pad = {pad}, lhs_dilate = {list(dilations[0])}, "
            f"rhs_dilate = {list(dilations[1])}, reverse = [false, false]}} "
            f"{{batch_group_count = {groups[1]} : i64, feature_group_count = {groups[0]} : i64, "
            f"precision_config = [{precision}]}} : ({lhs}, {rhs}) -> {out}"
        )

    def zeros(self, shape):
        self.lines.append(
            f"    %cst = stablehlo.constant dense<0.000000e+00> : tensor<{self.element}>"
        )
        self.constants += 1
        return self.add(
            f"broadcast_in_dim %cst, dims = [] : (tensor<{self.element}>) -> "
            f"{tensor(shape, self.element)}"
        )

    def reshape(self, value, old, new):
        if old == new:
            return value
        return self.add(
            f"reshape {value} : ({tensor(old, self.element)}) -> {tensor(new, self.element)}"
        )

    def move_out(self, value, shape, dim, to, groups):
        """Takes the groups out of dimension `dim` and puts them into `to`, outside."""
        split = (*shape[:dim], groups, shape[dim] // groups, *shape[dim + 1 :])
        value = self.reshape(value, shape, split)
        # Without the groups, the dimensions are those of the shape.
        order = [d for d in range(len(split)) if d != dim]
        order.insert(to, dim)
        moved = tuple(split[d] for d in order)
        value = self.add(
            f"transpose {value}, dims = {order} : ({tensor(split, self.element)}) -> "
            f"{tensor(moved, self.element)}"
        )
        joined = (*moved[:to], moved[to] * moved[to + 1], *moved[to + 2 :])
        return self.reshape(value, moved, joined), joined


class Writer:
    def __init__(self, case, element):
        self.case, self.lines = case, Lines(element)
        orders = case.orders
        self.x = arrange(case.lhs, orders[0], CANONICAL_IMAGE)
        self.w = arrange(case.rhs, orders[1], CANONICAL_FILTER)
        self.y = arrange(case.out, orders[2], CANONICAL_IMAGE)
        self.dims = (
            [IMAGE[letter] for letter in orders[0]],
            [FILTER[letter] for letter in orders[1]],
            [IMAGE[letter] for letter in orders[2]],
        )

    def forward(self):
        case = self.case
        return self.lines.convolution(
            ("%arg0", "%arg1"), (self.x, self.w, self.y), self.dims, case.strides, case.padding,
            (case.lhs_dilation, case.rhs_dilation), (case.feature_groups, case.batch_groups),
        )  # fmt: skip

    def filter_gradient(self):
        """The images are features, and dy is the window."""
        case, (x, w, y) = self.case, self.dims
        padding = []
        for d in range(2):
            low = case.padding[d][0]
            out = spread(case.out[2 + d], case.strides[d])
            lhs = spread(case.lhs[2 + d], case.lhs_dilation[d])
            window = spread(case.rhs[2 + d], case.rhs_dilation[d])
            padding.append((low, out - lhs + window - low - 1))
        dims = (
            swapped(x, "b", "f"),
            [{"b": "i", "f": "o"}.get(letter, letter) for letter in y],
            [{"i": "b", "o": "f"}.get(letter, letter) for letter in w],
        )
        return self.lines.convolution(
            ("%arg0", "%arg2"), (self.x, self.y, self.w), dims, case.rhs_dilation, padding,
            (case.lhs_dilation, case.strides), (case.batch_groups, case.feature_groups),
        )  # fmt: skip

    def input_gradient(self):
        """The filter is backwards, its features change places."""
        case, (x, w, y) = self.case, self.dims
        groups = case.feature_groups * case.batch_groups
        value, shape = "%arg1", self.w
        if groups > 1:
            value, shape = self.lines.move_out(value, shape, w.index("o"), w.index("i"), groups)
        spatial = [w.index("0"), w.index("1")]
        element = self.lines.element
        value = self.lines.add(f"reverse {value}, dims = {spatial} : {tensor(shape, element)}")
        padding = []
        for d in range(2):
            window = spread(case.rhs[2 + d], case.rhs_dilation[d])
            low = window - case.padding[d][0] - 1
            room = spread(case.lhs[2 + d], case.lhs_dilation[d]) + window - 1
            padding.append((low, room - spread(case.out[2 + d], case.strides[d]) - low))
        made = list(self.x)
        made[x.index("b")] //= case.batch_groups
        made[x.index("f")] *= case.batch_groups
        result = self.lines.convolution(
            ("%arg2", value), (self.y, shape, tuple(made)), (y, swapped(w, "i", "o"), x),
            case.lhs_dilation, padding, (case.strides, case.rhs_dilation), (groups, 1),
        )  # fmt: skip
        if case.batch_groups > 1:
            result, _ = self.lines.move_out(
                result, tuple(made), x.index("f"), x.index("b"), case.batch_groups
            )
        return result


def module(case, element="f32"):
    """y, dx and dw of x, w and dy: what JAX prints of a function and its vjp."""
    writer = Writer(case, element)
    made = [writer.forward(), None, None]
    if 0 in case.out:
        made[1] = writer.input_gradient()
        made[2] = writer.lines.zeros(writer.w)
    else:
        made[2] = writer.filter_gradient()
        made[1] = writer.input_gradient()
    x, w, y = (tensor(shape, element) for shape in (writer.x, writer.w, writer.y))
    info = [f'{{jax.result_info = "result[{i}]"}}' for i in range(3)]
    body = "\n".join(writer.lines.lines)
    return f"""module @jit_g attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func public @main(%arg0: {x}, %arg1: {w}, %arg2: {y}) -> ({y} {info[0]}, {x} {info[1]}, {w} {info[2]}) {{
{body}
    return {', '.join(made)} : {y}, {x}, {w}
  }}
}}
"""
