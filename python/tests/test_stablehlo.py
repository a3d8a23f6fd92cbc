"""Convolutions of StableHLO and their gradients mean what the specification says:
a thousand cases of JAX's grid (scripts/stablehlo_grid), without JAX."""

import concurrent.futures
import os

import conv_mlir
import numpy
import pytest
from stablehlo_grid import cases, check, meaning

GRID = list(cases.grid())
# Half of the grid has no elements to sum.
FULL = [case for case in GRID if not case.is_empty]
THOUSAND = check.sample(GRID, 1000, seed=1)
PARTS = 20


def test_grid_is_whole():
    assert len(GRID) == len(set(GRID)) == 5184
    assert {case.orders for case in FULL} == set(cases.DIMENSION_NUMBERS)
    assert len({case for case, _ in THOUSAND}) == 1000
    assert sum(case.is_empty for case, _ in THOUSAND) > 300


def find_wrong(part):
    """The cases of a part with what is wrong of each; a thread for each processor."""

    def run(chosen):
        case, target = chosen
        return [f"{name} of {case} on {target}" for name in check.check(case, "f32", target)]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for texts in pool.map(run, THOUSAND[part::PARTS]) for text in texts]


@pytest.mark.parametrize("part", range(PARTS))
def test_f32(part):
    assert find_wrong(part) == []


@pytest.mark.parametrize("case, target", check.sample(FULL, 6, seed=2))
def test_bf16(case, target):
    assert check.check(case, "bf16", target) == []


@pytest.mark.parametrize("number", [0, 1, 2])
def test_comparison_can_fail(number, monkeypatch):
    """One element of one result is changed in the definition."""
    case = FULL[7]
    true = meaning.compute

    def changed(*operands):
        results = true(*operands)
        results[number].flat[5] += 1
        return results

    monkeypatch.setattr(meaning, "compute", changed)
    assert check.check(case) == [check.RESULTS[number]]


def test_definition_is_its_own_transpose():
    """<dy, y> = <dx, x> = <dw, w>, for both kinds of groups."""
    for case in FULL[3::401]:
        x, w, dy = check.draw(case)
        y, dx, dw = meaning.compute(case, x, w, dy)
        assert (dy * y).sum() == (dx * x).sum() == (dw * w).sum()


BLOCK = """
module @jit_block {
  func.func public @main(%x: tensor<2x6x7x8xf32>, %w: tensor<3x3x8x5xf32>, %b: tensor<5xf32>) -> (tensor<2x6x7x5xf32>) {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x7x8xf32>, tensor<3x3x8x5xf32>) -> tensor<2x6x7x5xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<5xf32>) -> tensor<1x1x1x5xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x5xf32>) -> tensor<2x6x7x5xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x6x7x5xf32>
    %4 = call @relu(%3) : (tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32>
    return %4 : tensor<2x6x7x5xf32>
  }
  func.func private @relu(%x: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x7x5xf32>
    %1 = stablehlo.maximum %x, %0 : tensor<2x6x7x5xf32>
    return %1 : tensor<2x6x7x5xf32>
  }
}
"""


def test_block_with_calls():
    """A bias and a call of relu become part of the convolution's kernel."""
    plan = conv_mlir.compile_module(BLOCK, "sm_80", emulator_only=True, ptxas="")
    case = cases.Case(
        (2, 8, 6, 7), (5, 8, 3, 3), ("NHWC", "HWIO", "NHWC"),
        (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), 1, 1,
    )  # fmt: skip
    x, w, dy = check.draw(case)
    y, _, _ = meaning.compute(case, x, w, dy)
    bias = numpy.arange(-2, 3, dtype=numpy.float32)
    x, w, y = check.in_memory(case, x, w, y)
    made = numpy.full(y.shape, numpy.nan, numpy.float32)
    plan.emulate(x.astype(numpy.float32), w.astype(numpy.float32), bias, made)
    assert numpy.array_equal(made, numpy.maximum(y + bias, 0))
    # The filter is transposed; all else is one kernel.
    assert len(plan.launches) == 2


