"""Random bodies: scalar operations, as text and as a function of arrays."""

import numpy

from . import numbers
from .numbers import bits, is_float

INTEGER_OPS = "addi subi muli andi ori xori maxsi minsi maxui minui".split()
FLOAT_OPS = "addf subf mulf maximumf minimumf".split()


class Body:
    """Scalar operations on named arguments: [(name, type)]."""

    def __init__(self, rng, arguments):
        self.rng = rng
        self.arguments = arguments
        self.lines = []
        self.steps = []
        self.result = None

    def _add(self, text, type, function):
        name = f"%v{len(self.steps)}"
        self.lines.append(f"{name} = {text}")
        self.steps.append((name, function))
        return name, type

    def constant(self, number, type):
        text = f"{float(number)}" if is_float(type) else str(number)
        dtype = numpy.float64 if is_float(type) else numpy.int64
        return self._add(
            f"arith.constant {text} : {type}", type, lambda env: dtype(number)
        )

    def binary(self, op, a, b):
        type = a[1]
        return self._add(
            f"arith.{op} {a[0]}, {b[0]} : {type}",
            type,
            lambda env: numbers.binary(op, env[a[0]], env[b[0]], type),
        )

    def cast(self, op, a, type):
        return self._add(
            f"arith.{op} {a[0]} : {a[1]} to {type}",
            type,
            lambda env: numbers.cast(op, env[a[0]], a[1], type),
        )

    def select(self, predicate, a, b):
        type = a[1]
        compare = "cmpf" if is_float(type) else "cmpi"
        name = f"%c{len(self.steps)}"
        self.lines.append(
            f"{name} = arith.{compare} {predicate}, {a[0]}, {b[0]} : {type}"
        )
        return self._add(
            f"arith.select {name}, {a[0]}, {b[0]} : {type}",
            type,
            lambda env: numbers.select(predicate, env[a[0]], env[b[0]], type),
        )

    def convert(self, a, type, sign=None):
        """By a cast that is drawn, where several are possible."""
        source = a[1]
        if source == type:
            return a
        sign = sign or self.rng.choice("ssu")
        if is_float(source) and is_float(type):
            if bits(source) == bits(type):  # f16 and bf16
                return self.cast("truncf", self.cast("extf", a, "f32"), type)
            return self.cast("extf" if bits(source) < bits(type) else "truncf", a, type)
        if is_float(type):
            return self.cast("sitofp" if sign == "s" else "uitofp", a, type)
        if is_float(source):
            return self._to_integer(a, type)
        if bits(source) > bits(type):
            return self.cast("trunci", a, type)
        return self.cast("extsi" if sign == "s" else "extui", a, type)

    def _to_integer(self, a, type):
        """Numbers that the type does not hold are undefined: they are clamped,
        and then there is no NaN."""
        low, high = (self.constant(n, a[1]) for n in (-100, 100))
        a = self.binary("minimumf", self.binary("maximumf", a, low), high)
        return self.cast("fptosi", self.select("ole", a, high), type)

    def any_step(self, a, others):
        """One operation on a value and a constant or another value."""
        rng, type = self.rng, a[1]
        same = [other for other in others if other[1] == type]
        b = rng.choice(same) if same and rng.random() < 0.5 else None
        if is_float(type):
            b = b or self.constant(rng.choice([-2, -1, 0.5, 1, 2, 3]), type)
            if rng.random() < 0.2:
                return self.select(rng.choice(["ogt", "ole"]), a, b)
            return self.binary(rng.choice(FLOAT_OPS), a, b)
        if rng.random() < 0.2:
            amount = self.constant(rng.randrange(bits(type)), type)
            return self.binary(rng.choice(["shli", "shrsi", "shrui"]), a, amount)
        if rng.random() < 0.1:
            divisor = self.constant(rng.choice([2, 3, 7, 100]), type)
            return self.binary(rng.choice(["divsi", "divui"]), a, divisor)
        b = b or self.constant(rng.choice([-128, -3, -1, 0, 1, 2, 5, 100, 127]), type)
        if rng.random() < 0.2:
            return self.select(rng.choice(["slt", "sge", "ult", "uge", "eq"]), a, b)
        return self.binary(rng.choice(INTEGER_OPS), a, b)

    def text(self, indent):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.arguments)
        lines = [f"^bb0({arguments}):"]
        lines += ["  " + line for line in self.lines]
        lines.append(f"  linalg.yield {self.result[0]} : {self.result[1]}")
        return "\n".join(indent + line for line in lines)

    def run(self, values):
        env = {name: value for (name, _), value in zip(self.arguments, values)}
        for name, function in self.steps:
            env[name] = function(env)
        return env[self.result[0]]
