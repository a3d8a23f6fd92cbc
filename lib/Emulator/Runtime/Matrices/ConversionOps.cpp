//===- ConversionOps.cpp - conversions of 8-bit floats --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConversionOps.h"

namespace convmlir::emu {

void narrowToFloat8(Thread *, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const Float8Site &>(*base);
  for (unsigned i = 0; i < 2; ++i) {
    uint32_t bits = encodeFloat(site.operand<float>(mailbox, i), site.format);
    site.setResult(mailbox, uint8_t(bits), 1 - i);
  }
}

void widenFloat8(Thread *, const Site *base, std::byte *mailbox) {
  auto &site = static_cast<const Float8Site &>(*base);
  auto pair = site.operand<uint16_t>(mailbox, 0);
  for (unsigned i = 0; i < 2; ++i) {
    double value = decodeFloat(pair >> 8 * i & 0xff, site.format);
    site.setResult(mailbox, uint16_t(encodeFloat(value, f16Format)), 2 * i);
  }
}

} // namespace convmlir::emu
