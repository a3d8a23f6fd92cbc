//===- KernelTypes.h - the types that kernels may have ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes as an image may have any type of the `llvm` dialect. The host's
// code generator aborts on some, and the address space of the emulator's own
// memory is not for kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_KERNELTYPES_H
#define CONV_LIB_EMULATOR_LOWERING_KERNELTYPES_H

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>

namespace mlir::conv::emulator {

/// The scalars that a type holds: integers of up to 64 bits, floats and
/// pointers of the device's address spaces; nothing where it holds anything
/// else, or more than 2^40 of them.
std::optional<uint64_t> countScalars(Type type);

/// Whether a value may have the type: so few scalars that registers hold them.
bool isValueType(Type type);

/// Whether memory may be laid out by the type.
bool isStorageType(Type type);

/// Whether the type is a pointer or holds one.
bool holdsPointer(Type type);

} // namespace mlir::conv::emulator

#endif // CONV_LIB_EMULATOR_LOWERING_KERNELTYPES_H
