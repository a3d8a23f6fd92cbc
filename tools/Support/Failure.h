//===- Failure.h - how a run ends -------------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_FAILURE_H
#define CONV_TOOLS_SUPPORT_FAILURE_H

#include <string>
#include <utility>
#include <variant>

namespace convmlir {

/// Part of the command line's contract.
enum class ExitCode {
  Done = 0,         ///< And verified, if asked.
  Mismatch = 1,     ///< A verification failed.
  BadInput = 2,     ///< Bad usage, IR or files.
  DeviceFailed = 3, ///< The device, not the input.
};

/// Why a run ended early.
struct Failure {
  ExitCode code = ExitCode::BadInput;
  std::string message;
};

/// A value, or why the run ends.
template <typename T> class [[nodiscard]] Outcome {
public:
  Outcome(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Outcome(Failure failure)
      : storage(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() { return std::get<0>(storage); }
  T *operator->() { return &std::get<0>(storage); }
  const Failure &failure() const { return std::get<1>(storage); }

private:
  std::variant<T, Failure> storage;
};

/// Nothing, or why the run ends.
using Ending = Outcome<std::monostate>;

inline Failure badInput(std::string message) {
  return {ExitCode::BadInput, std::move(message)};
}
inline Failure deviceFailed(std::string message) {
  return {ExitCode::DeviceFailed, std::move(message)};
}

} // namespace convmlir

#endif // CONV_TOOLS_SUPPORT_FAILURE_H
