//===- Environment.h - the environment variables that are read --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_ENVIRONMENT_H
#define CONV_TOOLS_CONV_RUN_ENVIRONMENT_H

#include <string>

namespace convmlir {

/// Every environment variable that conv-run reads.
struct Environment {
  std::string cudaHome;    ///< CUDA_HOME: a CUDA toolkit.
  std::string searchPath;  ///< PATH: where ptxas is looked for.
  std::string tuningFile;  ///< CONV_MLIR_TUNING: the user's tuning file.
  std::string configHome;  ///< XDG_CONFIG_HOME: where it is by default,
  std::string home;        ///< HOME: or else below ~/.config.
  std::string cacheFolder; ///< CONV_MLIR_CACHE_DIR: plans that are kept.
  std::string cacheHome;   ///< XDG_CACHE_HOME: where they are by default, or
                           ///< else below ~/.cache.
  std::string cacheBytes;  ///< CONV_MLIR_CACHE_BYTES: how many bytes of them.

  static Environment read();
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_ENVIRONMENT_H
