//===- Kernels.h - the objects of all forms -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each row of KernelForms.def; each is in the file of its
// name. KernelTable.cpp calls them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_KERNELS_KERNELS_H
#define CONV_LIB_SCHEDULE_KERNELS_KERNELS_H

#include "conv/Schedule/KernelRules.h"

namespace mlir::conv {

#define CONV_KERNEL_FORM(Form, ...) const KernelRules &get##Form();
#include "conv/Dialect/Conv/IR/KernelForms.def"

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_KERNELS_KERNELS_H
