//===- KernelForm.cpp - the form of a kernel ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/KernelForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr KernelFormInfo kForms[] = {
#define CONV_KERNEL_FORM(Form, Name, Written, Keys, Example, Page, Meaning)    \
  {KernelForm::Form, Name, Written, Keys, Example, Page},
#include "conv/Dialect/Conv/IR/KernelForms.def"
};

ArrayRef<KernelFormInfo> conv::getKernelForms() { return kForms; }

const KernelFormInfo &conv::getInfo(KernelForm form) {
  return kForms[static_cast<size_t>(form)];
}

bool KernelFormInfo::goesWith(ScheduleKey key) const {
  const ScheduleKeyInfo &info = getScheduleKeys()[static_cast<size_t>(key)];
  return info.presence == KeyPresence::Required ||
         llvm::is_contained(llvm::split(keys, ' '), StringRef(info.name));
}

/// Whether warps divide gemm-n as `wgmma` divides its rows.
static bool hasWarpgroupsAlongN(const ScheduleFields &fields) {
  constexpr int64_t warpsOfWarpgroup = 4;
  return fields.warps[0] % warpsOfWarpgroup != 0 &&
         fields.warps[1] % warpsOfWarpgroup == 0;
}

KernelForm conv::getKernelForm(const ScheduleFields &fields,
                               int64_t resultTaps) {
  if (fields.algorithm == Algorithm::Loops)
    return KernelForm::Loops;
  if (fields.mma != MmaKind::Wgmma)
    return fields.copy == CopyKind::Tma ? KernelForm::ProducerTiles
                                        : KernelForm::Tiles;
  if (fields.kn2row)
    return KernelForm::Kn2row;
  bool isSwapped = hasWarpgroupsAlongN(fields);
  if (fields.window && fields.kMajor && isSwapped)
    return KernelForm::ImageTaps;
  if (fields.window && resultTaps > 1)
    return KernelForm::WgradWindow;
  if (isSwapped)
    return fields.window ? KernelForm::SwappedWindow : KernelForm::Swapped;
  return fields.window ? KernelForm::Window : KernelForm::Panels;
}

/// The keys of a form, but those that make it this form.
static std::string listOtherKeys(const KernelFormInfo &info) {
  SmallVector<StringRef> keys;
  for (StringRef key : llvm::split(info.keys, ' '))
    if (!info.written.contains((key + "=").str()))
      keys.push_back(key);
  StringRef last = keys.pop_back_val();
  return (llvm::join(keys, ", ") + " and " + last).str();
}

std::string conv::whyNotOfForm(const ScheduleFields &fields, KernelForm form) {
  const KernelFormInfo &info = getInfo(form);
  const ScheduleKeyInfo *other =
      llvm::find_if(getScheduleKeys(), [&](const ScheduleKeyInfo &key) {
        return !isDefault(fields, key.key) && !info.goesWith(key.key);
      });
  if (other == getScheduleKeys().end())
    return "";
  return (getFieldText(fields, other->key) + " has no kernel with " +
          info.written + ", a form that goes with " + listOtherKeys(info))
      .str();
}
