//===- Schema.h - the operators that have rules -----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's two convolutions and our three operators: what is on the stack of
// their boxed kernels. Calls, signatures and rules know operators by this
// alone.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_TORCH_SCHEMA_H
#define CONV_LIB_CAPI_TORCH_SCHEMA_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace convmlir::torch {

/// The first word of a signature. Brief ones have one text behind their
/// tensors.
enum class Operator : int64_t {
  Convolution,
  Backward,
  Conv,
  Dgrad,
  Wgrad,
  BriefConv,
  BriefDgrad,
  BriefWgrad
};

/// How an argument lies on a stack.
enum class Argument : uint8_t {
  Tensor,
  OptionalTensor,
  Integers, ///< Or flags.
  OptionalIntegers,
  Integer,
  Flag,
  Text,
  OptionalType ///< PyTorch's code of a type of elements.
};

inline constexpr int kMaxRank = 5; ///< N, C and three spatial dimensions.

// The most that an operator has.
inline constexpr size_t kMaxArguments = 11;
inline constexpr size_t kMaxInputs = 5;
inline constexpr size_t kMaxLists = 6;
inline constexpr size_t kMaxSlots = 6; ///< Inputs and results.

struct Schema {
  const char *name; ///< Without its namespace.
  const char *asks; ///< The end of the name of the host's operator.
  std::span<const Argument> arguments;
  size_t inputs;  ///< Tensors among the arguments: the slots from 0 on.
  size_t results; ///< Tensors: the slots behind those of the inputs.

  size_t slots() const { return inputs + results; }
};

const Schema &getSchema(Operator op);

/// The operator of a signature; nothing where there is none of that number.
std::optional<Operator> findOperator(std::span<const int64_t> words);

/// One of conv_mlir's, and not PyTorch's.
bool isOurs(Operator op);

} // namespace convmlir::torch

#endif // CONV_LIB_CAPI_TORCH_SCHEMA_H
