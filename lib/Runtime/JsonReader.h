//===- JsonReader.h - checked access to a JSON document ---------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a JSON document together with its place in it. Reading a value of
// the wrong kind records one message that names the place and returns a
// neutral value; only the first message of a document is kept. So a reader is
// written straight down and asks once, at the end, whether all went well.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_JSONREADER_H
#define CONV_LIB_RUNTIME_JSONREADER_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convmlir {

class JsonReader {
public:
  /// `failure` receives the first message and must outlive the reader.
  JsonReader(const nlohmann::json &value, std::string path,
             std::string &failure)
      : value(&value), path(std::move(path)), failure(&failure) {}

  /// A member of an object, which must be there.
  JsonReader operator[](const char *key) const;
  /// The elements of an array.
  std::vector<JsonReader> elements() const;

  int64_t integer() const;
  double number() const;
  bool boolean() const;
  std::string string() const;
  std::vector<int64_t> integers() const;

  /// Records a message about this place.
  void fail(const std::string &message) const;

private:
  void expected(const char *what) const;

  const nlohmann::json *value;
  std::string path;
  std::string *failure;
};

} // namespace convmlir

#endif // CONV_LIB_RUNTIME_JSONREADER_H
