//===- ConvChip.cpp - the chip of a module --------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvChip.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ChipInfo;

ChipAttr ChipAttr::get(MLIRContext *context, const ChipInfo &chip) {
  return get(context, StringRef(chip.name), chip.multiprocessors,
             chip.sharedPerBlock, chip.sharedPerSM, chip.registersPerSM,
             chip.threadsPerSM, chip.l2Bytes, chip.engines);
}

ChipInfo ChipAttr::getInfo() const {
  ChipInfo chip = *convmlir::lookupChip(getTarget());
  chip.multiprocessors = getMultiprocessors();
  chip.sharedPerBlock = getSharedPerBlock();
  chip.sharedPerSM = getSharedPerSM();
  chip.registersPerSM = getRegistersPerSM();
  chip.threadsPerSM = getThreadsPerSM();
  chip.l2Bytes = getL2Bytes();
  chip.engines = getEngines();
  return chip;
}

LogicalResult ChipAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef target, int64_t multiprocessors,
                               int64_t sharedPerBlock, int64_t sharedPerSM,
                               int64_t registersPerSM, int64_t threadsPerSM,
                               int64_t l2Bytes, uint32_t engines) {
  std::optional<ChipInfo> row = convmlir::lookupChip(target);
  if (!row)
    return emitError() << "unknown target '" << target
                       << "' of a chip, expected one of "
                       << convmlir::supportedChips();
  struct Number {
    const char *name;
    int64_t value, most;
  };
  constexpr int64_t mostL2 = int64_t(1) << 40;
  const Number numbers[] = {
      {"multiprocessors", multiprocessors, convmlir::kMostMultiprocessors},
      {"workgroup_shared", sharedPerBlock, row->sharedPerBlock},
      {"shared", sharedPerSM, row->sharedPerSM},
      {"registers", registersPerSM, row->registersPerSM},
      {"threads", threadsPerSM, row->threadsPerSM},
      {"l2", l2Bytes, mostL2}};
  for (const Number &number : numbers)
    if (number.value < 1 || number.value > number.most)
      return emitError() << "'" << number.name << "' of a chip of " << target
                         << " must be 1 to " << number.most << ", but is "
                         << number.value;
  if (engines & ~row->engines)
    return emitError() << "kernels for " << target << " use no "
                       << convmlir::getEngineNames(engines & ~row->engines);
  return success();
}

/// Null where there is none around `op`.
static ChipAttr findChip(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto chip = op->getAttrOfType<ChipAttr>(ChipAttr::attributeName()))
      return chip;
  return nullptr;
}

ChipInfo conv::getChip(Operation *op) {
  ChipAttr chip = findChip(op);
  return chip ? chip.getInfo() : convmlir::getFullestChip();
}

LogicalResult conv::setChip(Operation *root, StringRef target,
                            const convmlir::DeviceLimits &device) {
  ChipAttr given = findChip(root);
  if (target.empty())
    target = given ? given.getTarget()
                   : StringRef(convmlir::getFullestChip().name);
  std::optional<ChipInfo> chip = given && given.getTarget() == target
                                     ? given.getInfo()
                                     : convmlir::lookupChip(target);
  if (!chip)
    return emitError(root->getLoc())
           << "unknown target '" << target << "', expected one of "
           << convmlir::supportedChips();
  if (std::string why = convmlir::whyWrong(device); !why.empty())
    return emitError(root->getLoc()) << why;
  ChipAttr wanted = ChipAttr::get(root->getContext(), device.applyTo(*chip));
  if (wanted != given)
    root->setAttr(ChipAttr::attributeName(), wanted);
  return success();
}
