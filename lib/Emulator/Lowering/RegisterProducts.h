//===- RegisterProducts.h - wgmma with A in registers -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose A is in registers: inline assembly with the f32 of the
// accumulator as outputs that are tied to inputs.
//
//   %d = llvm.inline_asm "{ .reg .pred p; setp.ne.b32 p, 1, 0;
//     wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3},
//     {$4, $5, $6, $7}, $8, p, 1, 1, 0; }", "=f,…,r,r,r,r,l,0,…"
//     %a0, %a1, %a2, %a3, %b, %e0, …
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_REGISTERPRODUCTS_H
#define CONV_LIB_EMULATOR_LOWERING_REGISTERPRODUCTS_H

#include "Runtime/Matrices/RegisterMatrix.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <optional>

namespace mlir::conv::emulator {

/// Operands are the registers of A, the descriptor of B and the accumulator.
struct RegisterProduct {
  static constexpr unsigned kB = convmlir::emu::RegisterMatrix::kRegisters,
                            kAccumulator = kB + 1;
  unsigned n = 0;
  convmlir::emu::MmaElement element = convmlir::emu::MmaElement::F16;
  /// The product replaces the accumulator.
  bool clears = false;
};

/// What such a product is, if the op is one.
std::optional<RegisterProduct> matchRegisterProduct(Operation *op);

/// Makes the accumulator of each such product of a kernel one structure, the
/// last operand, in the place of its elements.
void joinAccumulators(LLVM::LLVMFuncOp kernel);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_REGISTERPRODUCTS_H
