//===- Support.cpp - errors of the C API ----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Support.h"
#include "Handles.h"
#include "conv/Support/Message.h"

#include <cstdlib>

using namespace convmlir;

/// A plain array: keeping the message of an exhausted memory takes none.
static thread_local char lastError[kMostMessageBytes + 1] = "";

convmlir_status capi::fail(convmlir_status status, const std::string &message) {
  // A short message needs no memory: there may be none left.
  bool fits = message.size() < sizeof lastError;
  std::string cut = fits ? std::string() : shortenMessage(message);
  const std::string &kept = fits ? message : cut;
  size_t length = std::min(kept.size(), sizeof lastError - 1);
  std::memcpy(lastError, kept.data(), length);
  lastError[length] = 0;
  return status;
}

const char *convmlir_last_error(void) { return lastError; }

const char *convmlir_version(void) { return CONV_MLIR_VERSION; }

void convmlir_free(void *memory) { std::free(memory); }
