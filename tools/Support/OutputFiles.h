//===- OutputFiles.h - results as files -------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_OUTPUTFILES_H
#define CONV_TOOLS_SUPPORT_OUTPUTFILES_H

#include "conv/Runtime/Tensor.h"

#include <string>
#include <vector>

namespace convmlir {

/// Whether a file can be written there, or to the device or FIFO that is there.
Status checkOutputPath(const std::string &path);

/// The same of the files of --output: PATH.npy, each another one.
Status checkOutputPaths(const std::vector<std::string> &paths);

/// Writes all tensors or none: no file has its name before all are written.
Status writeTensors(const std::vector<std::string> &paths,
                    const std::vector<const Tensor *> &tensors);

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_OUTPUTFILES_H
