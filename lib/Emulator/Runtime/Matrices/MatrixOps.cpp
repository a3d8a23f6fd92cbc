//===- MatrixOps.cpp - ldmatrix and stmatrix ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MatrixOps.h.
//
//===----------------------------------------------------------------------===//

#include "MatrixOps.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Rendezvous.h"
#include "Runtime/Memory/SharedMemory.h"

namespace convmlir::emu {

static constexpr unsigned kRowsPerMatrix = 8;
static constexpr unsigned kRowBytes = 16;

static std::byte *rowAddress(Warp &warp, const MatrixSite &site, unsigned row) {
  auto *pointer = site.operand<std::byte *>(warp.mailbox(row), 0);
  if (uintptr_t(pointer) % kRowBytes)
    fault(*warp.lanes[row], site, "row address %p is not a multiple of %u",
          static_cast<void *>(pointer), kRowBytes);
  return pointer;
}

/// Each matrix is one phase of eight 16-byte rows.
static void countRows(Worker &worker, std::byte *const *rows, unsigned count) {
  uint64_t addresses[kWarpSize];
  for (unsigned i = 0; i < count; ++i)
    addresses[i] = uint64_t(rows[i]);
  countSharedPasses(addresses, count, kRowBytes, worker.counters);
}

static uint16_t element(const std::byte *row, unsigned column) {
  uint16_t value;
  std::memcpy(&value, row + 2 * column, sizeof value);
  return value;
}

/// Lane l holds the elements (l/4, 2(l%4)) and the next one of the row, or with
/// `transposed` of the column.
static uint32_t gatherRegister(const std::byte *const *rows, unsigned lane,
                               bool transposed) {
  unsigned major = lane / 4, minor = lane % 4 * 2;
  uint32_t low =
      transposed ? element(rows[minor], major) : element(rows[major], minor);
  uint32_t high = transposed ? element(rows[minor + 1], major)
                             : element(rows[major], minor + 1);
  return low | high << 16;
}

static void scatterRegister(std::byte *const *rows, unsigned lane,
                            bool transposed, uint32_t value) {
  unsigned major = lane / 4, minor = lane % 4 * 2;
  auto put = [&](unsigned row, unsigned column, uint16_t part) {
    std::memcpy(rows[row] + 2 * column, &part, sizeof part);
  };
  auto low = uint16_t(value), high = uint16_t(value >> 16);
  if (transposed) {
    put(minor, major, low);
    put(minor + 1, major, high);
  } else {
    put(major, minor, low);
    put(major, minor + 1, high);
  }
}

static void loadMatrices(Warp &warp, const MatrixSite &site) {
  unsigned rowCount = site.matrices * kRowsPerMatrix;
  std::byte *addresses[kWarpSize];
  const std::byte *rows[kWarpSize];
  for (unsigned row = 0; row < rowCount; ++row) {
    addresses[row] = rowAddress(warp, site, row);
    rows[row] = readOperandRow(*warp.lanes[row], site, addresses[row]);
  }
  countRows(*warp.cta->worker, addresses, rowCount);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned m = 0; m < site.matrices; ++m)
      site.setResult(
          warp.mailbox(lane),
          gatherRegister(rows + m * kRowsPerMatrix, lane, site.transposed),
          4 * m);
}

static void storeMatrices(Warp &warp, const MatrixSite &site) {
  unsigned rowCount = site.matrices * kRowsPerMatrix;
  std::byte *rows[kWarpSize];
  for (unsigned row = 0; row < rowCount; ++row) {
    rows[row] = rowAddress(warp, site, row);
    checkSharedWrite(*warp.lanes[row], site, rows[row], kRowBytes);
  }
  countRows(*warp.cta->worker, rows, rowCount);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned m = 0; m < site.matrices; ++m)
      scatterRegister(rows + m * kRowsPerMatrix, lane, site.transposed,
                      site.operand<uint32_t>(warp.mailbox(lane), 1 + m));
}

void loadMatrix(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const MatrixSite &>(*base);
  rendezvous(*thread, site, kFullMask,
             [&](Warp &warp) { loadMatrices(warp, site); });
}

void storeMatrix(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const MatrixSite &>(*base);
  rendezvous(*thread, site, kFullMask,
             [&](Warp &warp) { storeMatrices(warp, site); });
}

} // namespace convmlir::emu
