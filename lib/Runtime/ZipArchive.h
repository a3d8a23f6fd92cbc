//===- ZipArchive.h - members of a zip archive ------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As much of the zip format as .npz files use: one disk, stored and deflated
// members below 4 GiB, no encryption.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_ZIPARCHIVE_H
#define CONV_LIB_RUNTIME_ZIPARCHIVE_H

#include "conv/Runtime/FileIO.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace convmlir {

/// One entry of the central directory.
struct ZipMember {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0; ///< 0 stored, 8 deflated.
  uint32_t crc = 0;
  uint32_t packedSize = 0;
  uint32_t size = 0;
  uint32_t headerOffset = 0;
};

/// The members that the central directory lists.
Result<std::vector<ZipMember>> listZip(std::span<const uint8_t> archive);

/// The unpacked content of one of them, its size and CRC-32 checked.
Result<Bytes> extractZip(std::span<const uint8_t> archive,
                         const ZipMember &member);

} // namespace convmlir

#endif // CONV_LIB_RUNTIME_ZIPARCHIVE_H
