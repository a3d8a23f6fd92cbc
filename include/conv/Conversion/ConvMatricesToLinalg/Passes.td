//===- Passes.td - virtual matrices as linalg --------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_CONVMATRICESTOLINALG_PASSES_TD
#define CONV_CONVERSION_CONVMATRICESTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertConvMatricesToLinalg
    : Pass<"convert-conv-matrices-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "turn conv.im2col and conv.scatter of whole tensors into linalg.generic";
  let description = [{
    From form F2 of docs/Pipelines.md to upstream dialects, for targets without
    kernels of our own and for checking F2 on the CPU. A `conv.im2col` becomes a
    `linalg.generic` over the elements of the matrix, a `conv.scatter` one over
    the elements of its destination; both compute the element's place on the
    other side, test whether it is there, and only then read it.

    ```mlir
    %X = conv.im2col %x view <rows = [5], taps = [3], stride = [2], step = [1], offset = [-1], groups = 1> : tensor<2x9x4xf32> -> tensor<10x3x4xf32>
    ```

    becomes

    ```mlir
    %X = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel", "parallel"]} outs(%empty) {
      %m = linalg.index 0 ...
      %n = affine.apply affine_map<(d0) -> (d0 floordiv 5)>(%m)
      %h = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 - (d0 floordiv 5) * 10 - 1)>(%m, %t)
      %inside = arith.cmpi ult, %h, %c9
      %value = scf.if %inside -> (f32) { tensor.extract %x[%n, %h, %c] } else { 0.0 }
      linalg.yield %value
    }
    ```

    Tests that the extents make superfluous are left out. A `dest` of
    `conv.im2col` is what the `linalg.generic` writes. Refused are tiles, vectors
    and buffers, and scatters through a view that has several rows and several
    taps along one dimension.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // CONV_CONVERSION_CONVMATRICESTOLINALG_PASSES_TD
