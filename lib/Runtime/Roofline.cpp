//===- Roofline.cpp - peaks of architectures ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Roofline.h"

namespace convmlir {

namespace {
/// Operations per cycle and multiprocessor; 0: no such instruction.
struct Peaks {
  int64_t major, minor;
  int64_t f16; ///< Also bf16, with f32 accumulation.
  int64_t tf32;
  int64_t fp8; ///< e4m3, e5m2.
  int64_t s8;
  int64_t f64; ///< Tensor cores where they have it.
  int64_t f32; ///< The ordinary cores.
};
} // namespace

// Peak rates of the data sheets divided by multiprocessors and boost clock:
// A100 312 TFLOP/s f16 (108 x 1.41 GHz), A40 150 (84 x 1.74), L40S 362 (142 x
// 2.49), H100 SXM 989 (132 x 1.83). GeForce cards of 8.6 and 8.9 accumulate in
// f32 at half of that rate: for them the bound is loose, but still a bound.
static constexpr Peaks table[] = {
    {8, 0, 2048, 1024, 0, 4096, 128, 128},
    {8, 6, 1024, 512, 0, 2048, 4, 256},
    {8, 9, 1024, 512, 2048, 2048, 4, 256},
    {9, 0, 4096, 2048, 8192, 8192, 256, 256},
};

static int64_t peakOf(const Peaks &peaks, ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    return peaks.f16;
  case ElementType::TF32:
    return peaks.tf32;
  case ElementType::E4M3:
  case ElementType::E5M2:
    return peaks.fp8;
  case ElementType::S8:
    return peaks.s8;
  case ElementType::F64:
    return peaks.f64;
  case ElementType::F32:
    return peaks.f32;
  case ElementType::S32:
    return 0;
  }
  return 0;
}

std::optional<int64_t> peakOperationsPerCycle(int64_t capabilityMajor,
                                              int64_t capabilityMinor,
                                              ElementType type) {
  for (const Peaks &peaks : table)
    if (peaks.major == capabilityMajor && peaks.minor == capabilityMinor)
      if (int64_t peak = peakOf(peaks, type))
        return peak;
  return std::nullopt;
}

std::optional<Roofline> computeRoofline(const DeviceInfo &info,
                                        ElementType type, int64_t flops,
                                        int64_t bytes) {
  std::optional<int64_t> peak =
      peakOperationsPerCycle(info.capabilityMajor, info.capabilityMinor, type);
  if (!peak || info.multiprocessors <= 0 || info.clockHz <= 0 ||
      info.memoryBytesPerSecond <= 0)
    return std::nullopt;
  double perSecond =
      static_cast<double>(*peak * info.multiprocessors) * info.clockHz;
  return Roofline{static_cast<double>(flops) / perSecond * 1e6,
                  static_cast<double>(bytes) / info.memoryBytesPerSecond * 1e6};
}

} // namespace convmlir
