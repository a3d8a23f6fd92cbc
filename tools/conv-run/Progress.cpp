//===- Progress.cpp - a sign of life for slow steps -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <chrono>
#include <cstdio>

using namespace convmlir;
using namespace std::chrono_literals;

Progress::Progress() : watcher([this] { watch(); }) {}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
  watcher.join();
}

void Progress::step(std::string next) {
  {
    std::lock_guard lock(mutex);
    name = std::move(next);
    done = -1;
    ++number;
  }
  changed.notify_all();
}

void Progress::share(double value) {
  std::lock_guard lock(mutex);
  done = value;
}

void Progress::watch() {
  std::unique_lock lock(mutex);
  while (!ends) {
    uint64_t watched = number;
    auto isOver = [&] { return ends || number != watched; };
    auto wait = 1s;
    auto begin = std::chrono::steady_clock::now();
    while (!changed.wait_for(lock, wait, isOver)) {
      wait = 3s;
      if (name.empty())
        continue;
      std::chrono::duration<double> spent =
          std::chrono::steady_clock::now() - begin;
      std::fprintf(stderr, "conv-run: %s, %.0f s", name.c_str(), spent.count());
      if (done >= 0)
        std::fprintf(stderr, ", %.0f %%", 100 * done);
      std::fputs("\n", stderr);
    }
  }
}
