//===- SharedRoom.cpp - what shared memory has left -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedRoom.h"

#include "conv/Schedule/Resources.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

SharedRoom::SharedRoom(const KernelTiles &tiles)
    : most(getSharedBytesPerWorkgroup(tiles.schedule)), taken(kBarrierBytes),
      inBuffers(0) {
  gpu::GPUFuncOp(tiles.func).walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
        type.hasStaticShape() && type.getElementType().isIntOrFloat())
      take(type.getNumElements() * type.getElementTypeBitWidth() / 8);
  });
}

void SharedRoom::take(int64_t bytes) {
  taken += llvm::alignTo(bytes, kBarrierBytes);
  inBuffers += bytes;
}

std::string SharedRoom::whyNoRoom(int64_t bytes) const {
  if (hasRoomFor(bytes))
    return "";
  return formatv("it takes {0} bytes of shared memory, but {1} are left", bytes,
                 std::max<int64_t>(most - taken, 0));
}

std::string SharedRoom::whyNotOverOperands(int64_t bytes) const {
  if (bytes <= inBuffers)
    return "";
  return formatv("it takes {0} bytes of shared memory, but the operands, in "
                 "whose place it is staged, have {1}",
                 bytes, inBuffers);
}
