//===- Digest.cpp - SHA-256 as text ---------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Digest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

std::string convmlir::sha256(std::string_view content) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(content));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}
