"""Random convolutions and gradients of linalg, their dimensions in any order."""

import numpy

from .functions import Function
from .nests import CONSTANT, Nest, shape_of
from .numbers import bits, is_float
from .scalars import Body

# Operands and result, with the type of products and sums.
TYPES = [
    ("f16", "f32"),
    ("bf16", "f32"),
    ("bf16", "f32"),
    ("f32", "f32"),
    ("i8", "i32"),
    ("bf16", "bf16"),
    ("f16", "f16"),
]
SMALL = {"n": [1, 2, 3], "g": [2, 3], "c": [1, 3, 4, 8], "k": [1, 2, 5, 8]}
KINDS = ["fprop", "fprop", "wgrad", "dgrad", "scatter"]


class Convolution(Function):
    """A sum of products over windows: x[n, p*s + r*d, c], w[k, r, c] and
    y[n, p, k], of which one is the result. `dgrad` is written as a convolution
    of dy with a filter backwards, `scatter` as what adds to x."""

    def _draw(self):
        rng = self.rng
        self.kind = rng.choice(KINDS)
        self.source, self.sums = rng.choice(TYPES)
        self.floats = is_float(self.source)
        self._draw_loops()
        x, w, y = self._draw_indices()
        roles = {"x": x, "w": w, "y": y}
        made = {"wgrad": "w", "scatter": "x"}.get(self.kind, "y")
        inputs = [role for role in "xwy" if role != made]
        rng.shuffle(inputs)
        maps = [roles[role] for role in inputs] + [roles[made]]
        operands = [self._operand(role, roles[role]) for role in inputs]
        self.result = self._sum(maps, operands)
        if rng.random() < 0.2:
            self.result = self._elementwise(self.result)

    def _draw_loops(self):
        """Letters to numbers of loops, which have any order."""
        rng = self.rng
        self.rank = rng.choice([1, 1, 2, 2, 3])
        letters = [letter for letter in "nck" if rng.random() < 0.9]
        if rng.random() < 0.3:
            letters.append("g")
        for dim in range(self.rank):
            letters.append(f"p{dim}")
            # 1x1 along this dimension, without a loop for the tap.
            if rng.random() < 0.85:
                letters.append(f"r{dim}")
        rng.shuffle(letters)
        self.loops = {letter: i for i, letter in enumerate(letters)}
        most = 4 if self.rank < 3 else 3
        self.extents = [
            rng.choice(SMALL.get(letter[0], list(range(1, most + 1))))
            for letter in letters
        ]

    def _ordered(self, letters, windows):
        """Dimensions in any order, or in the usual two."""
        rng = self.rng
        dims = [{self.loops[l]: 1} for l in letters if l in self.loops] + windows
        if rng.random() < 0.7:
            rng.shuffle(dims)
        return dims

    def _draw_indices(self):
        rng = self.rng
        windows, taps, positions = [], [], []
        flips = rng.choice(["none", "none", "all", "some"])
        if self.kind == "dgrad":
            flips = "all"
        for dim in range(self.rank):
            p, r = self.loops[f"p{dim}"], self.loops.get(f"r{dim}")
            index = {p: 1 if self.kind == "dgrad" else rng.choice([1, 1, 2, 3])}
            positions.append({p: 1})
            if r is not None:
                taps.append({r: 1})
                step = rng.choice([1, 1, 2])
                if flips == "all" or (flips == "some" and rng.random() < 0.5):
                    index[CONSTANT] = step * (self.extents[r] - 1)
                    step = -step
                index[r] = step
            windows.append(index)
        return (
            self._ordered("ngc", windows),
            self._ordered("gkc", taps),
            self._ordered("ngk", positions),
        )

    # Operands.

    def _operand(self, role, map):
        shape = shape_of(map, self.extents)
        narrow = self.rng.random() < 0.15 and self.sums in ("f32", "i32")
        type = {"f32": "bf16", "i32": "i8"}[self.sums] if narrow else self.source
        if role == "x":
            tensor = self._padded_argument(type, map, shape)
        else:
            tensor = self.argument(type, shape)
        if role == "w" and self.rng.random() < 0.25:
            tensor = self._turned(tensor, map)
        return self._widen(tensor) if narrow and type != self.source else tensor

    def _widen(self, tensor):
        """In another operation, as importers do."""
        map = [{d: 1} for d in range(len(tensor.shape))]
        body = Body(self.rng, [("%a", tensor.type), ("%o", self.source)])
        body.result = body.convert(body.arguments[0], self.source, "s")
        init = self.empty(self.source, tensor.shape)
        result = self.tensor(self.source, tensor.shape)
        return self.add(
            Nest(list(tensor.shape), set(), [map, map], [tensor], init, result, body)
        )

    def _padded_argument(self, type, map, shape):
        """Zeros, or another number, around and between what is an argument."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            return self.argument(type, shape)
        if kind < 0.5:
            return self._spread_argument(type, map, shape)
        low, high = [0] * len(shape), [0] * len(shape)
        for dim, index in enumerate(map):
            isWindow = len(index) > 1 or next(iter(index.values())) != 1
            if isWindow or rng.random() < 0.05:
                low[dim], high[dim] = rng.randint(-1, 2), rng.randint(-1, 2)
        inner = [e - a - b for e, a, b in zip(shape, low, high)]
        if min(inner) < 1:
            return self.argument(type, shape)
        number = 0 if rng.random() < 0.7 else 2
        return self.padded(self.argument(type, inner), low, high, number)

    def _spread_argument(self, type, map, shape):
        """Elements that lie apart in a tensor of zeros, or of another number."""
        rng = self.rng
        offsets, sizes, strides = [], [], []
        for index, extent in zip(map, shape):
            isWindow = len(index) > 1 or next(iter(index.values())) != 1
            offsets.append(rng.randint(0, min(2, extent - 1)) if isWindow else 0)
            strides.append(rng.choice([1, 2, 2, 3]) if isWindow else 1)
            sizes.append((extent - offsets[-1] - 1) // strides[-1] + 1)
        inner = self.argument(type, sizes)
        into = self.filled(0 if rng.random() < 0.8 else 2, type, shape)
        result = self.tensor(type, shape)
        self.lines.append(
            f"  {result.name} = tensor.insert_slice {inner.name} into {into.name}"
            f"{offsets} {sizes} {strides} : {inner.mlir} into {result.mlir}"
        )
        places = tuple(
            slice(o, o + (n - 1) * t + 1, t) for o, n, t in zip(offsets, sizes, strides)
        )

        def run(env):
            values = env[into.name].copy()
            values[places] = env[inner.name]
            env[result.name] = values

        self.steps.append(run)
        return result

    def _turned(self, tensor, map):
        """Backwards along some taps, element by element, as torch-mlir does."""
        taps = {loop for letter, loop in self.loops.items() if letter[0] == "r"}
        dims = [dim for dim, index in enumerate(map) if taps & set(index)]
        if self.rng.random() < 0.3:
            dims = [dim for dim in dims if self.rng.random() < 0.5]
        empty = self.empty(tensor.type, tensor.shape)
        result = self.tensor(tensor.type, tensor.shape)
        name, rank = result.name, len(tensor.shape)
        loops = ", ".join(f"d{dim}" for dim in range(rank))
        kinds = ", ".join(['"parallel"'] * rank)
        self.lines.append(
            f"  {name} = linalg.generic {{indexing_maps = [affine_map<({loops}) -> "
            f"({loops})>], iterator_types = [{kinds}]}} outs({empty.name} : "
            f"{empty.mlir}) {{\n  ^bb0(%o: {tensor.type}):"
        )
        for dim, extent in enumerate(tensor.shape):
            self.lines.append(f"    %i{dim} = linalg.index {dim} : index")
            if dim in dims:
                self.lines += [
                    f"    %e{dim} = arith.constant {extent - 1} : index",
                    f"    %b{dim} = arith.subi %e{dim}, %i{dim} : index",
                ]
        at = ", ".join(f"%b{d}" if d in dims else f"%i{d}" for d in range(rank))
        self.lines += [
            f"    %v = tensor.extract {tensor.name}[{at}] : {tensor.mlir}",
            f"    linalg.yield %v : {tensor.type}\n  }} -> {result.mlir}",
        ]
        self.steps.append(
            lambda env: env.__setitem__(name, numpy.flip(env[tensor.name], dims))
        )
        return result

    # The sum.

    def _sum(self, maps, operands):
        rng = self.rng
        reductions = set(range(len(self.extents)))
        for index in maps[-1]:
            if len(index) == 1:
                reductions -= {loop for loop, step in index.items() if step == 1}
        body = Body(rng, [("%a", self.source), ("%b", self.source), ("%o", self.sums)])
        suffix = "f" if self.floats else "i"
        a, b = (body.convert(v, self.sums, "s") for v in body.arguments[:2])
        product = body.binary("mul" + suffix, a, b)
        pair = [body.arguments[2], product]
        rng.shuffle(pair)
        body.result = body.binary("add" + suffix, *pair)
        init = self._init(self.sums, shape_of(maps[-1], self.extents))
        result = self.tensor(self.sums, init.shape)
        return self.add(
            Nest(self.extents, reductions, maps, operands, init, result, body)
        )

    def _value(self, tensor):
        """Small enough that every sum is a number of the narrowest type."""
        draw = numpy.random.default_rng(self.rng.getrandbits(32))
        most = 1 if bits(self.sums) < 32 else 2
        values = draw.integers(-most, most, tensor.shape, endpoint=True)
        return values.astype(numpy.float64 if is_float(tensor.type) else numpy.int64)
