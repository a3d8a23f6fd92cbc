//===- BandOperands.h - registers and copies of bands --------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both kernels of depthwise sums on tensor cores do: lines come to a ring
// in shared memory by cp.async, and warps make factors of an instruction from
// the channels of two places.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TENSORCORES_BANDOPERANDS_H
#define CONV_LIB_TRANSFORMS_TENSORCORES_BANDOPERANDS_H

#include "Support/IndexMath.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Schedule/Shape/Bands.h"

namespace mlir::conv {

/// Elements of the 16 bytes that a thread copies at once: all types have two.
inline constexpr int64_t kBandChunk =
    convmlir::kChunkBytes / Bands::kElementBytes;

/// So many elements of shared memory.
Value allocBandMemory(OpBuilder &builder, Location loc, int64_t elements,
                      Type type);

/// Copies a chunk of `source` into `ring`; zeros where it is not `inside`.
void copyBandChunk(IndexMath &math, Value source, Value from, Value ring,
                   Value to, Value inside);

/// `channels` elements of shared memory.
Value loadBandChannels(OpBuilder &builder, Location loc, Value memory,
                       Value index, int64_t channels);

/// The elements of two places, vectors of channels, in one of these.
Value pairChannel(OpBuilder &builder, Location loc, Value first, Value second,
                  int64_t channel);

/// Registers, pairs of elements, as a factor of an instruction.
Value joinRegisters(OpBuilder &builder, Location loc,
                    ArrayRef<Value> registers);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TENSORCORES_BANDOPERANDS_H
