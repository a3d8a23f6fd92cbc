"""Operations of linalg: loops, indexing maps and a body."""

import itertools
from dataclasses import dataclass

import numpy


@dataclass
class Tensor:
    """A value of the function: its name, element type and shape."""

    name: str
    type: str
    shape: tuple

    @property
    def mlir(self):
        return f"tensor<{'x'.join(map(str, self.shape + (self.type,)))}>"


# The key of what an index adds to its loops.
CONSTANT = None


def index_text(index):
    """{0: 1, 2: 3} is "d0 + d2 * 3", and {0: -1, CONSTANT: 4} is "d0 * -1 + 4"."""
    terms = [
        f"d{loop}" + (f" * {step}" if step != 1 else "")
        for loop, step in index.items()
        if loop is not CONSTANT
    ]
    if index.get(CONSTANT):
        terms.append(str(index[CONSTANT]))
    return " + ".join(terms)


def shape_of(map, extents):
    """The smallest tensor that the loops stay within; an index with a negative
    step adds as much as keeps it from below zero."""
    return tuple(
        1
        + sum(
            abs(step) * (extents[loop] - 1)
            for loop, step in index.items()
            if loop is not CONSTANT
        )
        for index in map
    )


@dataclass
class Nest:
    """One operation; a map is a list of indices, {loop: step}."""

    extents: list
    reductions: set
    maps: list
    inputs: list
    init: Tensor
    result: Tensor
    body: object
    name: str = "generic"
    attributes: str = ""

    def text(self):
        types = ", ".join(t.mlir for t in self.inputs)
        names = ", ".join(t.name for t in self.inputs)
        ins = f"ins({names} : {types}) " if self.inputs else ""
        tail = f"{ins}outs({self.init.name} : {self.init.mlir})"
        arrow = f" -> {self.result.mlir}"
        if self.name == "contract":
            return (
                f"  {self.result.name} = linalg.contract indexing_maps = "
                f"[{self._maps()}]{self.attributes} {tail}{arrow}"
            )
        if self.name == "map":
            return self._map_text(ins)
        if self.name != "generic":
            return f"  {self.result.name} = linalg.{self.name}{self.attributes} {tail}{arrow}"
        kinds = ", ".join(
            '"reduction"' if loop in self.reductions else '"parallel"'
            for loop in range(len(self.extents))
        )
        return (
            f"  {self.result.name} = linalg.generic {{indexing_maps = "
            f"[{self._maps()}], iterator_types = [{kinds}]}} {tail} {{\n"
            f"{self.body.text('  ')}\n  }}{arrow}"
        )

    def _map_text(self, ins):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.body.arguments)
        lines = self.body.text("  ").split("\n")[1:]
        return (
            f"  {self.result.name} = linalg.map {ins}outs({self.init.name} : "
            f"{self.init.mlir}) ({arguments}) {{\n" + "\n".join(lines) + "\n  }"
        )

    def _maps(self):
        loops = ", ".join(f"d{i}" for i in range(len(self.extents)))
        return ", ".join(
            f"affine_map<({loops}) -> ({', '.join(map(index_text, m))})>"
            for m in self.maps
        )

    def run(self, env):
        """Computes the result of the values in `env`: all parallel loops at a
        time, reductions in ascending order."""
        parallel = [i for i in range(len(self.extents)) if i not in self.reductions]
        grid = numpy.indices([self.extents[i] for i in parallel])
        arrays = [env[t.name] for t in self.inputs]
        result = env[self.init.name].copy()
        ordered = sorted(self.reductions)
        for reduced in itertools.product(*(range(self.extents[i]) for i in ordered)):
            place = dict(zip(parallel, grid)) | dict(zip(ordered, reduced))
            values = [a[self._at(m, place)] for a, m in zip(arrays, self.maps)]
            where = self._at(self.maps[-1], place)
            made = self.body.run(values + [result[where]])
            result[where] = made
        env[self.result.name] = result

    def _at(self, map, place):
        return tuple(
            sum(
                (step * place[loop] for loop, step in index.items() if loop is not CONSTANT),
                index.get(CONSTANT, 0),
            )
            for index in map
        )
