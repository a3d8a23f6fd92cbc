//===- KernelForm.h - the form of a kernel ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule's keys mean together: what is in shared memory, and what
// multiplies it. This is the one place that looks at combinations of keys;
// whoever must know the form asks here. KernelForms.def is the table, and
// KernelRules.h has what is decided about each form.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_KERNELFORM_H
#define CONV_DIALECT_CONV_IR_KERNELFORM_H

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Conv/IR/ScheduleKeys.h"

namespace mlir::conv {

enum class KernelForm {
#define CONV_KERNEL_FORM(Form, ...) Form,
#include "conv/Dialect/Conv/IR/KernelForms.def"
};

/// A row of KernelForms.def.
struct KernelFormInfo {
  KernelForm form;
  llvm::StringLiteral name, written, engines;
  bool isSeldom; ///< Of ranked schedules.
  llvm::StringLiteral keys, example, page;

  bool goesWith(ScheduleKey key) const;
  bool goesWith(CopyKind copy, MmaKind mma) const;
};

/// In their order.
llvm::ArrayRef<KernelFormInfo> getKernelForms();
const KernelFormInfo &getInfo(KernelForm form);

/// The form of a kernel whose result has so many taps: of `wgrad`, those of the
/// filter; else one.
KernelForm getKernelForm(const ScheduleFields &fields, int64_t resultTaps = 1);
inline KernelForm getKernelForm(ScheduleAttr schedule, int64_t resultTaps = 1) {
  return getKernelForm(schedule.getFields(), resultTaps);
}

/// The key that the form does not go with, as it is written, and those that it
/// goes with: "tail=4 has no kernel with kn2row=true, a form that goes with …".
/// Empty where all are among them. A default asks for nothing.
std::string whyNotOfForm(const ScheduleFields &fields, KernelForm form);

/// Why the form, which is the schedule's, has no kernel with its engines: with
/// what copy the products of that kind go. Empty if it has.
std::string whyNoPair(const ScheduleFields &fields, KernelForm form);

/// Whether a form is of algorithm=loops, which multiplies no matrices of a
/// GEMM.
inline bool isOfLoops(KernelForm form) {
  return form == KernelForm::Loops || form == KernelForm::Bands;
}

/// Whether gemm-n of a tile (the filters; of `wgrad`, the channels of taps) are
/// the rows of `wgmma`.
inline bool swapsOperands(KernelForm form) {
  return form == KernelForm::Swapped || form == KernelForm::SwappedWindow ||
         form == KernelForm::ImageTaps;
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_KERNELFORM_H
