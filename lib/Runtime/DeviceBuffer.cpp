//===- DeviceBuffer.cpp - device memory with guard bands ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/DeviceBuffer.h"

#include <utility>

namespace convmlir {

/// Content of a guard band at a distance from the start of the allocation:
/// 16-bit words 0xFFFE. They are NaN, yet neither poison, nor the NaN that the
/// hardware produces, nor a small negative integer.
static uint8_t guardByte(int64_t offset) { return offset % 2 ? 0xff : 0xfe; }

static Bytes guardContent(int64_t offset, int64_t bytes) {
  Bytes content(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < bytes; ++i)
    content[static_cast<size_t>(i)] = guardByte(offset + i);
  return content;
}

Result<DeviceBuffer> DeviceBuffer::create(Device &device, std::string name,
                                          int64_t bytes, int64_t guardBytes) {
  guardBytes = (guardBytes + 255) / 256 * 256;
  Result<DeviceAddress> base = device.allocate(bytes + 2 * guardBytes, name);
  if (!base)
    return base.takeError();
  DeviceBuffer buffer(device, std::move(name), *base, bytes, guardBytes);
  if (guardBytes == 0)
    return buffer;
  for (int64_t offset : {int64_t(0), guardBytes + bytes})
    if (Status status = device.copyToDevice(*base + offset,
                                            guardContent(offset, guardBytes));
        !status)
      return status.takeError();
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device(std::exchange(other.device, nullptr)), name(std::move(other.name)),
      base(other.base), size(other.size), guardBytes(other.guardBytes) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(name, other.name);
  std::swap(base, other.base);
  std::swap(size, other.size);
  std::swap(guardBytes, other.guardBytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  // A free that fails follows an error that was already reported.
  if (device)
    (void)device->free(base);
}

Status DeviceBuffer::checkSize(size_t bytes) const {
  if (static_cast<int64_t>(bytes) == size)
    return {};
  return Error{name + ": expected " + std::to_string(size) + " bytes, got " +
               std::to_string(bytes)};
}

Status DeviceBuffer::upload(std::span<const uint8_t> content) {
  if (Status status = checkSize(content.size()); !status)
    return status;
  return device->copyToDevice(address(), content);
}

Status DeviceBuffer::download(std::span<uint8_t> content) const {
  if (Status status = checkSize(content.size()); !status)
    return status;
  return device->copyToHost(content, address());
}

Status DeviceBuffer::poison() {
  return device->fill(address(), poisonByte, size);
}

/// The message of a damaged band whose byte `first` is wrong.
static Error damage(const std::string &name, bool before, int64_t first,
                    int64_t guardBytes, int64_t count) {
  int64_t distance = before ? guardBytes - first : first + 1;
  return Error{"guard band of " + name +
               " was overwritten: first damaged "
               "byte is the " +
               std::to_string(distance) +
               (before ? ". before its start" : ". after its end") + ", " +
               std::to_string(count) + " bytes in all"};
}

Status DeviceBuffer::checkGuards() const {
  Bytes found(static_cast<size_t>(guardBytes));
  for (bool before : {true, false}) {
    int64_t offset = before ? 0 : guardBytes + size;
    if (Status status = device->copyToHost(found, base + offset); !status)
      return status;
    int64_t first = -1, count = 0;
    for (int64_t i = 0; i < guardBytes; ++i) {
      if (found[static_cast<size_t>(i)] == guardByte(offset + i))
        continue;
      first = first < 0 ? i : first;
      ++count;
    }
    if (count > 0)
      return damage(name, before, first, guardBytes, count);
  }
  return {};
}

} // namespace convmlir
