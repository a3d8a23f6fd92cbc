//===- HopperToNVVM.h - engines of sm_90a to nvvm ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CONVERSION_KERNELTONVVM_HOPPERTONVVM_H
#define CONV_LIB_CONVERSION_KERNELTONVVM_HOPPERTONVVM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
class SymbolTable;
namespace conv {

/// Adds what the types of `nvgpu` become: groups of barriers memrefs, tensor
/// maps pointers, accumulators one flat structure of the floats that a thread
/// holds, which stay in registers where blocks pass them on.
void addHopperTypeConversions(LLVMTypeConverter &converter);

/// Adds the conversions of `engine.tma_load`, `engine.tma_store` and
/// `engine.arrive_remote`.
void populateTmaPatterns(const LLVMTypeConverter &converter,
                         RewritePatternSet &patterns);

/// Adds that of `nvgpu.mbarrier.create`. Upstream's lists all symbols of the
/// module for each barrier; `symbols` are those of the module, which must
/// outlive the conversion.
void populateBarrierPattern(const LLVMTypeConverter &converter,
                            RewritePatternSet &patterns, SymbolTable &symbols);

/// Adds the conversions of `engine.warpgroup_mma`, `engine.read_accumulator`,
/// `engine.zero_accumulator`, `engine.store_matrices`, and those of
/// windows and of factors in registers.
void populateWarpgroupPatterns(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns);

/// Adds the conversion of `engine.window_mma`.
void populateWindowPatterns(const LLVMTypeConverter &converter,
                            RewritePatternSet &patterns);

/// Adds the conversion of `engine.register_mma`.
void populateRegisterPatterns(const LLVMTypeConverter &converter,
                              RewritePatternSet &patterns);

/// Adds what keeps choices of sums (`arith.select` of what
/// `engine.read_accumulator` gives) from serialising the products.
void populateAccumulatorSelectPatterns(RewritePatternSet &patterns);

/// The arguments of a kernel that are tensor maps. A tensor map is passed by
/// value and read where it lies in the parameters, but `gpu.func` refuses the
/// attributes that say so: collect before the conversion, apply after it.
class TensorMapArguments {
public:
  explicit TensorMapArguments(gpu::GPUModuleOp module);
  void markIn(gpu::GPUModuleOp module) const;

private:
  SmallVector<std::pair<StringAttr, unsigned>> arguments; ///< Kernel, number.
};

} // namespace conv
} // namespace mlir

#endif // CONV_LIB_CONVERSION_KERNELTONVVM_HOPPERTONVVM_H
