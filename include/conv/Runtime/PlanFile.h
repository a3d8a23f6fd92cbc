//===- PlanFile.h - plans as files ------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file form of a plan (integers little endian):
//
//   offset  bytes  content
//        0      8  magic "CONVPLAN"
//        8      4  format version (planFormatVersion)
//       12      8  size H of the header
//       20      8  size D of the data
//       28      H  header: JSON, everything but images and constants
//     28+H      D  images in order, then constants in the order of the buffers
//   28+H+D      8  CRC-64/XZ of everything before it
//
// A damaged file is refused before any of its content is used.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_PLANFILE_H
#define CONV_RUNTIME_PLANFILE_H

#include "conv/Runtime/Plan.h"

#include <span>
#include <string>

namespace convmlir {

/// The format version that is written and read.
inline constexpr uint32_t planFormatVersion = 5;

/// The bytes of the file; an error where the plan breaks a rule of validate().
Result<Bytes> serialisePlan(const Plan &plan);

/// The plan in the bytes of a file; `name` begins every message. Whatever the
/// bytes are, the result is a valid plan or an error.
Result<Plan> parsePlan(std::span<const uint8_t> content,
                       const std::string &name);

/// Writes the file atomically.
Status writePlan(const Plan &plan, const std::string &path);

/// Reads and checks the file.
Result<Plan> readPlan(const std::string &path);

/// CRC-64/XZ (reflected polynomial 0xC96C5795D7870F42) of the bytes.
uint64_t crc64(std::span<const uint8_t> content);

} // namespace convmlir

#endif // CONV_RUNTIME_PLANFILE_H
