//===- Result.h - a value or one message ------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error convention of the libraries that know nothing of MLIR: a function
// that can fail returns Result<T>. The message of an error is one line that
// says what was expected, what came, and where.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_RESULT_H
#define CONV_SUPPORT_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace convmlir {

/// The message of a failure.
struct Error {
  std::string message;
};

/// A value of type T, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : storage(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() { return std::get<0>(storage); }
  const T &operator*() const { return std::get<0>(storage); }
  T *operator->() { return &std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }

  const std::string &error() const {
    assert(!*this && "a value, not an error");
    return std::get<1>(storage).message;
  }
  Error takeError() { return std::move(std::get<1>(storage)); }

private:
  std::variant<T, Error> storage;
};

/// The result of a function that returns nothing else.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : message(std::move(error.message)), failed(true) {}

  explicit operator bool() const { return !failed; }
  const std::string &error() const { return message; }
  Error takeError() { return Error{std::move(message)}; }

private:
  std::string message;
  bool failed = false;
};

} // namespace convmlir

#endif // CONV_SUPPORT_RESULT_H
