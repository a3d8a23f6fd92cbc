//===- WmmaOps.cpp - wmma.load, wmma.mma, wmma.store ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WmmaOps.h.
//
//===----------------------------------------------------------------------===//

#include "WmmaOps.h"
#include "ElementConversion.h"
#include "Runtime/Machine/Fault.h"
#include "Runtime/Machine/Rendezvous.h"
#include "Runtime/Memory/SharedMemory.h"

#include <array>

namespace convmlir::emu {

static constexpr unsigned kPieceBytes = 16;
static constexpr unsigned kMostElements = 256;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// Where the lines of a matrix are: the same for all lanes.
struct WmmaLines {
  std::byte *start;
  int64_t pitch; ///< In bytes.

  std::byte *piece(unsigned line, unsigned byte) const {
    return start + line * pitch + byte;
  }
};
} // namespace

/// "Each row or column begins at a multiple of the fragment's size in bytes",
/// and all lanes say the same (PTX ISA, wmma.load).
static WmmaLines getLines(Warp &warp, const WmmaMemorySite &site) {
  const unsigned last = site.operandOffsets.size() - 1;
  auto *start = site.operand<std::byte *>(warp.mailbox(0), 0);
  auto stride = site.operand<int32_t>(warp.mailbox(0), last);
  for (unsigned lane = 1; lane < kWarpSize; ++lane)
    if (site.operand<std::byte *>(warp.mailbox(lane), 0) != start ||
        site.operand<int32_t>(warp.mailbox(lane), last) != stride)
      fault(*warp.lanes[lane], site,
            "has another address or stride than lane 0");
  int64_t pitch = int64_t(stride) * site.matrix.elementBytes;
  unsigned unit = site.matrix.laneBytes();
  if (uintptr_t(start) % unit || pitch % unit)
    fault(*warp.lanes[0], site,
          "lines at %p, %lld bytes apart, are not at multiples of the "
          "fragment's %u bytes",
          static_cast<void *>(start), static_cast<long long>(pitch), unit);
  return {start, pitch};
}

/// Calls `visit(piece, line, byte)` for 16 bytes at a time of each line, which
/// are at least as long, and counts what shared memory does for them.
template <typename Visit>
static void visitPieces(Warp &warp, const WmmaMemorySite &site, Visit visit) {
  WmmaLines lines = getLines(warp, site);
  uint64_t addresses[kWarpSize];
  unsigned count = 0;
  auto flush = [&] {
    countSharedPasses(addresses, count, kPieceBytes,
                      warp.cta->worker->counters);
    count = 0;
  };
  for (unsigned line = 0; line < site.matrix.lines(); ++line)
    for (unsigned byte = 0; byte < site.matrix.lineBytes();
         byte += kPieceBytes) {
      std::byte *piece = lines.piece(line, byte);
      visit(piece, line, byte);
      addresses[count++] = uint64_t(piece);
      if (count == kWarpSize)
        flush();
    }
  if (count)
    flush();
}

static void loadLines(Warp &warp, const WmmaMemorySite &site) {
  const WmmaMatrix &matrix = site.matrix;
  std::byte elements[kMostElements * sizeof(float)];
  visitPieces(warp, site, [&](std::byte *piece, unsigned line, unsigned byte) {
    Thread &reader = *warp.lanes[line % kWarpSize];
    std::memcpy(elements + line * matrix.lineBytes() + byte,
                readOperandRow(reader, site, piece), kPieceBytes);
  });
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < matrix.laneElements; ++i)
      std::memcpy(warp.mailbox(lane) + site.resultOffset +
                      i * matrix.elementBytes,
                  elements + matrix.numberOf(lane, i) * matrix.elementBytes,
                  matrix.elementBytes);
}

/// The elements in the order of memory, of registers that begin at `offset`.
static void gatherElements(Warp &warp, const WmmaMatrix &matrix,
                           unsigned offset, std::byte *elements) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < matrix.laneElements; ++i)
      std::memcpy(elements + matrix.numberOf(lane, i) * matrix.elementBytes,
                  warp.mailbox(lane) + offset + i * matrix.elementBytes,
                  matrix.elementBytes);
}

static void storeLines(Warp &warp, const WmmaMemorySite &site) {
  const WmmaMatrix &matrix = site.matrix;
  std::byte elements[kMostElements * sizeof(float)];
  gatherElements(warp, matrix, site.operandOffsets[1], elements);
  visitPieces(warp, site, [&](std::byte *piece, unsigned line, unsigned byte) {
    checkSharedWrite(*warp.lanes[line % kWarpSize], site, piece, kPieceBytes);
    std::memcpy(piece, elements + line * matrix.lineBytes() + byte,
                kPieceBytes);
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Eight numbers at a time, as many as a conversion takes at most.
static void toNumbers(MmaElement element, const std::byte *from, unsigned count,
                      float *to) {
  for (unsigned i = 0; i < count; i += 8)
    if (element == MmaElement::F16) {
      convertFragment<MmaElement::F16>(from + 2 * i, 16, to + i);
    } else {
      convertFragment<MmaElement::TF32>(from + 4 * i, 16, to + i);
      convertFragment<MmaElement::TF32>(from + 4 * i + 16, 16, to + i + 4);
    }
}

namespace {
/// A matrix of numbers in the order of memory.
struct Numbers {
  const WmmaMatrix &matrix;
  std::array<float, kMostElements> values;

  float &at(unsigned row, unsigned column) {
    return values[matrix.isColumnMajor ? column * matrix.rows + row
                                       : row * matrix.columns + column];
  }
};
} // namespace

static Numbers readFactor(Warp &warp, const WmmaProductSite &site,
                          const WmmaMatrix &matrix, unsigned offset) {
  alignas(32) std::byte elements[kMostElements * sizeof(float)];
  gatherElements(warp, matrix, offset, elements);
  Numbers numbers{matrix, {}};
  toNumbers(site.element, elements, matrix.count(), numbers.values.data());
  return numbers;
}

static void multiply(Warp &warp, const WmmaProductSite &site) {
  const unsigned offsetB = site.operandOffsets[site.aRegisters];
  const unsigned offsetC =
      site.operandOffsets[site.aRegisters + site.bRegisters];
  Numbers a = readFactor(warp, site, site.a, site.operandOffsets[0]);
  Numbers b = readFactor(warp, site, site.b, offsetB);
  Numbers sums{site.c, {}};
  gatherElements(warp, site.c, offsetC,
                 reinterpret_cast<std::byte *>(sums.values.data()));
  for (unsigned i = 0; i < site.c.rows; ++i)
    for (unsigned j = 0; j < site.c.columns; ++j)
      for (unsigned k = 0; k < site.a.columns; ++k)
        sums.at(i, j) += a.at(i, k) * b.at(k, j);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < site.c.laneElements; ++i)
      site.setResult(warp.mailbox(lane), sums.values[site.c.numberOf(lane, i)],
                     i * sizeof(float));
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

void loadWmma(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const WmmaMemorySite &>(*base);
  rendezvous(*thread, site, kFullMask,
             [&](Warp &warp) { loadLines(warp, site); });
}

void storeWmma(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const WmmaMemorySite &>(*base);
  rendezvous(*thread, site, kFullMask,
             [&](Warp &warp) { storeLines(warp, site); });
}

void multiplyWmma(Thread *thread, const Site *base, std::byte *) {
  auto &site = static_cast<const WmmaProductSite &>(*base);
  rendezvous(*thread, site, kFullMask, [&](Warp &warp) {
    multiply(warp, site);
    EmulatorCounters &counters = warp.cta->worker->counters;
    ++counters.mmaInstructions;
    counters.mmaFlops +=
        uint64_t(2) * site.c.rows * site.c.columns * site.a.columns;
  });
}

} // namespace convmlir::emu
