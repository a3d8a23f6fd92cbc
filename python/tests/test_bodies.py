"""Functions of linalg mean what their text says (scripts/fuzz_bodies.py)."""

import collections

import conv_mlir
import fuzz_bodies
import numpy
import pytest
from bodies import numbers

# The seeds are fixed: what is compiled does not depend on the day.
CASES = range(60)
CONVOLUTIONS = range(40)


def test_random_bodies():
    wrong, convolutions, compared = [], 0, 0
    for number in CASES:
        try:
            found, isConvolution = fuzz_bodies.check(1, number)
        except conv_mlir.Error:
            continue
        compared += 1
        convolutions += isConvolution
        if found:
            wrong.append(found)
    assert not wrong
    # Most have a kernel, and both ways through the import are taken.
    assert compared > 0.9 * len(CASES)
    assert 0.1 * compared < convolutions < 0.9 * compared


def test_random_convolutions():
    """In any order of dimensions; all three operations are among them."""
    wrong, kinds, compared, convolutions = [], collections.Counter(), 0, 0
    for number in CONVOLUTIONS:
        try:
            found, isConvolution = fuzz_bodies.check(2, number, of="convolutions")
        except conv_mlir.Error:
            continue
        kinds[fuzz_bodies.draw(2, number, "convolutions")[0].kind] += 1
        compared += 1
        convolutions += isConvolution
        if found:
            wrong.append(found)
    assert not wrong
    assert compared > 0.9 * len(CONVOLUTIONS) and len(kinds) == 4
    assert convolutions > 0.6 * compared


BODY = """
func.func @f(%x: tensor<1x1x1x{source}>, %w: tensor<1x1x1x{source}>) -> tensor<1x1x1x{type}> {{
  %z = arith.constant {zero} : {type}
  %e = tensor.empty() : tensor<1x1x1x{type}>
  %i = linalg.fill ins(%z : {type}) outs(%e : tensor<1x1x1x{type}>) -> tensor<1x1x1x{type}>
  %y = linalg.generic {{indexing_maps = [
      affine_map<(n, q, k, s, c) -> (n, q + s, c)>, affine_map<(n, q, k, s, c) -> (k, s, c)>,
      affine_map<(n, q, k, s, c) -> (n, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}}
      ins(%x, %w : tensor<1x1x1x{source}>, tensor<1x1x1x{source}>) outs(%i : tensor<1x1x1x{type}>) {{
  ^bb0(%a: {source}, %b: {source}, %o: {type}):
    %p = arith.{multiply} %a, %b : {source}
    %n = arith.{extend} %p : {source} to {type}
    %s = arith.{add} %o, %n : {type}
    linalg.yield %s : {type}
  }} -> tensor<1x1x1x{type}>
  return %y : tensor<1x1x1x{type}>
}}
"""
INTEGERS = dict(
    source="i8", type="i32", zero="0", multiply="muli", extend="extsi", add="addi"
)
FLOATS = dict(
    source="f16", type="f32", zero="0.0", multiply="mulf", extend="extf", add="addf"
)


def run(parts, x, w, dtypes, precision=None):
    plan = conv_mlir.compile_module(
        BODY.format(**parts), "sm_90a", emulator_only=True, precision=precision
    )
    y = numpy.empty((1, 1, 1), dtypes[1])
    plan.emulate(
        numpy.full((1, 1, 1), x, dtypes[0]), numpy.full((1, 1, 1), w, dtypes[0]), y
    )
    return y.item(), plan


@pytest.mark.parametrize("precision", [None, "more", "text"])
def test_narrow_integers_wrap(precision):
    y, plan = run(INTEGERS, 16, 16, ("int8", "int32"), precision)
    assert y == 0
    assert "formed in 'i8', where they wrap" in plan.remarks[0]


def test_precision_of_floats():
    y, plan = run(FLOATS, 1000, 1000, ("float16", "float32"))
    assert y == 1e6
    assert "more precise (--precision=text is not)" in plan.precision
    assert (
        "imported as conv.forward with more precision than the text" in plan.remarks[0]
    )
    y, plan = run(FLOATS, 1000, 1000, ("float16", "float32"), "text")
    assert y == numpy.inf
    assert "the precision of the text is asked for" in plan.remarks[0]
    with pytest.raises(
        conv_mlir.Error, match="precision: expected more or text, got 'less'"
    ):
        run(FLOATS, 1, 1, ("float16", "float32"), "less")


def test_numbers_of_the_reference():
    """The interpreter itself, by numbers that are known."""
    i8 = numpy.array([16, -128, 127])
    assert numbers.binary("muli", i8, i8, "i8").tolist() == [0, 0, 1]
    assert numbers.cast("extui", i8, "i8", "i32").tolist() == [16, 128, 127]
    assert numbers.binary("shrui", i8, numpy.int64(1), "i8").tolist() == [8, 64, 63]
    assert numbers.binary("divsi", numpy.array([-7]), numpy.int64(2), "i8") == [-3]
    assert numbers.round_to(257, "bf16") == 256 and numbers.round_to(259, "bf16") == 260
    assert numbers.round_to(70000, "f16") == numpy.inf
