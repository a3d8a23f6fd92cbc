"""Random functions: sums of products and what stands around them."""

import numpy

from .nests import Nest, Tensor, shape_of
from .numbers import bits, is_float, round_to
from .scalars import FLOAT_OPS, INTEGER_OPS, Body

# Of a sum of products: loops of the result, loops of the sum, and the maps of
# the operands and the result, as in "n q*s+t*d c".
SHAPES = [
    ("nqk", "tc", "n q*s+t*d c", "k t c", "n q k", None),
    ("nqk", "ct", "n c q*s+t*d", "k c t", "n k q", None),
    ("nqk", "tc", "n q*s+t*d c", "t c k", "n q k", "conv_1d_nwc_wcf"),
    ("nkq", "ct", "n c q*s+t*d", "k c t", "n k q", "conv_1d_ncw_fcw"),
    ("npqk", "rtc", "n p*s+r*d q*s+t*d c", "r t c k", "n p q k", "conv_2d_nhwc_hwcf"),
    ("npqk", "rtc", "n p*s+r*d q*s+t*d c", "k r t c", "n p q k", None),
    ("nqk", "t", "n q*s+t*d k", "t k", "n q k", "depthwise_conv_1d_nwc_wc"),
    ("q", "t", "q*s+t*d", "t", "q", None),
    ("mk", "c", "m c", "c k", "m k", "matmul"),
    ("mk", "c", "m c", "k c", "m k", "contract"),
    ("nmk", "c", "n m c", "n c k", "n m k", "batch_matmul"),
    ("nm", "c", "n c m", "n c", "n m", None),
]
INTEGERS, FLOATS = ["i8", "i32"], ["f16", "bf16", "f32"]
PRODUCT_TYPES = ["i8", "i16", "i32", "i32", "i64"]


class Function:
    """A function that was drawn: text, arguments, and what it returns."""

    def __init__(self, rng, precision):
        self.rng = rng
        self.precision = precision
        self.count = 0
        self.arguments = []
        self.lines = []
        self.steps = []
        self._draw()

    # Values.

    def tensor(self, type, shape):
        self.count += 1
        return Tensor(f"%t{self.count}", type, tuple(shape))

    def argument(self, type, shape):
        tensor = self.tensor(type, shape)
        self.arguments.append(tensor)
        return tensor

    def empty(self, type, shape):
        tensor = self.tensor(type, shape)
        self.lines.append(f"  {tensor.name} = tensor.empty() : {tensor.mlir}")
        zeros = numpy.zeros(shape, numpy.float64 if is_float(type) else numpy.int64)
        self.steps.append(lambda env: env.__setitem__(tensor.name, zeros))
        return tensor

    def filled(self, number, type, shape):
        begin, tensor = self.empty(type, shape), self.tensor(type, shape)
        text = f"{float(number)}" if is_float(type) else str(number)
        scalar = tensor.name + "c"
        self.lines.append(f"  {scalar} = arith.constant {text} : {type}")
        self.lines.append(
            f"  {tensor.name} = linalg.fill ins({scalar} : {type}) "
            f"outs({begin.name} : {begin.mlir}) -> {tensor.mlir}"
        )
        self.steps.append(
            lambda env: env.__setitem__(tensor.name, env[begin.name] + number)
        )
        return tensor

    def add(self, nest):
        self.lines.append(nest.text())
        self.steps.append(nest.run)
        return nest.result

    def padded(self, tensor, low, high, number=0):
        """With zeros, which a convolution takes as its own, or another number;
        what is negative crops."""
        shape = [e + a + b for e, a, b in zip(tensor.shape, low, high)]
        result = self.tensor(tensor.type, shape)
        text = f"{float(number)}" if is_float(tensor.type) else str(number)
        indices = ", ".join(f"%i{d}: index" for d in range(len(shape)))
        self.lines += [
            f"  {result.name}c = arith.constant {text} : {tensor.type}",
            f"  {result.name} = tensor.pad {tensor.name} low{list(low)} "
            f"high{list(high)} {{\n  ^bb0({indices}):\n    tensor.yield "
            f"{result.name}c : {tensor.type}\n  }} : {tensor.mlir} to {result.mlir}",
        ]
        widths = [(max(a, 0), max(b, 0)) for a, b in zip(low, high)]
        kept = tuple(
            slice(max(-a, 0), max(-a, 0) + extent) for a, extent in zip(low, shape)
        )
        self.steps.append(
            lambda env: env.__setitem__(
                result.name,
                numpy.pad(env[tensor.name], widths, constant_values=number)[kept],
            )
        )
        return result

    # What is drawn.

    def _draw(self):
        rng = self.rng
        self.floats = rng.random() < 0.35
        if rng.random() < 0.2:
            kind = rng.choice(FLOATS if self.floats else INTEGERS)
            x = self.argument(kind, [rng.randint(1, 3), rng.choice([3, 8])])
            self.result = self._elementwise(x)
        else:
            self.result = self._sum_of_products()
            if rng.random() < 0.4:
                self.result = self._elementwise(self.result)

    def _loops(self, shape):
        rng = self.rng
        outer, inner, *maps, name = shape
        letters = outer + inner
        small = {"n": [1, 2], "k": [1, 3, 4, 8], "c": [1, 2, 3, 8], "m": [2, 5]}
        extents = [rng.choice(small.get(l, [1, 2, 3, 4])) for l in letters]
        steps = {"s": rng.choice([1, 1, 2]), "d": rng.choice([1, 1, 2])}
        if name and name.startswith(("conv", "depth")):
            self.dims = len([l for l in letters if l in "pq"])
            self.steps_text = (
                f" {{dilations = dense<{steps['d']}> : tensor<{self.dims}xi64>, "
                f"strides = dense<{steps['s']}> : tensor<{self.dims}xi64>}}"
            )

        def read(text):
            index = {}
            for term in text.split("+"):
                letter, _, step = term.partition("*")
                index[letters.index(letter)] = steps[step] if step else 1
            return index

        maps = [[read(i) for i in m.split()] for m in maps]
        return extents, set(range(len(outer), len(letters))), maps, name

    def _types(self):
        rng = self.rng
        if self.floats:
            source = rng.choice(FLOATS)
            wider = [t for t in FLOATS if bits(t) > bits(source)]
            return source, source, rng.choice(wider + [source])
        x = rng.choice(["i8", "i8", "i8", "i32"])
        w = x if rng.random() < 0.9 else rng.choice(INTEGERS)
        return x, w, rng.choice(["i32", "i32", "i8"])

    def _sum_of_products(self):
        rng = self.rng
        extents, reductions, maps, name = self._loops(rng.choice(SHAPES))
        xType, wType, type = self._types()
        isNamed = name is not None and rng.random() < 0.5
        body, attributes = (
            self._named_body(name, xType, wType, type)
            if isNamed
            else (self._body(xType, wType, type), "")
        )
        x = self._input(xType, maps[0], extents)
        w = self.argument(wType, shape_of(maps[1], extents))
        init = self._init(type, shape_of(maps[2], extents))
        result = self.tensor(type, init.shape)
        return self.add(
            Nest(
                *(extents, reductions, maps, [x, w], init, result, body),
                name if isNamed else "generic",
                attributes,
            )
        )

    def _input(self, type, map, extents):
        """Sometimes padded along its windows."""
        shape = shape_of(map, extents)
        low, high = [0] * len(shape), [0] * len(shape)
        if self.rng.random() < 0.3:
            for dim, index in enumerate(map):
                if len(index) > 1:
                    low[dim] = self.rng.randint(0, 1)
                    high[dim] = self.rng.randint(0, 1)
        inner = [e - a - b for e, a, b in zip(shape, low, high)]
        if min(inner) < 1 or not any(low + high):
            return self.argument(type, shape)
        return self.padded(self.argument(type, inner), low, high)

    def _init(self, type, shape):
        kind = self.rng.random()
        if kind < 0.6:
            return self.filled(0, type, shape)
        if kind < 0.7:
            return self.filled(3, type, shape)
        return self.argument(type, shape)

    def _named_body(self, name, xType, wType, type):
        """Operands are cast to the type of the result, and multiplied there."""
        rng = self.rng
        sign, attributes = "s", ""
        if name in ("matmul", "contract", "batch_matmul") and rng.random() < 0.4:
            sign = "u"
            clause = "cast = #linalg.type_fn<cast_unsigned>"
            attributes = f" {{{clause}}}" if name == "contract" else f" {clause}"
            if name != "contract":
                attributes = f" {{{clause}}}"
        if name.startswith(("conv", "depth")):
            attributes = self.steps_text
        body = Body(rng, [("%a", xType), ("%b", wType), ("%o", type)])
        a = body.convert(body.arguments[0], type, sign)
        b = body.convert(body.arguments[1], type, sign)
        suffix = "f" if is_float(type) else "i"
        product = body.binary("mul" + suffix, a, b)
        body.result = body.binary("add" + suffix, body.arguments[2], product)
        return body, attributes

    def _body(self, xType, wType, type):
        """Mostly a sum of products; casts, order and operations vary."""
        rng = self.rng
        body = Body(rng, [("%a", xType), ("%b", wType), ("%o", type)])
        suffix = "f" if self.floats else "i"
        middle = self._product_type(xType, type)
        sign = rng.choice(["s", "s", "s", "u", None])
        a, b = (body.convert(v, middle, sign) for v in body.arguments[:2])
        if rng.random() < 0.5:
            a, b = b, a
        others = FLOAT_OPS if self.floats else INTEGER_OPS
        multiply = "mul" + suffix if rng.random() < 0.9 else rng.choice(others)
        product = body.convert(body.binary(multiply, a, b), type, sign)
        if rng.random() < 0.05:
            product = body.any_step(product, body.arguments)
        pair = [body.arguments[2], product]
        if rng.random() < 0.4:
            pair.reverse()
        add = "add" + suffix if rng.random() < 0.9 else rng.choice(others)
        body.result = body.binary(add, *pair)
        if rng.random() < 0.05:
            body.result = body.any_step(body.result, [])
        return body

    def _product_type(self, source, type):
        if not self.floats:
            return self.rng.choice(PRODUCT_TYPES)
        return self.rng.choice([source, type, "f32"])

    def _elementwise(self, x):
        rng = self.rng
        maps = [[{d: 1} for d in range(len(x.shape))]]
        inputs = [x]
        for _ in range(rng.randint(0, 2)):
            kind = rng.choice(FLOATS if rng.random() < 0.3 else INTEGERS)
            if self.floats:
                kind = rng.choice(FLOATS)
            isRow = rng.random() < 0.5
            map = [{len(x.shape) - 1: 1}] if isRow else maps[0]
            inputs.append(self.argument(kind, [x.shape[next(iter(i))] for i in map]))
            maps.append(map)
        type = rng.choice(FLOATS if self.floats else INTEGERS + ["f32"])
        body = Body(
            rng, [(f"%a{i}", t.type) for i, t in enumerate(inputs)] + [("%o", type)]
        )
        value = body.arguments[0]
        for _ in range(rng.randint(1, 4)):
            value = body.any_step(value, body.arguments[1:-1])
            if rng.random() < 0.4:
                value = body.convert(value, self._step_type())
            other = rng.choice(body.arguments[:-1])
            if rng.random() < 0.4:
                value = body.any_step(value, [body.convert(other, value[1])])
        body.result = body.convert(value, type)
        init = self.empty(type, x.shape)
        isMap = all(map is maps[0] for map in maps) and rng.random() < 0.4
        return self.add(
            Nest(
                *(list(x.shape), set(), maps + [maps[0]], inputs, init),
                *(self.tensor(type, x.shape), body, "map" if isMap else "generic"),
            )
        )

    def _step_type(self):
        if self.floats:
            return self.rng.choice(FLOATS)
        return self.rng.choice(["i8", "i16", "i32", "i32", "i64", "f32"])

    # The whole.

    def text(self):
        arguments = ", ".join(f"{t.name}: {t.mlir}" for t in self.arguments)
        return "\n".join(
            [f"func.func @f({arguments}) -> {self.result.mlir} {{"]
            + self.lines
            + [f"  return {self.result.name} : {self.result.mlir}", "}", ""]
        )

    def values(self):
        """Integers are any of their type, or small; floats are whole numbers
        whose sums of products f32 holds: where the precision of the text is
        asked for, more than narrower types hold."""
        return [self._value(t) for t in self.arguments]

    def _value(self, tensor):
        draw = numpy.random.default_rng(self.rng.getrandbits(32))
        if is_float(tensor.type):
            most = 700 if self.precision == "text" else 2
            return round_to(
                draw.integers(-most, most, tensor.shape, endpoint=True), tensor.type
            )
        end = 1 << (bits(tensor.type) - 1)
        if tensor.type == "i32" and self.rng.random() < 0.5:
            end = 1000
        return draw.integers(-end, end, tensor.shape)

    def run(self, values):
        env = {t.name: v for t, v in zip(self.arguments, values)}
        for step in self.steps:
            step(env)
        return env[self.result.name]
