//===- Accumulators.h - accumulators of wgmma -------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accumulator registers of a warpgroup. In a compiled kernel, the value of
// an accumulator is a handle: a file of 64 x N numbers and the generation of
// its content. Every wgmma updates a file in place and yields the next
// generation, so that reading too early, or reading a value that is gone, is
// exact to see.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MATRICES_ACCUMULATORS_H
#define CONV_LIB_EMULATOR_RUNTIME_MATRICES_ACCUMULATORS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace convmlir::emu {

class AccumulatorHandle {
public:
  AccumulatorHandle() = default;
  explicit AccumulatorHandle(uint64_t bits) : bits(bits) {}
  AccumulatorHandle(uint32_t file, uint64_t generation)
      : bits(generation << kFileBits | (file + kFirstFile)) {}

  /// All zeros, and registers that nothing was written to: no file yet.
  static constexpr uint64_t kZero = 0;
  static constexpr uint64_t kUndefined = 1;

  bool hasFile() const { return bits >= kFirstFile; }
  uint32_t file() const {
    return uint32_t(bits & ((1u << kFileBits) - 1)) - kFirstFile;
  }
  uint64_t generation() const { return bits >> kFileBits; }
  uint64_t value() const { return bits; }
  /// After one more wgmma.
  AccumulatorHandle next() const {
    return AccumulatorHandle(bits + (uint64_t(1) << kFileBits));
  }
  bool operator==(const AccumulatorHandle &) const = default;

private:
  static constexpr unsigned kFileBits = 16;
  static constexpr uint32_t kFirstFile = 2;
  uint64_t bits = kZero;
};

struct AccumulatorFile {
  /// Row-major, 64 x n; the bits of integers where they are s32.
  std::vector<float> numbers;
  unsigned n = 0;
  /// Of the content, once all threads have issued what makes it.
  uint64_t generation = 0;
  /// The last generation that began with new content.
  uint64_t lastFresh = 0;
  /// wgmma that write it and are not waited for.
  unsigned pending = 0;
  /// The step of the warpgroup that followed the last access by a thread.
  uint64_t touched = 0;
};

/// The files of a warpgroup.
class AccumulatorFiles {
public:
  void clear() {
    files.clear();
    ofSite.clear();
  }
  AccumulatorFile &at(uint32_t index) { return files[index]; }

  /// A handle for content that begins at a site. A site has two files that take
  /// turns: one value may still be read while the next is computed.
  AccumulatorHandle allocate(uint32_t site, unsigned n);

private:
  struct Pair {
    uint32_t first = 0;
    uint32_t uses = 0;
  };
  std::vector<AccumulatorFile> files;
  std::unordered_map<uint32_t, Pair> ofSite;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MATRICES_ACCUMULATORS_H
