//===- KernelTypes.cpp - the types that kernels may have ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelTypes.h.
//
//===----------------------------------------------------------------------===//

#include "KernelTypes.h"
#include "Runtime/Memory/MemoryOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
namespace emu = convmlir::emu;

static constexpr uint64_t kMostScalars = uint64_t(1) << 40;
/// The accumulators of several wgmma together are the largest values.
static constexpr uint64_t kMostScalarsOfValue = 4096;

/// Kernels have no variables in local memory.
static bool isDeviceSpace(unsigned space) {
  return space == emu::kGenericSpace || space == emu::kGlobalSpace ||
         space == emu::kSharedSpace || space == emu::kConstantSpace ||
         space == emu::kClusterSpace;
}

static bool isScalar(Type type) {
  constexpr unsigned widest = 64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() >= 1 &&
           integer.getWidth() <= widest;
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return isDeviceSpace(pointer.getAddressSpace());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

static std::optional<uint64_t> multiply(uint64_t count, Type element) {
  std::optional<uint64_t> each = mlir::conv::emulator::countScalars(element);
  if (!each || (*each != 0 && count > kMostScalars / *each))
    return std::nullopt;
  return count * *each;
}

static std::optional<uint64_t> countElements(LLVM::LLVMStructType type) {
  if (type.isIdentified() || type.isOpaque() || type.isPacked())
    return std::nullopt;
  uint64_t sum = 0;
  for (Type element : type.getBody()) {
    std::optional<uint64_t> count = mlir::conv::emulator::countScalars(element);
    if (!count || (sum += *count) > kMostScalars)
      return std::nullopt;
  }
  return sum;
}

std::optional<uint64_t> mlir::conv::emulator::countScalars(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return multiply(array.getNumElements(), array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable()
               ? multiply(vector.getNumElements(), vector.getElementType())
               : std::nullopt;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return countElements(structure);
  return isScalar(type) ? std::optional<uint64_t>(1) : std::nullopt;
}

bool mlir::conv::emulator::isValueType(Type type) {
  std::optional<uint64_t> count = countScalars(type);
  return count && *count <= kMostScalarsOfValue;
}

bool mlir::conv::emulator::isStorageType(Type type) {
  return countScalars(type).has_value();
}

bool mlir::conv::emulator::holdsPointer(Type type) {
  return type
      .walk([](LLVM::LLVMPointerType) { return WalkResult::interrupt(); })
      .wasInterrupted();
}
