//===- Digest.h - SHA-256 as text ----------------------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CACHE_DIGEST_H
#define CONV_LIB_CACHE_DIGEST_H

#include <string>
#include <string_view>

namespace convmlir {

/// 64 hexadecimal digits.
std::string sha256(std::string_view content);

} // namespace convmlir

#endif // CONV_LIB_CACHE_DIGEST_H
