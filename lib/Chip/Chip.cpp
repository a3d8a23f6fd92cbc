//===- Chip.cpp - the table of chips --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"

#include <algorithm>
#include <utility>

using namespace convmlir;

static constexpr int64_t KB = 1024, MB = 1024 * KB;

static constexpr uint32_t joinEngines(std::initializer_list<Engine> engines) {
  uint32_t bits = 0;
  for (Engine engine : engines)
    bits |= uint32_t(engine);
  return bits;
}

/// Engines of kernels for architectures 8.0, 8.9 and 9.0, and of the code that
/// runs on 9.0 alone.
static constexpr uint32_t kAmpere =
    joinEngines({Engine::CpAsync, Engine::MmaSync});
static constexpr uint32_t kAda = kAmpere | joinEngines({Engine::MmaFloat8});
static constexpr uint32_t kHopper = kAda | joinEngines({Engine::LaunchOverlap});
static constexpr uint32_t kHopperOnly =
    kHopper | joinEngines({Engine::Tma, Engine::Wgmma});

/// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"; PTX ISA, "Target architectures"; data sheets of A100, RTX 3090,
/// RTX 4090 (of 144 multiprocessors 128 are enabled), H200, B200, RTX PRO 6000
/// and GB10. Of B300 (10.3) they are those of B200: an estimate. Code for
/// targets before 9.0 needs PTX 8.0 too, of which kernels use instructions.
/// Kernels for 10.0 and later use none of the tensor cores of their own.
static constexpr ChipInfo chips[] = {
    // name, multiprocessors, shared memory of a workgroup and of a
    // multiprocessor, registers, threads, L2, engines, PTX, measured
    {"sm_80", 108, 163 * KB, 164 * KB, 65536, 2048, 40 * MB, kAmpere, 80,
     false},
    {"sm_86", 84, 99 * KB, 100 * KB, 65536, 1536, 6 * MB, kAmpere, 80, false},
    {"sm_89", 128, 99 * KB, 100 * KB, 65536, 1536, 72 * MB, kAda, 80, false},
    {"sm_90", 132, 227 * KB, 228 * KB, 65536, 2048, 50 * MB, kHopper, 80, true},
    {"sm_100", 148, 227 * KB, 228 * KB, 65536, 2048, 126 * MB, kHopper, 86,
     false},
    {"sm_103", 148, 227 * KB, 228 * KB, 65536, 2048, 126 * MB, kHopper, 88,
     false},
    {"sm_120", 188, 99 * KB, 100 * KB, 65536, 1536, 128 * MB, kHopper, 87,
     false},
    {"sm_121", 48, 99 * KB, 100 * KB, 65536, 1536, 24 * MB, kHopper, 88, false},
    {"sm_90a", 132, 227 * KB, 228 * KB, 65536, 2048, 50 * MB, kHopperOnly, 80,
     true},
};

static constexpr std::pair<Engine, std::string_view> engineNames[] = {
    {Engine::CpAsync, "cp_async"},
    {Engine::MmaSync, "mma_sync"},
    {Engine::MmaFloat8, "mma_float8"},
    {Engine::LaunchOverlap, "launch_overlap"},
    {Engine::Tma, "tma"},
    {Engine::Wgmma, "wgmma"},
};

std::optional<Engine> convmlir::lookupEngine(std::string_view name) {
  for (auto [engine, known] : engineNames)
    if (known == name)
      return engine;
  return std::nullopt;
}

std::string convmlir::getEngineNames(uint32_t engines) {
  std::string names;
  for (auto [engine, name] : engineNames)
    if (engines & uint32_t(engine))
      names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

ChipInfo DeviceLimits::applyTo(ChipInfo chip) const {
  if (multiprocessors > 0)
    chip.multiprocessors = multiprocessors;
  if (sharedPerBlock > 0 && sharedPerBlock < chip.sharedPerBlock) {
    chip.sharedPerSM -= chip.sharedPerBlock - sharedPerBlock;
    chip.sharedPerBlock = sharedPerBlock;
  }
  return chip;
}

std::string convmlir::whyWrong(const DeviceLimits &device) {
  if (device.multiprocessors < 0 ||
      device.multiprocessors > kMostMultiprocessors)
    return "multiprocessors: expected 1 to " +
           std::to_string(kMostMultiprocessors) + ", or 0 for those of the " +
           "target, got " + std::to_string(device.multiprocessors);
  if (device.sharedPerBlock < 0)
    return "shared memory of a workgroup: expected bytes, or 0 for those of "
           "the target, got " +
           std::to_string(device.sharedPerBlock);
  return "";
}

std::span<const ChipInfo> convmlir::getChips() { return chips; }

const ChipInfo &convmlir::getFullestChip() { return *std::rbegin(chips); }

std::optional<ChipInfo> convmlir::lookupChip(std::string_view name) {
  for (const ChipInfo &chip : chips)
    if (chip.name == name)
      return chip;
  return std::nullopt;
}

/// Names that a predicate accepts, in the order of the table.
template <typename Predicate> static std::string joinNames(Predicate accepts) {
  std::string names;
  for (const ChipInfo &chip : chips)
    if (accepts(chip))
      names.append(names.empty() ? "" : ", ").append(chip.name);
  return names;
}

std::string convmlir::supportedChips() {
  return joinNames([](const ChipInfo &) { return true; });
}

std::string convmlir::getChipsWith(Engine engine) {
  return joinNames([&](const ChipInfo &chip) { return chip.has(engine); });
}

std::string_view convmlir::getFirstChipWith(Engine engine) {
  const ChipInfo *first =
      std::find_if(std::begin(chips), std::end(chips),
                   [&](const ChipInfo &chip) { return chip.has(engine); });
  return first == std::end(chips) ? std::string_view() : first->name;
}

int64_t convmlir::getMostSharedPerBlock() {
  return std::max_element(std::begin(chips), std::end(chips),
                          [](const ChipInfo &a, const ChipInfo &b) {
                            return a.sharedPerBlock < b.sharedPerBlock;
                          })
      ->sharedPerBlock;
}
