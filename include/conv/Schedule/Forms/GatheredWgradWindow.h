//===- GatheredWgradWindow.h - operands of wgrad with windows ---*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What of a block (WgradWindowShape.h) comes as it lies, by what is gathered.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_FORMS_GATHEREDWGRADWINDOW_H
#define CONV_SCHEDULE_FORMS_GATHEREDWGRADWINDOW_H

#include "conv/Schedule/Forms/WgradWindowShape.h"

namespace mlir::conv {

/// What a block has, of a shape with a view of a window. The error says why
/// there is none.
convmlir::Result<WgradWindow> getWgradWindow(ScheduleAttr schedule,
                                             const GemmShape &gemm);

/// Why x of the window does not come as it lies.
std::string whyNoRawWindow(const WgradWindow &window, ScheduleAttr schedule,
                           const GemmShape &gemm);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_FORMS_GATHEREDWGRADWINDOW_H
