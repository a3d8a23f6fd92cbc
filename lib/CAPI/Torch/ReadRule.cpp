//===- ReadRule.cpp - rules as the C API has them -------------------------===//
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

namespace {
/// What rules are read for.
struct Reader {
  const StableAbi &abi;
  const Schema &schema;

  bool isInput(int32_t slot) const { return isBelow(slot, schema.inputs); }
  bool isSlot(int32_t slot) const { return isBelow(slot, schema.slots()); }

private:
  static bool isBelow(int32_t slot, size_t count) {
    return slot >= 0 && static_cast<size_t>(slot) < count;
  }
};
using Code = int32_t (*)();
} // namespace

/// PyTorch's code of a name; an error where it is none of `codes`.
static Result<std::optional<int32_t>>
readCode(const char *what, const char *name,
         std::initializer_list<std::pair<const char *, Code>> codes) {
  if (!name)
    return std::optional<int32_t>();
  std::string names;
  for (auto [known, code] : codes) {
    if (std::strcmp(name, known) == 0)
      return std::optional<int32_t>(code());
    names += std::string(names.empty() ? "" : ", ") + known;
  }
  return Error{std::string(what) + ": expected one of " + names + ", got '" +
               name + "'"};
}

static Result<std::optional<int32_t>>
readType(const StableAbi &abi, const char *what, const char *name) {
  return readCode(what, name,
                  {{"float16", abi.dtypeOfHalf},
                   {"bfloat16", abi.dtypeOfBFloat},
                   {"float32", abi.dtypeOfFloat},
                   {"float64", abi.dtypeOfDouble},
                   {"float8_e4m3fn", abi.dtypeOfE4M3},
                   {"float8_e5m2", abi.dtypeOfE5M2}});
}

static std::string range(size_t first, size_t end) {
  return std::to_string(first) + " to " + std::to_string(end - 1);
}

static Result<RuleResult> readResult(const Reader &reader,
                                     const convmlir_torch_result &result) {
  const Schema &schema = reader.schema;
  bool isResult = reader.isSlot(result.slot) && !reader.isInput(result.slot);
  if (result.size < sizeof(result) || !isResult ||
      !reader.isInput(result.like) || result.rank < 0 || result.rank > kMaxRank)
    return Error{"results: expected slots from " +
                 range(schema.inputs, schema.slots()) + ", like inputs " +
                 range(0, schema.inputs) + ", of at most 5 dimensions"};
  Result<std::optional<int32_t>> dtype =
      readType(reader.abi, "results", result.dtype);
  if (!dtype)
    return dtype.takeError();
  return RuleResult{result.slot,
                    result.like,
                    {result.extents, result.extents + result.rank},
                    {result.strides, result.strides + result.rank},
                    *dtype};
}

static Result<RuleStep> readStep(const Reader &reader,
                                 const convmlir_torch_step &step) {
  size_t slots = reader.schema.slots();
  if (step.size < sizeof(step) || step.count < 1 ||
      static_cast<size_t>(step.count) > slots || !step.program == !step.plan)
    return Error{"steps: expected a program or a plan, and " +
                 range(1, slots + 1) + " slots"};
  for (int32_t i = 0; i < step.count; ++i)
    if (!reader.isSlot(step.slots[i]))
      return Error{"steps: expected slots from " + range(0, slots) + ", got " +
                   std::to_string(step.slots[i])};
  return RuleStep{step.program,
                  step.plan,
                  {step.slots, step.slots + step.count},
                  step.workspace_bytes};
}

/// A conversion by a plan.
static Result<std::optional<RuleCopy>>
readCopy(const convmlir_torch_conversion &conversion) {
  if (!conversion.program && !conversion.plan)
    return std::optional<RuleCopy>();
  if ((conversion.program && conversion.plan) || conversion.dtype ||
      conversion.extent || !conversion.extents || !conversion.strides ||
      conversion.rank < 1 || conversion.rank > kMaxRank)
    return Error{"conversions: expected a program or a plan, a copy of 1 to 5 "
                 "dimensions, no dtype and no extent"};
  RuleResult copy{
      conversion.slot,
      conversion.slot,
      {conversion.extents, conversion.extents + conversion.rank},
      {conversion.strides, conversion.strides + conversion.rank}};
  return std::optional<RuleCopy>(
      RuleCopy{std::move(copy), conversion.program, conversion.plan});
}

static Result<RuleConversion>
readConversion(const Reader &reader,
               const convmlir_torch_conversion &conversion) {
  const StableAbi &abi = reader.abi;
  if (conversion.size < sizeof(conversion) ||
      !reader.isInput(conversion.slot) || conversion.extent < 0)
    return Error{"conversions: expected slots from " +
                 range(0, reader.schema.inputs) +
                 ", and no extent or a positive one"};
  Result<std::optional<int32_t>> dtype =
      readType(abi, "conversions", conversion.dtype);
  if (!dtype)
    return dtype.takeError();
  Result<std::optional<int32_t>> format =
      readCode("conversions", conversion.format,
               {{"contiguous", abi.contiguous},
                {"channels_last", abi.channelsLast},
                {"channels_last_1d", abi.channelsLast},
                {"channels_last_3d", abi.channelsLast3d}});
  if (!format)
    return format.takeError();
  bool isLine = conversion.format &&
                std::strcmp(conversion.format, "channels_last_1d") == 0;
  std::optional<int64_t> extent;
  if (conversion.extent > 0)
    extent = conversion.extent;
  Result<std::optional<RuleCopy>> byPlan = readCopy(conversion);
  if (!byPlan)
    return byPlan.takeError();
  return RuleConversion{conversion.slot, *dtype, *format,
                        isLine,          extent, std::move(*byPlan)};
}

/// Reads each structure of a list.
template <typename From, typename To>
static Status readAll(const Reader &reader, const From *from, size_t count,
                      std::vector<To> &to,
                      Result<To> (*read)(const Reader &, const From &)) {
  for (size_t i = 0; i < count; ++i) {
    Result<To> one = read(reader, from[i]);
    if (!one)
      return one.takeError();
    to.push_back(std::move(*one));
  }
  return {};
}

Result<std::shared_ptr<Rule>>
convmlir::torch::readRule(const StableAbi &abi, const Schema &schema,
                          const convmlir_torch_rule &from) {
  if (from.size < sizeof(from))
    return Error{"rule: expected its size in the first member"};
  if ((!from.conversions && from.conversion_count) ||
      (!from.results && from.result_count) || (!from.steps && from.step_count))
    return Error{"rule: expected a pointer to each list, got NULL"};
  Reader reader{abi, schema};
  auto rule = std::make_shared<Rule>();
  if (Status status = readAll(reader, from.conversions, from.conversion_count,
                              rule->conversions, readConversion);
      !status)
    return status.takeError();
  if (Status status = readAll(reader, from.results, from.result_count,
                              rule->results, readResult);
      !status)
    return status.takeError();
  if (Status status =
          readAll(reader, from.steps, from.step_count, rule->steps, readStep);
      !status)
    return status.takeError();
  return rule;
}
