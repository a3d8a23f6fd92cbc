//===- ProblemPrinter.cpp - the text form of a problem --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem. Output: its one-line text form, which parses back to it.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"

#include <algorithm>

using namespace convmlir;

/// "2" where all entries are equal, else "2x1".
static std::string printPerDim(const Spatial &values, int rank) {
  bool same = std::all_of(values.begin(), values.begin() + rank,
                          [&](int64_t value) { return value == values[0]; });
  std::string text = std::to_string(values[0]);
  for (int d = 1; d < rank && !same; ++d)
    text += "x" + std::to_string(values[d]);
  return text;
}

/// "1", "1x0" or, where low and high differ, "0:1x1".
static std::string printPadding(const ConvGeometry &g) {
  std::vector<std::string> entries;
  for (int d = 0; d < g.spatialRank; ++d) {
    std::string entry = std::to_string(g.padLow[d]);
    if (g.padHigh[d] != g.padLow[d])
      entry += ":" + std::to_string(g.padHigh[d]);
    entries.push_back(entry);
  }
  if (std::all_of(
          entries.begin(), entries.end(),
          [&](const std::string &entry) { return entry == entries[0]; }))
    return entries[0];
  std::string text = entries[0];
  for (size_t d = 1; d < entries.size(); ++d)
    text += "x" + entries[d];
  return text;
}

std::string convmlir::toString(const Problem &problem) {
  const ConvGeometry &g = problem.geometry;
  std::string text = toString(problem.kind);
  auto add = [&](std::string key, const std::string &value) {
    text += " " + key + "=" + value;
  };
  auto lower = [](char letter) { return std::string(1, letter + 'a' - 'A'); };
  add("n", std::to_string(g.n));
  add("c", std::to_string(g.c));
  for (int d = 0; d < g.spatialRank; ++d)
    add(lower(g.inputLetter(d)), std::to_string(g.input[d]));
  add("k", std::to_string(g.k));
  for (int d = 0; d < g.spatialRank; ++d)
    add(lower(g.filterLetter(d)), std::to_string(g.filter[d]));
  add("stride", printPerDim(g.stride, g.spatialRank));
  add("pad", printPadding(g));
  add("dilation", printPerDim(g.dilation, g.spatialRank));
  if (g.hasInputDilation())
    add("input-dilation", printPerDim(g.inputDilation, g.spatialRank));
  add("groups", std::to_string(g.groups));
  add("type", problem.type);
  if (!problem.secondType.empty())
    add("second-type", problem.secondType);
  std::vector<std::string> results = resultTypes(problem.type);
  if (results.empty() || problem.outType != results.front())
    add("out-type", problem.outType);
  if (problem.layout != TensorLayout::NHWC)
    add("layout", toString(problem.layout));
  if (problem.epilogue.any())
    add("epilogue", toString(problem.epilogue));
  if (!problem.biasType.empty())
    add("bias-type", problem.biasType);
  if (problem.accumulate)
    add("accumulate", "true");
  if (g.flip)
    add("flip", "true");
  return text;
}
