//===- ReadRule.cpp - rules as the C API has them
//---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadRule.h"

#include <cstring>

using namespace convmlir;
using namespace convmlir::torch;

static Result<RuleResult> readResult(const StableAbi &,
                                     const convmlir_torch_result &result) {
  bool isInput = result.like >= 0 && result.like < kInputs;
  if (result.size < sizeof(result) || !isInput || result.slot < kInputs ||
      result.slot >= 2 * kInputs || result.rank < 0 || result.rank > kMaxRank)
    return Error{"results: expected slots from 3 to 5, like inputs 0 to 2, "
                 "of at most 5 dimensions"};
  return RuleResult{result.slot,
                    result.like,
                    {result.extents, result.extents + result.rank},
                    {result.strides, result.strides + result.rank}};
}

static Result<RuleStep> readStep(const StableAbi &,
                                 const convmlir_torch_step &step) {
  if (step.size < sizeof(step) || step.count < 1 || step.count > 2 * kInputs ||
      !step.program == !step.plan)
    return Error{"steps: expected a program or a plan, and 1 to 6 slots"};
  for (int32_t i = 0; i < step.count; ++i)
    if (step.slots[i] < 0 || step.slots[i] >= 2 * kInputs)
      return Error{"steps: expected slots from 0 to 5, got " +
                   std::to_string(step.slots[i])};
  return RuleStep{step.program,
                  step.plan,
                  {step.slots, step.slots + step.count},
                  step.workspace_bytes};
}

/// PyTorch's code of a name; an error where it is none of `codes`.
static Result<std::optional<int32_t>>
readCode(const char *name,
         std::initializer_list<std::pair<const char *, int32_t (*)()>> codes) {
  if (!name)
    return std::optional<int32_t>();
  std::string names;
  for (auto [known, code] : codes) {
    if (std::strcmp(name, known) == 0)
      return std::optional<int32_t>(code());
    names += std::string(names.empty() ? "" : ", ") + known;
  }
  return Error{"conversions: expected one of " + names + ", got '" + name +
               "'"};
}

static Result<RuleConversion>
readConversion(const StableAbi &abi,
               const convmlir_torch_conversion &conversion) {
  if (conversion.size < sizeof(conversion) || conversion.slot < 0 ||
      conversion.slot >= kInputs)
    return Error{"conversions: expected slots from 0 to 2"};
  Result<std::optional<int32_t>> dtype =
      readCode(conversion.dtype,
               {{"float32", abi.dtypeOfFloat}, {"float64", abi.dtypeOfDouble}});
  if (!dtype)
    return dtype.takeError();
  Result<std::optional<int32_t>> format =
      readCode(conversion.format, {{"contiguous", abi.contiguous},
                                   {"channels_last", abi.channelsLast},
                                   {"channels_last_1d", abi.channelsLast},
                                   {"channels_last_3d", abi.channelsLast3d}});
  if (!format)
    return format.takeError();
  bool isLine = conversion.format &&
                std::strcmp(conversion.format, "channels_last_1d") == 0;
  return RuleConversion{conversion.slot, *dtype, *format, isLine};
}

/// Reads each structure of a list.
template <typename From, typename To>
static Status readAll(const StableAbi &abi, const From *from, size_t count,
                      std::vector<To> &to,
                      Result<To> (*read)(const StableAbi &, const From &)) {
  for (size_t i = 0; i < count; ++i) {
    Result<To> one = read(abi, from[i]);
    if (!one)
      return one.takeError();
    to.push_back(std::move(*one));
  }
  return {};
}

Result<std::shared_ptr<Rule>>
convmlir::torch::readRule(const StableAbi &abi,
                          const convmlir_torch_rule &from) {
  if (from.size < sizeof(from))
    return Error{"rule: expected its size in the first member"};
  if ((!from.conversions && from.conversion_count) ||
      (!from.results && from.result_count) || (!from.steps && from.step_count))
    return Error{"rule: expected a pointer to each list, got NULL"};
  auto rule = std::make_shared<Rule>();
  if (Status status = readAll(abi, from.conversions, from.conversion_count,
                              rule->conversions, readConversion);
      !status)
    return status.takeError();
  if (Status status = readAll(abi, from.results, from.result_count,
                              rule->results, readResult);
      !status)
    return status.takeError();
  if (Status status =
          readAll(abi, from.steps, from.step_count, rule->steps, readStep);
      !status)
    return status.takeError();
  return rule;
}
