//===- Accumulators.cpp - accumulators of wgmma ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Accumulators.h.
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "WgmmaKernel.h"

#include <limits>

namespace convmlir::emu {

AccumulatorHandle AccumulatorFiles::allocate(uint32_t site, unsigned n) {
  // More wgmma than this never update one accumulator.
  constexpr uint64_t updates = uint64_t(1) << 24;
  auto [entry, isNew] = ofSite.try_emplace(site);
  Pair &pair = entry->second;
  if (isNew) {
    pair.first = uint32_t(files.size());
    AccumulatorFile file;
    file.n = n;
    file.numbers.assign(kWgmmaM * n, std::numeric_limits<float>::quiet_NaN());
    files.insert(files.end(), 2, file);
  }
  uint32_t index = pair.first + pair.uses++ % 2;
  AccumulatorFile &file = files[index];
  file.lastFresh += updates;
  return AccumulatorHandle(index, file.lastFresh);
}

} // namespace convmlir::emu
