//===- Chip.h - what a chip is ----------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of the chips that kernels are made for (Chip.cpp), by the
// target that code is compiled for. Input: a target's name. Output: the numbers
// and the engines of its chip. Whoever decides something by a chip asks here,
// or asks for an engine, and never compares names.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CHIP_H
#define CONV_CHIP_CHIP_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convmlir {

/// What kernels for a target use, each a bit of ChipInfo::engines. A chip may
/// have more than that.
enum class Engine : uint32_t {
  CpAsync = 1,       ///< cp.async: a thread copies without waiting.
  MmaSync = 2,       ///< mma.sync: a warp multiplies on tensor cores.
  MmaFloat8 = 4,     ///< Tensor cores take e4m3 and e5m2.
  LaunchOverlap = 8, ///< griddepcontrol: kernels wait for those in front.
  Tma = 16,          ///< The tensor memory accelerator copies boxes.
  Wgmma = 32,        ///< wgmma: a warpgroup multiplies from shared memory.
};

/// Of all chips in the table: what a thread's register number, and a launch,
/// have room for.
inline constexpr int64_t kMostThreadRegisters = 255, kMostThreads = 1024;
/// What the system takes of the shared memory of each workgroup.
inline constexpr int64_t kSystemSharedBytes = 1024;

struct ChipInfo {
  std::string_view name;       ///< Of the target: "sm_80".
  int64_t multiprocessors = 0; ///< Of the largest product with this chip.
  int64_t sharedPerBlock = 0;  ///< Bytes one workgroup can have, opted in.
  int64_t sharedPerSM = 0;     ///< Bytes of one multiprocessor.
  int64_t registersPerSM = 0;  ///< Of 32 bits.
  int64_t threadsPerSM = 0;    ///< Resident at the same time.
  int64_t l2Bytes = 0;         ///< Of that product.
  uint32_t engines = 0;        ///< Bits of Engine.
  int ptxVersion = 0;          ///< The lowest that knows the target: 80 is 8.0.
  bool isMeasured = false;     ///< Whether the model was fitted on such a chip.

  bool has(Engine engine) const { return engines & uint32_t(engine); }
};

/// What is known of a device that kernels are made for; 0: not known, the table
/// says it.
struct DeviceLimits {
  int64_t multiprocessors = 0;
  int64_t sharedPerBlock = 0; ///< Bytes, opted in.

  /// The chip with these numbers. Code for a target has no more shared memory
  /// than the target, also on a device that has.
  ChipInfo applyTo(ChipInfo chip) const;

  bool operator==(const DeviceLimits &) const = default;
};

/// More than any chip has.
inline constexpr int64_t kMostMultiprocessors = 4096;

/// The number that no device has, as "multiprocessors: expected …"; empty
/// where all are right.
std::string whyWrong(const DeviceLimits &device);

/// The engine of this name in `#conv.chip`; nothing for another name.
std::optional<Engine> lookupEngine(std::string_view name);
/// The names of these engines, with commas between them.
std::string getEngineNames(uint32_t engines);

/// All of them: those with fewer engines first, then the older ones. The last
/// one is the target where nothing says another.
std::span<const ChipInfo> getChips();

/// The chip of the target named "sm_80", ...; nothing for a name that is not
/// supported.
std::optional<ChipInfo> lookupChip(std::string_view name);

/// The last of getChips(), whose kernels use the most engines.
const ChipInfo &getFullestChip();

/// The supported names, for messages: "sm_80, sm_86, ...".
std::string supportedChips();
/// Those with an engine.
std::string getChipsWith(Engine engine);
/// The oldest of these.
std::string_view getFirstChipWith(Engine engine);

/// The shared memory that a workgroup has on the chip with the most.
int64_t getMostSharedPerBlock();

} // namespace convmlir

#endif // CONV_CHIP_CHIP_H
