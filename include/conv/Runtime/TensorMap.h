//===- TensorMap.h - description of a TMA tensor map ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` need to make the
// 128-byte descriptor of the tensor memory accelerator, with the base address
// as buffer and offset. Dimensions are innermost first, as the driver has them.
// The rules are those of the CUDA driver API, chapter "Tensor Map Object".
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_TENSORMAP_H
#define CONV_RUNTIME_TENSORMAP_H

#include "conv/Runtime/ElementType.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace convmlir {

/// Enumerators have the values of the driver API.
enum class TensorMapSwizzle { None = 0, B32 = 1, B64 = 2, B128 = 3 };
enum class TensorMapInterleave { None = 0, B16 = 1, B32 = 2 };
enum class TensorMapL2Promotion { None = 0, B64 = 1, B128 = 2, B256 = 3 };
enum class TensorMapFill { Zeros = 0, NanRequestZeroFma = 1 };

struct TensorMap {
  enum class Mode {
    Tiled,  ///< a box of the tensor.
    Im2col, ///< a column of pixels: channels x (base positions in a pixel box).
  };
  Mode mode = Mode::Tiled;
  ElementType type = ElementType::BF16;
  int64_t buffer = 0;     ///< Index of the plan's buffer.
  int64_t byteOffset = 0; ///< Multiple of 16.

  std::vector<int64_t> extents;        ///< rank; elements, innermost first.
  std::vector<int64_t> byteStrides;    ///< rank-1; of dimensions 1, 2, ….
  std::vector<int64_t> elementStrides; ///< rank; 1 to 8.

  std::vector<int64_t> box; ///< Tiled: rank; elements, at most 256 each.

  /// Im2col: rank-2, innermost spatial dimension (W) first. The pixel box is
  /// [lower, extent - 1 + upper] in every spatial dimension.
  std::vector<int64_t> lowerCorner, upperCorner;
  int64_t channelsPerPixel = 0; ///< Im2col: 1 to 256.
  int64_t pixelsPerColumn = 0;  ///< Im2col: 1 to 1024.

  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapL2Promotion l2Promotion = TensorMapL2Promotion::None;
  TensorMapFill fill = TensorMapFill::Zeros;

  bool operator==(const TensorMap &) const = default;
};

/// Checks the rules of the driver API that do not depend on an address, so that
/// a bad description is a message of the compiler, not a failure at launch.
Status validate(const TensorMap &map);

/// Bytes from the base to the end of the last element; only for a valid map.
/// Nothing where that does not fit in 63 bits.
std::optional<int64_t> spannedBytes(const TensorMap &map);

} // namespace convmlir

#endif // CONV_RUNTIME_TENSORMAP_H
