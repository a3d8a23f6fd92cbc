//===- ProblemParser.cpp - the text form of a problem ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: "KIND key=value ...", or a line of MIOpenDriver (DriverLine.h). Output:
// a problem that passed check(), or one message with the key, its value and what
// was expected. The grammar is in docs/Problem.md.
//
//===----------------------------------------------------------------------===//

#include "DriverLine.h"
#include "Names.h"
#include "Words.h"
#include "conv/Problem/Problem.h"

#include <map>
#include <optional>

using namespace convmlir;

namespace {
/// Keys and values as they were written.
using Entries = std::map<std::string, std::string, std::less<>>;

/// The numbers of one spatial dimension of `pad`.
struct LowHigh {
  int64_t low, high;
};
} // namespace

static const std::vector<std::string> &knownKeys() {
  static const std::vector<std::string> keys{"n",
                                             "c",
                                             "d",
                                             "h",
                                             "w",
                                             "k",
                                             "t",
                                             "r",
                                             "s",
                                             "stride",
                                             "pad",
                                             "dilation",
                                             "input-dilation",
                                             "groups",
                                             "type",
                                             "second-type",
                                             "out-type",
                                             "layout",
                                             "epilogue",
                                             "bias-type",
                                             "accumulate",
                                             "flip"};
  return keys;
}

static Error invalid(std::string_view key, std::string_view value,
                     const std::string &expected) {
  return Error{std::string(key) + "=" + std::string(value) + ": expected " +
               expected};
}

static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != std::string_view::npos;
       text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

static Result<ConvKind> parseKind(std::string_view word) {
  for (ConvKind kind : {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad})
    if (word == toString(kind))
      return kind;
  return Error{"'" + std::string(word) +
               "': expected forward, dgrad or wgrad as the first word"};
}

static Result<Entries> parseEntries(const std::vector<std::string_view> &list) {
  Entries entries;
  for (std::string_view word : list) {
    size_t equals = word.find('=');
    if (equals == word.npos)
      return Error{"'" + std::string(word) + "': expected key=value"};
    std::string key(word.substr(0, equals)), value(word.substr(equals + 1));
    if (!contains(knownKeys(), key))
      return Error{std::string(word) + ": unknown key '" + key +
                   "', expected one of " + join(knownKeys())};
    if (!entries.try_emplace(key, value).second)
      return Error{std::string(word) + ": '" + key +
                   "' is given twice, first as " + entries[key]};
  }
  return entries;
}

/// One integer, `fallback` where the key is absent.
static Status readNumber(const Entries &entries, std::string_view key,
                         int64_t &value) {
  auto entry = entries.find(key);
  if (entry == entries.end())
    return {};
  std::optional<int64_t> number = parseNumber(entry->second);
  if (!number)
    return invalid(key, entry->second, "a whole number below 2^63");
  value = *number;
  return {};
}

/// The spatial rank by the outermost extent that is given.
static Result<int> inferRank(const Entries &entries) {
  auto has = [&](char key) { return entries.contains(std::string(1, key)); };
  int rank = has('d') || has('t') ? 3 : has('h') || has('r') ? 2 : 1;
  std::string needed = "ck";
  needed += std::string("dhw").substr(3 - rank);
  needed += std::string("trs").substr(3 - rank);
  for (char key : needed)
    if (!has(key))
      return Error{std::string(1, key) + ": missing; a " +
                   std::to_string(rank) + "-D problem needs c, k, " +
                   (rank == 1   ? "w, s"
                    : rank == 2 ? "h, w, r, s"
                                : "d, h, w, t, r, s") +
                   " (2-D has h and r, 3-D also d and t)"};
  return rank;
}

static Status readExtents(const Entries &entries, ConvGeometry &g) {
  struct Field {
    std::string key;
    int64_t &value;
  };
  std::vector<Field> fields{
      {"n", g.n}, {"c", g.c}, {"k", g.k}, {"groups", g.groups}};
  for (int d = 0; d < g.spatialRank; ++d) {
    fields.push_back(
        {std::string(1, "dhw"[d + 3 - g.spatialRank]), g.input[d]});
    fields.push_back(
        {std::string(1, "trs"[d + 3 - g.spatialRank]), g.filter[d]});
  }
  for (Field &field : fields)
    if (Status status = readNumber(entries, field.key, field.value); !status)
      return status;
  return {};
}

/// "2" or "2:3"; the latter only where `pairs` allows it.
static std::optional<LowHigh> parseLowHigh(std::string_view text, bool pairs) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > (pairs ? 2u : 1u))
    return std::nullopt;
  std::optional<int64_t> low = parseNumber(parts.front());
  std::optional<int64_t> high = parseNumber(parts.back());
  if (!low || !high)
    return std::nullopt;
  return LowHigh{*low, *high};
}

/// A list "axb" with one entry, which then stands for all, or one per spatial
/// dimension. Nothing is written where the key is absent.
static Status readPerDim(const Entries &entries, std::string_view key, int rank,
                         bool pairs, Spatial &low, Spatial &high) {
  auto entry = entries.find(key);
  if (entry == entries.end())
    return {};
  std::string expected =
      rank == 1 ? "1 number"
                : "1 or " + std::to_string(rank) + " numbers separated by 'x'";
  if (pairs)
    expected += ", each 'both' or 'low:high'";
  std::vector<std::string_view> parts = split(entry->second, 'x');
  if (parts.size() != 1 && parts.size() != static_cast<size_t>(rank))
    return invalid(key, entry->second,
                   expected + ", got " + std::to_string(parts.size()));
  for (int d = 0; d < rank; ++d) {
    std::string_view part = parts.size() == 1 ? parts[0] : parts[d];
    std::optional<LowHigh> numbers = parseLowHigh(part, pairs);
    if (!numbers)
      return invalid(key, entry->second,
                     expected + ", got '" + std::string(part) + "'");
    low[d] = numbers->low;
    high[d] = numbers->high;
  }
  return {};
}

static Status readWindow(const Entries &entries, ConvGeometry &g) {
  if (Status status = readPerDim(entries, "pad", g.spatialRank, /*pairs=*/true,
                                 g.padLow, g.padHigh);
      !status)
    return status;
  struct Field {
    const char *key;
    Spatial &values;
  };
  for (Field field : {Field{"stride", g.stride}, Field{"dilation", g.dilation},
                      Field{"input-dilation", g.inputDilation}})
    if (Status status = readPerDim(entries, field.key, g.spatialRank,
                                   /*pairs=*/false, field.values, field.values);
        !status)
      return status;
  return {};
}

/// Types are names here; Problem::check() judges them.
static void readTypes(const Entries &entries, Problem &problem) {
  if (auto entry = entries.find("type"); entry != entries.end())
    problem.type = entry->second;
  std::vector<std::string> results = resultTypes(problem.type);
  problem.outType = results.empty() ? problem.type : results.front();
  if (auto entry = entries.find("out-type"); entry != entries.end())
    problem.outType = entry->second;
}

/// Of an input whose type was read. The default is kept as none.
static Status readSecondType(const Entries &entries, Problem &problem) {
  auto entry = entries.find("second-type");
  if (entry == entries.end() || entry->second == problem.type)
    return {};
  if (entry->second.empty())
    return invalid("second-type", "", "a type, such as e5m2");
  problem.secondType = entry->second;
  return {};
}

static Status readLayout(const Entries &entries, TensorLayout &layout) {
  auto entry = entries.find("layout");
  if (entry == entries.end())
    return {};
  for (TensorLayout candidate : {TensorLayout::NHWC, TensorLayout::NCHW})
    if (entry->second == toString(candidate)) {
      layout = candidate;
      return {};
    }
  return invalid("layout", entry->second, "nhwc or nchw");
}

static Status readFlag(const Entries &entries, std::string_view key,
                       bool &flag) {
  auto entry = entries.find(key);
  if (entry == entries.end())
    return {};
  flag = entry->second == "true";
  if (flag || entry->second == "false")
    return {};
  return invalid(key, entry->second, "true or false");
}

static Status readEpilogue(const Entries &entries, Epilogue &epilogue) {
  auto entry = entries.find("epilogue");
  if (entry == entries.end())
    return {};
  Result<Epilogue> parsed = parseEpilogue(entry->second);
  if (!parsed)
    return invalid("epilogue", entry->second, parsed.error());
  epilogue = *parsed;
  return {};
}

/// Of an epilogue that was read. The default is kept as none.
static Status readBiasType(const Entries &entries, Problem &problem) {
  auto entry = entries.find("bias-type");
  if (entry == entries.end() || entry->second == problem.channelType())
    return {};
  if (entry->second.empty())
    return invalid("bias-type", "", "a type, such as bf16");
  problem.biasType = entry->second;
  return {};
}

Result<Problem> convmlir::parseProblem(std::string_view text) {
  std::vector<std::string_view> list = words(text);
  if (list.empty())
    return Error{"the problem is empty: expected forward, dgrad or wgrad and "
                 "key=value pairs"};
  if (isDriverLine(list))
    return parseDriverLine(list);
  Result<ConvKind> kind = parseKind(list.front());
  if (!kind)
    return kind.takeError();
  list.erase(list.begin());
  Result<Entries> entries = parseEntries(list);
  if (!entries)
    return entries.takeError();
  Result<int> rank = inferRank(*entries);
  if (!rank)
    return rank.takeError();

  Problem problem;
  problem.kind = *kind;
  problem.geometry.spatialRank = *rank;
  readTypes(*entries, problem);
  for (Status status :
       {readExtents(*entries, problem.geometry),
        readWindow(*entries, problem.geometry),
        readSecondType(*entries, problem), readLayout(*entries, problem.layout),
        readEpilogue(*entries, problem.epilogue),
        readBiasType(*entries, problem),
        readFlag(*entries, "accumulate", problem.accumulate),
        readFlag(*entries, "flip", problem.geometry.flip), problem.check()})
    if (!status)
      return status.takeError();
  return problem;
}
