//===- Progress.h - a sign of life for slow steps ---------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_PROGRESS_H
#define CONV_TOOLS_CONV_RUN_PROGRESS_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace convmlir {

/// Says on standard error what is being done, once a step has lasted a second,
/// and every few seconds from then on.
class Progress {
public:
  Progress();
  ~Progress();

  /// Begins the next step; an empty name ends the last one.
  void step(std::string name);
  /// The share of the step that is done, in [0, 1].
  void share(double done);

private:
  void watch();

  std::mutex mutex;
  std::condition_variable changed;
  std::string name;
  double done = -1;
  uint64_t number = 0; ///< Of the step.
  bool ends = false;
  std::thread watcher;
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_PROGRESS_H
