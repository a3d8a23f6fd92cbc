//===- BuildIdentity.h - which build this is ------------------ -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version number stays as it is while a compiler is worked on, and plans of
// an older build are not those of a newer one. Linkers give each library and
// program a build id, a digest of its content: it is that of this code and,
// where LLVM is a library of its own, LLVM's.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CACHE_BUILDIDENTITY_H
#define CONV_LIB_CACHE_BUILDIDENTITY_H

#include <string>

namespace convmlir {

/// "1f0c…", the build ids with "+". An object without one is named by its file:
/// "/usr/lib/x.so, 4711 bytes, of 1760563000123456789".
const std::string &buildIdentity();

/// The same of a program that is run: whatever replaces it has another size or
/// time. "none" for an empty path.
std::string programIdentity(const std::string &path);

} // namespace convmlir

#endif // CONV_LIB_CACHE_BUILDIDENTITY_H
