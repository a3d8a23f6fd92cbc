//===- EngineDialect.td - the engine dialect ---------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_TD
#define CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_TD

include "mlir/IR/OpBase.td"

def Engine_Dialect : Dialect {
  let name = "engine";
  let cppNamespace = "::mlir::conv";
  let summary = "What the engines of a chip do with tiles in shared memory";
  let description = [{
    The level below `conv`: copies of tiles and boxes by the tensor memory
    accelerator (`engine.load_tile`, `engine.tma_load`, …), what threads make of
    such copies (`engine.transpose_rows`, …), and products of tensor cores and
    their accumulators (`engine.warpgroup_mma`, …). These operations stand in
    kernels, from F6 on, and are what `nvgpu` and `nvvm` cannot say.

    Of `conv` they have one attribute, `#conv.view`, which says where the elements of a
    matrix are. They know none of its operations, and none of these knows them.
    Barriers, accumulators and tensor maps are of types of `nvgpu`.
  }];
  let extraClassDeclaration = [{
    /// Adds the operations (EngineOps.cpp).
    void registerOps();
  }];
  let dependentDialects = ["::mlir::conv::ConvDialect",
                           "::mlir::nvgpu::NVGPUDialect"];
}

class Engine_Op<string mnemonic, list<Trait> traits = []>
    : Op<Engine_Dialect, mnemonic, traits>;

#endif // CONV_DIALECT_ENGINE_IR_ENGINEDIALECT_TD
