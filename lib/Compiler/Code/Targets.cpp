//===- Targets.cpp - what kernels can be compiled for ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"
#include "conv/Compiler/Compiler.h"

const std::vector<std::string> &convmlir::supportedTargets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    for (const ChipInfo &chip : getChips())
      names.emplace_back(chip.name);
    return names;
  }();
  return targets;
}
