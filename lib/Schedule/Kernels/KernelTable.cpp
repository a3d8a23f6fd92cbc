//===- KernelTable.cpp - from a form to its rules -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace mlir;
using namespace mlir::conv;

/// They have no gemm, and are decided in DepthwiseSchedule.h.
const KernelRules &conv::getLoops() {
  llvm_unreachable("loops multiply no matrices");
}

const KernelRules &conv::getBands() { return getLoops(); }

const KernelRules &conv::getKernelRules(KernelForm form) {
  switch (form) {
#define CONV_KERNEL_FORM(Form, ...)                                            \
  case KernelForm::Form:                                                       \
    return get##Form();
#include "conv/Dialect/Conv/IR/KernelForms.def"
  }
  llvm_unreachable("not a form");
}
