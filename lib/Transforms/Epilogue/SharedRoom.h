//===- SharedRoom.h - what shared memory has left ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a kernel of F6, whose operands have their memory. Output: what is left
// of a workgroup's for the epilogue. Makes no IR: what a plan takes is counted.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_SHAREDROOM_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_SHAREDROOM_H

#include "TensorCores/KernelTiles.h"

namespace mlir::conv {

class SharedRoom {
public:
  explicit SharedRoom(const KernelTiles &tiles);

  /// Why so many bytes have no place of their own beside all that is taken, or
  /// where the operands were, so that they cost no occupancy; empty if they
  /// have.
  std::string whyNoRoom(int64_t bytes) const;
  std::string whyNotOverOperands(int64_t bytes) const;
  bool hasRoomFor(int64_t bytes) const { return taken + bytes <= most; }
  /// The bytes of one more buffer.
  void take(int64_t bytes);

private:
  int64_t most;      ///< What a workgroup can have,
  int64_t taken;     ///< and has, each buffer from where its panels begin.
  int64_t inBuffers; ///< The bytes of buffers alone.
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_SHAREDROOM_H
