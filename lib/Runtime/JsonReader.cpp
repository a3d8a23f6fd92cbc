//===- JsonReader.cpp - checked access to a JSON document -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonReader.h"

namespace convmlir {

using nlohmann::json;

/// Stands for everything below a place that failed.
static const json absent;

void JsonReader::fail(const std::string &message) const {
  if (failure->empty())
    *failure = path.empty() ? message : path + ": " + message;
}

void JsonReader::expected(const char *what) const {
  fail(std::string("expected ") + what + ", got " + value->type_name());
}

JsonReader JsonReader::operator[](const char *key) const {
  std::string place = path.empty() ? key : path + "." + key;
  const json *found = &absent;
  if (!value->is_object())
    expected("an object");
  else if (auto member = value->find(key); member != value->end())
    found = &*member;
  else
    fail(std::string("'") + key + "' is absent");
  return JsonReader(*found, std::move(place), *failure);
}

std::vector<JsonReader> JsonReader::elements() const {
  std::vector<JsonReader> readers;
  if (!value->is_array())
    expected("an array");
  else
    for (size_t i = 0; i < value->size(); ++i)
      readers.emplace_back((*value)[i], path + "[" + std::to_string(i) + "]",
                           *failure);
  return readers;
}

int64_t JsonReader::integer() const {
  // is_number_integer also holds for unsigned numbers beyond int64_t.
  if (!value->is_number_integer()) {
    expected("an integer");
    return 0;
  }
  if (value->is_number_unsigned() &&
      value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    fail("the integer does not fit in 64 bits");
    return 0;
  }
  return value->get<int64_t>();
}

double JsonReader::number() const {
  if (value->is_number())
    return value->get<double>();
  expected("a number");
  return 0;
}

bool JsonReader::boolean() const {
  if (value->is_boolean())
    return value->get<bool>();
  expected("true or false");
  return false;
}

std::string JsonReader::string() const {
  if (value->is_string())
    return value->get<std::string>();
  expected("a string");
  return {};
}

std::vector<int64_t> JsonReader::integers() const {
  std::vector<int64_t> values;
  for (const JsonReader &element : elements())
    values.push_back(element.integer());
  return values;
}

} // namespace convmlir
