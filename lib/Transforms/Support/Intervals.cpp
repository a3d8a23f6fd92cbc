//===- Intervals.cpp - long constant tables as arithmetic -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Intervals.h"

using namespace mlir;
using namespace mlir::conv;

/// Calls visit(begin, slope) for each line that entries of the table are on.
static void forEachLine(ArrayRef<int64_t> table,
                        function_ref<void(size_t, int64_t)> visit) {
  for (size_t begin = 0, end = 0; begin < table.size(); begin = end) {
    end = begin + 1;
    int64_t slope = end < table.size() ? table[end] - table[begin] : 0;
    while (end < table.size() && table[end] - table[end - 1] == slope)
      ++end;
    visit(begin, slope);
  }
}

static size_t countLines(ArrayRef<int64_t> table) {
  size_t lines = 0;
  forEachLine(table, [&](size_t, int64_t) { ++lines; });
  return lines;
}

static Value followLines(IndexMath &math, Value index,
                         ArrayRef<int64_t> table) {
  Value result;
  forEachLine(table, [&](size_t begin, int64_t slope) {
    Value line =
        math.add(math.mul(index, slope), table[begin] - int64_t(begin) * slope);
    result =
        result ? math.select(math.isBelow(index, int64_t(begin)), result, line)
               : line;
  });
  return result;
}

/// Every so many entries, from `first` on.
static SmallVector<int64_t> getEvery(ArrayRef<int64_t> table, size_t first,
                                     size_t period) {
  SmallVector<int64_t> entries;
  for (size_t i = first; i < table.size(); i += period)
    entries.push_back(table[i]);
  return entries;
}

/// The period by which entries are on the fewest lines; 1 where few lines do.
/// The taps of a filter alternate where x is spread.
static size_t findPeriod(ArrayRef<int64_t> table) {
  constexpr size_t fewLines = 64, longest = 128;
  size_t best = 1, fewest = countLines(table);
  if (fewest <= fewLines)
    return best;
  for (size_t period = 2; period <= longest; ++period) {
    size_t lines = period;
    for (size_t first = 0; first < period; ++first)
      lines += countLines(getEvery(table, first, period));
    if (lines < fewest) {
      fewest = lines;
      best = period;
    }
  }
  return best;
}

static Value lookUpLines(IndexMath &math, Value index,
                         ArrayRef<int64_t> table) {
  size_t period = findPeriod(table);
  if (period == 1)
    return followLines(math, index, table);
  Value turn = math.div(index, int64_t(period));
  Value place = math.rem(index, int64_t(period));
  Value result = followLines(math, turn, getEvery(table, 0, period));
  for (size_t first = 1; first < period; ++first)
    result =
        math.select(math.isBelow(place, int64_t(first)), result,
                    followLines(math, turn, getEvery(table, first, period)));
  return result;
}

/// Entries that repeat the one before cost nothing.
Value conv::lookUpEntry(IndexMath &math, Value index, ArrayRef<int64_t> table) {
  size_t choices = 0;
  for (size_t i = 1; i < table.size(); ++i)
    choices += table[i] != table[i - 1];
  if (choices > kMostChoices)
    return lookUpLines(math, index, table);
  Value result = math.constant(table.front());
  for (size_t i = 1; i < table.size(); ++i) {
    if (table[i] == table[i - 1])
      continue;
    Value isBefore = math.isBelow(index, int64_t(i));
    result = math.select(isBefore, result, math.constant(table[i]));
  }
  return result;
}

namespace {
/// Intervals of one width, one behind the other, whose numbers are `step`
/// apart.
struct Run {
  int64_t start, width, number, step = 0, count = 1;
};
} // namespace

static SmallVector<Run> findRuns(ArrayRef<int64_t> starts) {
  SmallVector<Run> runs;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    Run next = {starts[i], starts[i + 1] - starts[i], int64_t(i)};
    if (next.width == 0)
      continue;
    if (!runs.empty() && runs.back().width == next.width) {
      Run &run = runs.back();
      int64_t last = run.number + (run.count - 1) * run.step;
      if (run.count == 1)
        run.step = next.number - last;
      if (next.number - last == run.step) {
        ++run.count;
        continue;
      }
    }
    runs.push_back(next);
  }
  return runs;
}

Value conv::findInterval(IndexMath &math, Value number,
                         ArrayRef<int64_t> starts) {
  Value result;
  for (const Run &run : findRuns(starts)) {
    Value distance = math.sub(number, math.constant(run.start));
    Value found =
        run.count == 1
            ? math.constant(run.number)
            : math.add(math.mul(math.div(distance, run.width), run.step),
                       run.number);
    result = result
                 ? math.select(math.isBelow(number, run.start), result, found)
                 : found;
  }
  return result;
}
