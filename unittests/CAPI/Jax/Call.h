//===- Call.h - calls as XLA makes them -------------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call frame of float buffers, with an API that keeps the last error.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_CAPI_JAX_CALL_H
#define CONV_UNITTESTS_CAPI_JAX_CALL_H

#include "Ffi.h"
#include "conv-c/Jax.h"

#include "gtest/gtest.h"

#include <deque>
#include <string>
#include <vector>

namespace convmlir::test {

class Call {
public:
  Call(std::string plan, jax::Stage stage) : plan(std::move(plan)) {
    api.size = sizeof api;
    api.createError = [](jax::ErrorRequest *request) {
      lastError() = request->message;
      lastCode() = request->code;
      return reinterpret_cast<jax::FfiError *>(&lastError());
    };
    api.getDevice = [](jax::DeviceRequest *request) -> jax::FfiError * {
      request->device = 0;
      return nullptr;
    };
    api.getStream = [](jax::StreamRequest *request) -> jax::FfiError * {
      request->stream = nullptr;
      return nullptr;
    };
    frame.size = sizeof frame;
    frame.api = &api;
    frame.stage = stage;
  }

  void add(jax::DataType type, void *data, std::vector<int64_t> &shape) {
    buffers.push_back({sizeof(jax::Buffer), nullptr, type, data,
                       static_cast<int64_t>(shape.size()), shape.data()});
    pointers.push_back(&buffers.back());
  }
  void addBytes(void *data, int64_t bytes) {
    shapes.push_back({bytes});
    constexpr auto unsignedBytes = static_cast<jax::DataType>(6);
    add(unsignedBytes, data, shapes.back());
  }

  /// The message of the error; empty where the call succeeded. The buffers from
  /// `results` on are results.
  std::string run(void *(*handler)(void *), size_t results) {
    name = {"plan", 4};
    value = {plan.data(), plan.size()};
    frame.attributes = {
        sizeof frame.attributes, nullptr, 1, &kind, &names, &values};
    frame.arguments = {sizeof frame.arguments, nullptr,
                       static_cast<int64_t>(results), nullptr, pointers.data()};
    frame.results = {sizeof frame.results, nullptr,
                     static_cast<int64_t>(pointers.size() - results), nullptr,
                     pointers.data() + results};
    lastError().clear();
    bool failed = handler(&frame) != nullptr;
    EXPECT_EQ(failed, !lastError().empty());
    return lastError();
  }

  static jax::ErrorCode &lastCode() {
    static jax::ErrorCode code;
    return code;
  }

private:
  static std::string &lastError() {
    static std::string error;
    return error;
  }

  std::string plan;
  jax::Api api{};
  jax::CallFrame frame{};
  std::deque<std::vector<int64_t>> shapes;
  std::deque<jax::Buffer> buffers;
  std::vector<jax::Buffer *> pointers;
  jax::AttributeKind kind = jax::AttributeKind::String;
  jax::Span name{}, value{};
  jax::Span *names = &name;
  void *values = &value;
};

} // namespace convmlir::test

#endif // CONV_UNITTESTS_CAPI_JAX_CALL_H
