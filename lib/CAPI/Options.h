//===- Options.h - options of a compilation in C -------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_OPTIONS_H
#define CONV_LIB_CAPI_OPTIONS_H

#include "conv-c/Compiler.h"
#include "conv/Compiler/Compiler.h"
#include "conv/Compiler/SourceModule.h"
#include "conv/Tuning/TuningRecordsReader.h"

namespace convmlir::capi {

/// The caller's options; those that its structure has no room for are absent.
Result<convmlir_compile_options>
readOptions(const convmlir_compile_options *given);

/// Of a module.
Result<Precision> readPrecision(const convmlir_compile_options &options);

/// What they mean, with the records that `reader` has. `given` must outlive the
/// result.
Result<CompileOptions> toOptions(const convmlir_compile_options &given,
                                 TuningRecordsReader &reader);

} // namespace convmlir::capi

#endif // CONV_LIB_CAPI_OPTIONS_H
