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

const KernelRules &conv::getKernelRules(KernelForm form) {
  switch (form) {
  case KernelForm::Loops:
    break;
  case KernelForm::Tiles:
    return getTiles();
  case KernelForm::ProducerTiles:
    return getProducerTiles();
  case KernelForm::Panels:
    return getPanels();
  case KernelForm::Window:
    return getWindow();
  case KernelForm::WgradWindow:
    return getWgradWindow();
  case KernelForm::Swapped:
    return getSwapped();
  case KernelForm::SwappedWindow:
    return getSwappedWindow();
  case KernelForm::ImageTaps:
    return getImageTaps();
  case KernelForm::Kn2row:
    return getKn2row();
  }
  llvm_unreachable("loops multiply no matrices");
}
