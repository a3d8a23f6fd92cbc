//===- Schema.cpp - the operators that have rules -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride,
//             SymInt[] padding, SymInt[] dilation, bool transposed,
//             SymInt[] output_padding, SymInt groups) -> Tensor
// convolution_backward(Tensor grad_output, Tensor input, Tensor weight,
//             SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding,
//             SymInt[] dilation, bool transposed, SymInt[] output_padding,
//             SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)
//
// Ours, as python/conv_mlir/torch/_ops.py defines them:
//
// conv(Tensor x, Tensor w, Tensor? bias, Tensor? scale, Tensor? residual,
//      str activation, PLACES) -> Tensor
// conv_dgrad(Tensor dy, Tensor w, Tensor? act, Tensor? scale,
//      SymInt[] input_size, str activation, PLACES) -> Tensor
// conv_wgrad(Tensor x, Tensor dy, Tensor? scale, SymInt[] filter_size,
//      bool bias, PLACES) -> (Tensor, Tensor)
// PLACES: SymInt[] stride, SymInt[] padding, SymInt[] dilation, SymInt groups,
//      ScalarType? out_dtype
//
// The same in conv_mlir_kernels, which Python calls in less time:
//
// conv(Tensor x, Tensor w, Tensor? bias, Tensor? scale, Tensor? residual,
//      str rest) -> Tensor
// conv_dgrad(Tensor dy, Tensor w, Tensor? act, Tensor? scale,
//      SymInt[]? input_size, str rest) -> Tensor
// conv_wgrad(Tensor x, Tensor dy, Tensor? scale, SymInt[]? filter_size,
//      str rest) -> (Tensor, Tensor)
//
//===----------------------------------------------------------------------===//

#include "Schema.h"

#include <algorithm>
#include <array>

using namespace convmlir::torch;

using enum Argument;

static constexpr Argument convolution[] = {Tensor,   Tensor,   OptionalTensor,
                                           Integers, Integers, Integers,
                                           Flag,     Integers, Integer};
static constexpr Argument backward[] = {
    Tensor,   Tensor, Tensor,   OptionalIntegers, Integers, Integers,
    Integers, Flag,   Integers, Integer,          Integers};
static constexpr Argument conv[] = {
    Tensor,   Tensor,   OptionalTensor, OptionalTensor, OptionalTensor, Text,
    Integers, Integers, Integers,       Integer,        OptionalType};
static constexpr Argument dgrad[] = {
    Tensor,   Tensor,   OptionalTensor, OptionalTensor, Integers,    Text,
    Integers, Integers, Integers,       Integer,        OptionalType};
static constexpr Argument wgrad[] = {
    Tensor,   Tensor,   OptionalTensor, Integers, Flag,
    Integers, Integers, Integers,       Integer,  OptionalType};

static constexpr Argument briefConv[] = {
    Tensor, Tensor, OptionalTensor, OptionalTensor, OptionalTensor, Text};
static constexpr Argument briefDgrad[] = {
    Tensor, Tensor, OptionalTensor, OptionalTensor, OptionalIntegers, Text};
static constexpr Argument briefWgrad[] = {Tensor, Tensor, OptionalTensor,
                                          OptionalIntegers, Text};

/// In the order of Operator.
static constexpr std::array<Schema, 8> schemas = {
    {{"convolution", "convolution", convolution, 3, 1},
     {"convolution_backward", "convolution_backward", backward, 3, 3},
     {"conv", "conv", conv, 5, 1},
     {"conv_dgrad", "conv_dgrad", dgrad, 4, 1},
     {"conv_wgrad", "conv_wgrad", wgrad, 3, 2},
     {"conv", "brief_conv", briefConv, 5, 1},
     {"conv_dgrad", "brief_conv_dgrad", briefDgrad, 4, 1},
     {"conv_wgrad", "brief_conv_wgrad", briefWgrad, 3, 2}}};

static constexpr bool fits(const Schema &schema) {
  auto count = [&](Argument one, Argument other) {
    return static_cast<size_t>(
        std::ranges::count_if(schema.arguments, [&](Argument kind) {
          return kind == one || kind == other;
        }));
  };
  return schema.arguments.size() <= kMaxArguments &&
         count(Tensor, OptionalTensor) == schema.inputs &&
         schema.inputs <= kMaxInputs &&
         count(Integers, OptionalIntegers) <= kMaxLists &&
         schema.inputs + schema.results <= kMaxSlots;
}
static_assert(std::ranges::all_of(schemas, fits));

const Schema &convmlir::torch::getSchema(Operator op) {
  return schemas[static_cast<size_t>(op)];
}

std::optional<Operator>
convmlir::torch::findOperator(std::span<const int64_t> words) {
  if (words.empty() || words[0] < 0 ||
      words[0] >= static_cast<int64_t>(schemas.size()))
    return std::nullopt;
  return static_cast<Operator>(words[0]);
}

bool convmlir::torch::isOurs(Operator op) {
  return op != Operator::Convolution && op != Operator::Backward;
}
