//===- Parallel.cpp - independent units of work on all cores --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a count and a body. Threads take the next index from a shared counter,
// so unequal units balance themselves.
//
//===----------------------------------------------------------------------===//

#include "conv/Reference/Parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace convmlir;

void convmlir::parallelFor(int64_t count, const ReferenceOptions &options,
                           const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next{0};
  auto work = [&](bool reports) {
    for (int64_t i; (i = next.fetch_add(1)) < count;) {
      body(i);
      if (reports && options.progress)
        options.progress(double(std::min(next.load(), count)) / double(count));
    }
  };
  int64_t threads = options.threads > 0 ? options.threads
                                        : std::thread::hardware_concurrency();
  std::vector<std::thread> helpers;
  for (int64_t t = 1; t < std::min(threads, count); ++t)
    helpers.emplace_back(work, false);
  work(true);
  for (std::thread &helper : helpers)
    helper.join();
}
