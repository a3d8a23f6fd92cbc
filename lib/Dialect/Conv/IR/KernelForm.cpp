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
#include <string_view>

using namespace mlir;
using namespace mlir::conv;

static constexpr bool isSeldom(std::string_view rank) {
  return rank == "Seldom";
}

static constexpr KernelFormInfo kForms[] = {
#define CONV_KERNEL_FORM(Form, Name, Written, Has, Engines, Rank, Keys,        \
                         Example, Page, Meaning)                               \
  {KernelForm::Form, Name, Written, Engines,                                   \
   isSeldom(#Rank),  Keys, Example, Page},
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

bool KernelFormInfo::goesWith(CopyKind copy, MmaKind mma) const {
  std::string pair =
      (stringifyCopyKind(copy) + "+" + stringifyMmaKind(mma)).str();
  return llvm::is_contained(llvm::split(engines, ' '), StringRef(pair));
}

namespace {
/// What the table's conditions ask of a schedule.
struct Combination {
  const ScheduleFields &fields;
  int64_t resultTaps;

  bool matrices() const { return fields.algorithm != Algorithm::Loops; }
  bool bands() const { return !matrices() && fields.mma == MmaKind::MmaSync; }
  bool sync() const { return fields.copy == CopyKind::Sync; }
  bool tma() const { return fields.copy == CopyKind::Tma; }
  bool wgmma() const { return matrices() && fields.mma == MmaKind::Wgmma; }
  bool severalTaps() const { return resultTaps > 1; }
  /// Whether warps divide gemm-n as `wgmma` divides its rows.
  bool warpsAlongN() const {
    constexpr int64_t warpsOfWarpgroup = 4;
    return fields.warps[0] % warpsOfWarpgroup != 0 &&
           fields.warps[1] % warpsOfWarpgroup == 0;
  }
};
} // namespace

KernelForm conv::getKernelForm(const ScheduleFields &fields,
                               int64_t resultTaps) {
  const Combination has = {fields, resultTaps};
  KernelForm form = KernelForm::Loops;
#define CONV_KERNEL_FORM(Form, Name, Written, Has, ...)                        \
  if (Has)                                                                     \
    form = KernelForm::Form;
#include "conv/Dialect/Conv/IR/KernelForms.def"
  return form;
}

std::string conv::whyNoPair(const ScheduleFields &fields, KernelForm form) {
  if (getInfo(form).goesWith(fields.copy, fields.mma))
    return "";
  SmallVector<std::string> others;
  for (CopyKind copy : {CopyKind::CpAsync, CopyKind::Sync, CopyKind::Tma})
    if (llvm::any_of(kForms, [&](const KernelFormInfo &info) {
          return info.goesWith(copy, fields.mma);
        }))
      others.push_back(("copy=" + stringifyCopyKind(copy)).str());
  return ("mma=" + stringifyMmaKind(fields.mma) + " goes with " +
          llvm::join(others, " or "))
      .str();
}

/// The keys of a form, but those that make it this form.
static std::string listOtherKeys(const KernelFormInfo &info) {
  SmallVector<StringRef> keys;
  for (StringRef key : llvm::split(info.keys, ' '))
    if (!info.written.contains((key + "=").str()))
      keys.push_back(key);
  StringRef last = keys.pop_back_val();
  if (keys.empty())
    return last.str();
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
