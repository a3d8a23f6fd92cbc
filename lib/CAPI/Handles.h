//===- Handles.h - what the C API's functions share -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles, and the border between Result and status:
// every function of the API runs its body in guarded().
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_HANDLES_H
#define CONV_LIB_CAPI_HANDLES_H

#include "conv-c/Support.h"
#include "conv/Runtime/CudaProgram.h"
#include "conv/Runtime/Plan.h"
#include "conv/Support/Result.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

struct convmlir_plan {
  std::shared_ptr<const convmlir::Plan> plan; ///< Shared with its programs.
  std::vector<int64_t> operands;              ///< Indices of buffers.
  std::string remarks;                        ///< A line each.
};

struct convmlir_program {
  std::unique_ptr<convmlir::CudaProgram> program;
  std::string remark; ///< What it is not the best for; or empty.
};

namespace convmlir::capi {

/// Keeps the message for convmlir_last_error().
convmlir_status fail(convmlir_status status, const std::string &message);

/// While one lives, this thread computes as the compiler and the emulator
/// expect: rounding to nearest, denormal numbers as they are, no traps. Then
/// the caller's mode and flags are back.
class UsualFloats {
public:
  UsualFloats() {
    std::fegetenv(&callers);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualFloats() { std::fesetenv(&callers); }
  UsualFloats(const UsualFloats &) = delete;
  UsualFloats &operator=(const UsualFloats &) = delete;

private:
  std::fenv_t callers;
};

/// Runs the body of a function of the API.
template <typename Body> convmlir_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::exception &error) {
    return fail(CONVMLIR_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(CONVMLIR_INTERNAL_ERROR, "an unknown exception");
  }
}

/// The same of a function that computes with floating-point numbers.
template <typename Body> convmlir_status guardedWithFloats(Body body) noexcept {
  UsualFloats floats;
  return guarded(body);
}

inline convmlir_status badInput(const std::string &message) {
  return fail(CONVMLIR_BAD_INPUT, message);
}
inline convmlir_status deviceFailed(const std::string &message) {
  return fail(CONVMLIR_DEVICE_FAILED, message);
}
inline convmlir_status missing(const char *parameter) {
  return badInput(std::string(parameter) + ": expected a pointer, got NULL");
}

/// What is wrong with the size that a caller gives a structure; empty: nothing.
/// Structures of all versions have a multiple of their alignment, so that no
/// size ends within a member of one number or pointer.
template <typename T> std::string whyWrongSize(const T &structure) {
  static_assert(alignof(T) == sizeof(void *));
  constexpr size_t most = 1 << 16; // A size that nobody set.
  size_t size = structure.size;
  if (size >= sizeof(size_t) && size <= most && size % alignof(T) == 0)
    return "";
  return "expected its size in the first member, got " + std::to_string(size);
}

/// Copies as much of `value` as the caller's structure has room for, or fails
/// where there is none.
template <typename T>
convmlir_status fill(T *structure, T value, const char *parameter) {
  if (!structure)
    return missing(parameter);
  if (std::string why = whyWrongSize(*structure); !why.empty())
    return badInput(std::string(parameter) + ": " + why);
  value.size = structure->size;
  std::memcpy(structure, &value, std::min(structure->size, sizeof(T)));
  return CONVMLIR_OK;
}

inline std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "\n") + line;
  return text;
}

/// Hands a plan to the caller.
inline convmlir_status give(Result<Plan> plan, convmlir_plan **to) {
  if (!plan)
    return badInput(plan.error());
  auto shared = std::make_shared<const Plan>(std::move(*plan));
  *to = new convmlir_plan{shared, operandsOf(*shared),
                          joinLines(shared->remarks)};
  return CONVMLIR_OK;
}

inline std::string orEmpty(const char *text) { return text ? text : ""; }

} // namespace convmlir::capi

#endif // CONV_LIB_CAPI_HANDLES_H
