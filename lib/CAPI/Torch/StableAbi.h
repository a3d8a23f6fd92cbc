//===- StableAbi.h - functions of PyTorch, by name --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernels need of PyTorch, looked up in its loaded libraries:
//
// - The stable C ABI (torch/csrc/stable/c/shim.h, from PyTorch 2.10 on).
// - PyTorch's own kernels of the two operators and its flags, which are no part
//   of it. They are found by their mangled names, so a function is there only
//   if it has these parameters. Calling the kernels costs nothing, and their
//   errors stay as they are, types of exceptions included; the C ABI gives
//   neither.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_STABLEABI_H
#define CONV_LIB_CAPI_TORCH_STABLEABI_H

#include "conv/Support/Result.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace convmlir::torch {

/// A value of the stack of a boxed kernel: a number, a handle, or the address
/// of such a value on the heap for what is optional.
using Value = uint64_t;

/// As an optional value: PyTorch frees it.
inline Value makeOptional(Value value) {
  return std::bit_cast<Value>(new Value(value));
}

struct TensorOpaque;
struct ListOpaque;
struct TextOpaque;
struct LibraryOpaque;
using TensorHandle = TensorOpaque *; ///< The address of an at::Tensor.
using ListHandle = ListOpaque *;
using TextHandle = TextOpaque *;
using LibraryHandle = LibraryOpaque *;
using BoxedKernel = void (*)(Value *stack, uint64_t inputs, uint64_t outputs);

/// The version of the C ABI that is asked for: that of PyTorch 2.10.
inline constexpr uint64_t kAbiVersion = (2ull << 56) | (10ull << 48);

/// An at::Tensor: one address, and a destructor that makes it travel in memory.
/// Owns nothing.
struct TensorMirror {
  void *impl = nullptr;
  ~TensorMirror() {}
};

/// A c10::ArrayRef<int64_t>.
struct ArrayMirror {
  const int64_t *data = nullptr;
  size_t size = 0;
};

/// A c10::OptionalArrayRef<int64_t>.
struct OptionalArrayMirror {
  std::optional<ArrayMirror> array;
};

using OptionalTensorMirror = std::optional<TensorMirror>;
using TensorsMirror = std::tuple<TensorMirror, TensorMirror, TensorMirror>;

// at::Float32Backend and at::Float32Op.
enum class FloatBackend : int32_t { Generic, Cuda, Mkldnn };
enum class FloatOp : int32_t { All, Conv };

/// Functions return 0 where they succeeded.
struct StableAbi {
  int32_t (*getDim)(TensorHandle, int64_t *);
  int32_t (*getSizes)(TensorHandle, int64_t **);
  int32_t (*getStrides)(TensorHandle, int64_t **);
  int32_t (*getDtype)(TensorHandle, int32_t *);
  int32_t (*getDeviceType)(TensorHandle, int32_t *);
  int32_t (*getDeviceIndex)(TensorHandle, int32_t *);
  int32_t (*getDataPointer)(TensorHandle, void **);
  int32_t (*isDefined)(TensorHandle, bool *);
  int32_t (*emptyStrided)(int64_t rank, const int64_t *sizes,
                          const int64_t *strides, int32_t dtype,
                          int32_t deviceType, int32_t deviceIndex,
                          TensorHandle *);
  int32_t (*newHandle)(TensorHandle, TensorHandle *);
  int32_t (*newUndefined)(TensorHandle *);
  int32_t (*deleteTensor)(TensorHandle);
  int32_t (*dtypeOfBytes)();
  int32_t (*dtypeOfHalf)();
  int32_t (*dtypeOfBFloat)();
  int32_t (*dtypeOfFloat)();
  int32_t (*dtypeOfDouble)();
  int32_t (*dtypeOfE4M3)();
  int32_t (*dtypeOfE5M2)();
  int32_t (*contiguous)();
  int32_t (*channelsLast)();
  int32_t (*channelsLast3d)();
  int32_t (*cpuType)();
  int32_t (*newList)(size_t, ListHandle *);
  int32_t (*listSize)(ListHandle, size_t *);
  int32_t (*listItem)(ListHandle, size_t, Value *);
  int32_t (*pushBack)(ListHandle, Value);
  int32_t (*deleteList)(ListHandle);
  int32_t (*newText)(const char *, size_t, TextHandle *);
  int32_t (*textLength)(TextHandle, size_t *);
  int32_t (*textData)(TextHandle, const char **);
  int32_t (*deleteText)(TextHandle);
  int32_t (*callDispatcher)(const char *name, const char *overload,
                            Value *stack, uint64_t version);
  int32_t (*newLibrary)(const char *space, const char *key, const char *file,
                        uint32_t line, LibraryHandle *);
  int32_t (*addKernel)(LibraryHandle, const char *name, BoxedKernel,
                       uint64_t version);
  int32_t (*deleteLibrary)(LibraryHandle);
  int32_t (*currentStream)(int32_t device, void **); ///< Null without CUDA.

  TensorMirror (*convolution)(const TensorMirror &input,
                              const TensorMirror &weight,
                              const OptionalTensorMirror &bias,
                              ArrayMirror stride, ArrayMirror padding,
                              ArrayMirror dilation, bool transposed,
                              ArrayMirror outputPadding, int64_t groups);
  TensorsMirror (*convolutionBackward)(
      const TensorMirror &gradient, const TensorMirror &input,
      const TensorMirror &weight, OptionalArrayMirror biasSizes,
      ArrayMirror stride, ArrayMirror padding, ArrayMirror dilation,
      bool transposed, ArrayMirror outputPadding, int64_t groups,
      std::array<bool, 3> mask);

  const void *(*globalContext)();
  int32_t (*floatPrecision)(const void *context, FloatBackend, FloatOp);
  bool (*usesCudnn)(const void *context);
  bool (*usesMkldnn)(const void *context);
  /// Throws the exception that PyTorch shows as a RuntimeError.
  void (*raise)(const char *function, const char *file, uint32_t line,
                const char *message);

  /// The error names what is not there. `cuda` is empty without CUDA.
  static Result<StableAbi> load(const std::string &cpu,
                                const std::string &cuda);
};

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_STABLEABI_H
