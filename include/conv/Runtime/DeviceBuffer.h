//===- DeviceBuffer.h - device memory with guard bands ----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owned device memory. Where asked, it lies between two guard bands of known
// content: a kernel that writes outside is found, one that reads outside gets
// NaN in every floating-point type of 16 bits and more.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DEVICEBUFFER_H
#define CONV_RUNTIME_DEVICEBUFFER_H

#include "conv/Runtime/Device.h"

#include <string>

namespace convmlir {

/// Every byte of poisoned memory: NaN in every floating-point type, -1 as an
/// integer.
inline constexpr uint8_t poisonByte = 0xff;

class DeviceBuffer {
public:
  /// Allocates `bytes` bytes with guard bands of at least `guardBytes` (rounded
  /// up to a multiple of 256) on both sides; 0: none.
  static Result<DeviceBuffer> create(Device &device, std::string name,
                                     int64_t bytes, int64_t guardBytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  DeviceAddress address() const { return base + guardBytes; }
  int64_t bytes() const { return size; }

  /// Copies the whole content; an error where the span has not bytes() bytes.
  Status upload(std::span<const uint8_t> content);
  Status download(std::span<uint8_t> content) const;
  /// Fills the content with poisonByte.
  Status poison();

  /// Whether the guard bands are untouched. The message names the buffer, the
  /// first damaged byte and how many there are.
  Status checkGuards() const;

private:
  DeviceBuffer(Device &device, std::string name, DeviceAddress base,
               int64_t size, int64_t guardBytes)
      : device(&device), name(std::move(name)), base(base), size(size),
        guardBytes(guardBytes) {}

  Status checkSize(size_t bytes) const;

  Device *device; ///< Null after a move.
  std::string name;
  DeviceAddress base;
  int64_t size;
  int64_t guardBytes;
};

} // namespace convmlir

#endif // CONV_RUNTIME_DEVICEBUFFER_H
