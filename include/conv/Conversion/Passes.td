//===- Passes.td - conversions between dialects ------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVERSION_PASSES_TD
#define CONV_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Into F0
//===----------------------------------------------------------------------===//

def ConvertLinalgToConv : Pass<"convert-linalg-to-conv"> {
  let summary = "import convolutions and gradients of linalg";
  let description = [{
    Every linalg operation on tensors of static shape that multiplies and adds
    over a window becomes a `conv.forward`, `conv.dgrad` or `conv.wgrad`: the
    named convolutions of 1-D to 3-D, grouped and depthwise ones, and a
    `linalg.generic` of the same form, its dimensions in any order. Tensors in
    another order than that of the layout are transposed.

    What stands in front becomes part of the operation: a `tensor.pad` with zeros
    padding, a `tensor.insert_slice` with strides into zeros a stride or input
    dilation, a filter backwards `flip` or a gradient, a conversion to a wider
    type nothing.

    A convolution in linalg adds to its init. Where that is not a fill with zero,
    an elementwise addition follows; `conv-generalize-elementwise` and epilogue
    fusion put it into the kernel.

    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { … yield %zero … }
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x56x56x128xf32>) -> …
    %y = linalg.conv_2d_nhwc_fhwc ins(%p, %w : …) outs(%i : …) -> …
    // becomes
    %y = conv.forward ins(%x, %w : …) outs(%e : …) pad [1, 1] -> …
    ```

    Integers mean exactly what the text says: factors must be sign-extended, and
    products and sums formed in types that wrap where those of the convolution
    do. Floats of less than 32 bits are multiplied and added in f32, also where
    the text has a narrower type; a remark says so. With `precision=text` such an
    operation stays as it is written. So does a convolution that cannot be
    imported, and a remark says why.
  }];
  let options = [
    Option<"precision", "precision", "::convmlir::Precision",
           "::convmlir::Precision::More",
           "Products and sums of floats",
           [{::llvm::cl::values(
               clEnumValN(::convmlir::Precision::More, "more",
                          "in f32 at least"),
               clEnumValN(::convmlir::Precision::Text, "text",
                          "in the types of the text, which keeps what a "
                          "convolution computes otherwise"))}]>];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ConvGeneralizeElementwise : Pass<"conv-generalize-elementwise"> {
  let summary = "make elementwise operations of linalg linalg.generic";
  let description = [{
    Named elementwise operations on tensors (`linalg.add`, `linalg.max`, …),
    `linalg.map`, `linalg.elementwise` and `linalg.broadcast` become
    `linalg.generic`, the one form that epilogue fusion reads. What an operand is
    broadcast from, filled with or, if it is constant, has in all its places is
    then read in its place. So a bias that a convolution begins with, or that is
    added behind it, is an operand of the epilogue in whatever form it came.

    ```mlir
    %b = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e : tensor<8x14x14x64xf32>) dimensions = [0, 1, 2]
    %y = linalg.add ins(%conv, %b : …) outs(%e : tensor<8x14x14x64xf32>) -> …
    // becomes
    %y = linalg.generic {indexing_maps = [(n, p, q, k) -> (n, p, q, k), (n, p, q, k) -> (k), …], …}
        ins(%conv, %bias : …) outs(%e : …) { … arith.addf … } -> …
    ```

    A body without inputs that yields a constant is a fill. So is a copy, a
    transposition, another shape or a part of what is filled.

    Other fills, copies and transpositions stay what they are.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertStablehloToConv : Pass<"convert-stablehlo-to-conv", "::mlir::ModuleOp"> {
  let summary = "import StableHLO as conv, linalg and tensor operations";
  let description = [{
    Every `stablehlo.convolution` becomes the one of `conv.forward`, `conv.dgrad`
    and `conv.wgrad` that it is written as (docs/StableHLO.md): a gradient of a
    filter has the images as features, one of an input has its filter backwards.
    Operands and results whose dimensions are in another order than the layout's
    are transposed. Conversions to a wider type in front of both operands, and
    reversals of the filter, become part of the convolution.

    All other operations of the dialect become `linalg` and `tensor` operations.

    ```mlir
    %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f],
      window = {stride = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<4x9x10x8xbf16>, tensor<6x3x3x8xbf16>) -> tensor<4x4x8x6xf32>
    // becomes
    %e = tensor.empty() : tensor<4x4x8x6xf32>
    %y = conv.forward ins(%x, %w : …) outs(%e : tensor<4x4x8x6xf32>) stride [2, 1] -> tensor<4x4x8x6xf32>
    ```

    A convolution that is none of the three is an error that says why. Calls are
    left: run `inline` first.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::conv::ConvDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// F0 to the definition
//===----------------------------------------------------------------------===//

def ConvertConvToLoops : Pass<"convert-conv-to-loops"> {
  let summary = "write the definition of convolutions as loops over buffers";
  let description = [{
    `conv.forward`, `conv.dgrad` and `conv.wgrad` on buffers become `scf.for`
    nests: outside one loop per dimension of the result, inside the sum that
    docs/ConvSpec.md states for an element, formed in the accumulation type. A
    product is skipped where its position lies in the padding or between two
    positions of the spread input; the tests for that are only there where they
    can fail.

    This is the reference that every other lowering is measured against: it
    handles all ranks, layouts, groups and dilations, and is slow.

    ```mlir
    conv.forward ins(%x, %w : memref<2x16x5xf32>, memref<7x3x5xf32>) outs(%y : memref<2x14x7xf32>)
    // becomes
    scf.for %n … { scf.for %q … { scf.for %k … {
      %sum = scf.for %s … iter_args(%a = %zero) { scf.for %c … iter_args(%b = %a) {
        %w = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%q, %s)
        %0 = memref.load %x[%n, %w, %c]
        %1 = memref.load %w[%k, %s, %c]
        …multiply, add, yield…
      } }
      memref.store %sum, %y[%n, %q, %k]
    } } }
    ```

    Operations on tensors are refused: bufferise first.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// F7 to F8
//===----------------------------------------------------------------------===//

def ConvertConvKernelToNVVM : Pass<"convert-conv-kernel-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "convert the kernels of a gpu.module to the nvvm and llvm dialects";
  let description = [{
    The upstream conversions of `gpu`, `nvgpu`, `vector`, `memref`, `arith`,
    `math` and `cf`, in one step and with one type converter, so that all of them
    agree on an `index` of 32 bits; of 64 where some buffer has 2^30
    elements or more. Added to them: `nvgpu.mma.sync` on bf16, which
    the upstream conversion refuses, `engine.tma_load`, `engine.tma_store`,
    `engine.warpgroup_mma` and `engine.read_accumulator`, and the exact block size of the kernel as
    `nvvm.reqntid`. Buffers in a kernel's signature become bare pointers, tensor
    maps 128 bytes that are passed by value.

    The operations of `scf` and `affine` and `memref`'s compound views must be gone:
    see the pipeline `conv-lower-to-nvvm`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // CONV_CONVERSION_PASSES_TD
