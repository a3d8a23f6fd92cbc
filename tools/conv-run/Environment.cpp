//===- Environment.cpp - the environment variables that are read ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"

#include <cstdlib>

using namespace convmlir;

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Environment Environment::read() {
  return {variable("CUDA_HOME"),
          variable("PATH"),
          variable("CONV_MLIR_TUNING"),
          variable("XDG_CONFIG_HOME"),
          variable("HOME"),
          variable("CONV_MLIR_CACHE_DIR"),
          variable("XDG_CACHE_HOME"),
          variable("CONV_MLIR_CACHE_BYTES")};
}
