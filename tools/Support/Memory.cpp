//===- Memory.cpp - what a run holds, and what there is -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Memory.h"
#include "conv/Runtime/ElementType.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <unistd.h>

namespace convmlir {

static double elementsOf(const TensorSpec &spec) {
  double count = 1;
  for (int64_t extent : spec.shape)
    count *= static_cast<double>(extent);
  return count;
}

double bytesOf(const std::vector<TensorSpec> &specs) {
  double sum = 0;
  for (const TensorSpec &spec : specs)
    if (std::optional<ElementType> type = parseElementType(spec.type))
      sum += elementsOf(spec) * static_cast<double>(byteSize(*type));
  return sum;
}

/// The reference has its arguments as f32 or f64, and again as f64 in its own
/// order: all of them, or of a sample one at a time. A whole result is there in
/// two orders, beside its bounds and magnitudes, for which the arguments' are.
static double referenceBytes(const std::vector<TensorSpec> &arguments,
                             const std::vector<TensorSpec> &results,
                             ReferenceUse use) {
  constexpr double each = sizeof(double);
  double least = sizeof(float), elements = 0, largest = 0, ofResults = 0;
  for (const TensorSpec &spec : arguments) {
    elements += elementsOf(spec);
    largest = std::max(largest, elementsOf(spec));
    if (spec.type == "f64" || spec.type == "s8")
      least = each;
  }
  switch (use) {
  case ReferenceUse::None:
    return 0;
  case ReferenceUse::Sample:
    return least * elements + each * largest;
  case ReferenceUse::Full:
    break;
  }
  for (const TensorSpec &spec : results)
    ofResults += 4 * each * elementsOf(spec);
  return (2 * least + each) * elements + ofResults;
}

double bytesHeld(const std::vector<TensorSpec> &arguments,
                 const std::vector<TensorSpec> &results, const MemoryUse &use) {
  double tensors = bytesOf(arguments) + bytesOf(results);
  double device = use.isEmulated ? tensors + use.workspaceBytes : 0;
  return tensors + device + referenceBytes(arguments, results, use.reference);
}

std::optional<double> parseAvailable(std::string_view meminfo) {
  constexpr std::string_view key = "MemAvailable:";
  size_t begin = meminfo.find(key);
  if (begin == std::string_view::npos)
    return std::nullopt;
  meminfo.remove_prefix(begin + key.size());
  meminfo.remove_prefix(
      std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  int64_t kilobytes = 0;
  auto [end, code] = std::from_chars(
      meminfo.data(), meminfo.data() + meminfo.size(), kilobytes);
  if (code != std::errc())
    return std::nullopt;
  return static_cast<double>(kilobytes) * 1024;
}

double bytesAvailable() {
  std::ostringstream text;
  if (std::ifstream file("/proc/meminfo"); file)
    text << file.rdbuf();
  if (std::optional<double> available = parseAvailable(text.str()))
    return *available;
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

Status checkMemory(double needed, double available) {
  if (needed <= available)
    return {};
  constexpr double gigabyte = 1 << 30;
  auto text = [](double count) {
    std::ostringstream stream;
    stream << std::fixed << std::setprecision(0) << count << " GiB";
    return stream.str();
  };
  return Error{"the tensors of the run take " +
               text(std::ceil(needed / gigabyte)) + ", but this machine has " +
               text(std::floor(available / gigabyte)) + " of memory left"};
}

} // namespace convmlir
