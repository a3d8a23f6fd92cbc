//===- DriverLine.cpp - convolutions as MIOpenDriver has them -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the words of a line. Output: the problem. Flags, their defaults and
// their meanings are those of MIOpen's driver (its --help, and the documents of
// MIOpen); docs/Problem.md has the table. What says how the driver runs (-t,
// -V) is left out. What would be another convolution is an error.
//
//===----------------------------------------------------------------------===//

#include "DriverLine.h"
#include "Names.h"
#include "Words.h"

#include <algorithm>
#include <map>

using namespace convmlir;

namespace {
enum class Use {
  Number,
  Text,
  Run,  ///< How the driver runs; left out.
  Data, ///< Files of data.
};

struct Flag {
  char letter;
  std::string_view name;
  Use use;
};

/// A flag as it was written, and its value.
struct Given {
  std::string flag, value;
};

/// The values of a line by the letters of their flags.
class Values {
public:
  Status read(const std::vector<std::string_view> &words);

  const Given *find(char letter) const {
    auto found = given.find(letter);
    return found == given.end() ? nullptr : &found->second;
  }
  std::string text(char letter, std::string fallback) const {
    const Given *found = find(letter);
    return found ? found->value : fallback;
  }
  /// A number that is read already.
  int64_t number(char letter, int64_t fallback) const {
    const Given *found = find(letter);
    return found ? *parseNumber(found->value) : fallback;
  }
  /// An error for the value of a flag.
  Error invalid(char letter, const std::string &why) const {
    const Given *found = find(letter);
    std::string flag = found ? found->flag : std::string("-") + letter;
    return Error{flag + (found ? " " + found->value : "") + ": " + why};
  }

private:
  Status add(const Flag &flag, const std::string &spelled,
             const std::string &value);

  std::map<char, Given> given;
};
} // namespace

static constexpr Flag flags[] = {
    {'n', "batchsize", Use::Number},
    {'c', "in_channels", Use::Number},
    {'!', "in_d", Use::Number},
    {'H', "in_h", Use::Number},
    {'W', "in_w", Use::Number},
    {'k', "out_channels", Use::Number},
    {'@', "fil_d", Use::Number},
    {'y', "fil_h", Use::Number},
    {'x', "fil_w", Use::Number},
    {'#', "conv_stride_d", Use::Number},
    {'u', "conv_stride_h", Use::Number},
    {'v', "conv_stride_w", Use::Number},
    {'$', "pad_d", Use::Number},
    {'p', "pad_h", Use::Number},
    {'q', "pad_w", Use::Number},
    {'r', "pad_val", Use::Number},
    {'%', "trans_output_pad_d", Use::Number},
    {'Y', "trans_output_pad_h", Use::Number},
    {'X', "trans_output_pad_w", Use::Number},
    {'^', "dilation_d", Use::Number},
    {'l', "dilation_h", Use::Number},
    {'j', "dilation_w", Use::Number},
    {'g', "group_count", Use::Number},
    {'_', "spatial_dim", Use::Number},
    {'F', "forw", Use::Number},
    {'b', "bias", Use::Number},
    {'Z', "tensor_vect", Use::Number},
    {'L', "vector_length", Use::Number},
    {'I', "in_layout", Use::Text},
    {'O', "out_layout", Use::Text},
    {'f', "fil_layout", Use::Text},
    {'m', "mode", Use::Text},
    {'z', "pad_mode", Use::Text},
    {'i', "iter", Use::Run},
    {'V', "verify", Use::Run},
    {'C', "verification_cache", Use::Run},
    {'t', "time", Use::Run},
    {'w', "wall", Use::Run},
    {'s', "search", Use::Run},
    {'P', "printconv", Use::Run},
    {'o', "dump_output", Use::Run},
    {'S', "solution", Use::Run},
    {'d', "in_data", Use::Data},
    {'e', "weights", Use::Data},
    {'a', "in_bias", Use::Data},
    {'D', "dout_data", Use::Data},
};

/// The flags of a property by dimension, from the outermost one on.
static constexpr std::string_view kExtents = "!HW", kFilters = "@yx",
                                  kStrides = "#uv", kPads = "$pq",
                                  kDilations = "^lj", kOutputPads = "%YX";

//===----------------------------------------------------------------------===//
// Words to values
//===----------------------------------------------------------------------===//

static const Flag *findFlag(std::string_view word) {
  bool isLong = word.starts_with("--");
  for (const Flag &flag : flags)
    if (isLong ? word.substr(2) == flag.name
               : word.size() == 2 && word[1] == flag.letter)
      return &flag;
  return nullptr;
}

/// Extents whose products are below 2^63.
static Status checkNumber(const std::string &flag, const std::string &value) {
  constexpr int64_t most = (int64_t(1) << 30) - 1;
  std::optional<int64_t> number = parseNumber(value);
  if (number && *number >= 0 && *number <= most)
    return {};
  return Error{flag + " " + value + ": expected a whole number from 0 to " +
               std::to_string(most)};
}

Status Values::add(const Flag &flag, const std::string &spelled,
                   const std::string &value) {
  if (flag.use == Use::Data)
    return Error{spelled + " " + value +
                 ": files of data are given by --input of conv-run"};
  if (flag.use == Use::Number)
    if (Status status = checkNumber(spelled, value); !status)
      return status;
  auto [old, isNew] = given.try_emplace(flag.letter, Given{spelled, value});
  if (!isNew)
    return Error{spelled + " " + value + ": given twice, first as " +
                 old->second.flag + " " + old->second.value};
  return {};
}

Status Values::read(const std::vector<std::string_view> &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!word.starts_with('-'))
      return Error{"'" + std::string(word) +
                   "': expected a flag of MIOpenDriver, such as -n 256"};
    size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    std::string spelled(word.substr(0, equals));
    const Flag *flag = findFlag(spelled);
    if (!flag)
      return Error{spelled + ": unknown flag of MIOpenDriver's convolutions"};
    if (equals == word.npos && i + 1 == words.size())
      return Error{spelled + ": expected a value behind it"};
    std::string value(equals == word.npos ? words[++i]
                                          : word.substr(equals + 1));
    if (Status status = add(*flag, spelled, value); !status)
      return status;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Values to a problem
//===----------------------------------------------------------------------===//

/// What the driver calls its types.
static const std::map<std::string_view, const char *> &typesOfNames() {
  static const std::map<std::string_view, const char *> types = {
      {"conv", "f32"},
      {"convfp16", "f16"},
      {"convbfp16", "bf16"},
      {"convint8", "s8"}};
  return types;
}

static bool isDriver(std::string_view word) {
  return word.substr(word.rfind('/') + 1) == "MIOpenDriver";
}

/// The words in front of the driver's name in a log of MIOpen; else 0.
static size_t countLogWords(const std::vector<std::string_view> &words) {
  if (words.empty() || !words.front().starts_with("MIOpen("))
    return 0;
  auto driver = std::find_if(words.begin(), words.end(), isDriver);
  return driver == words.end() ? 0 : size_t(driver - words.begin());
}

bool convmlir::isDriverLine(const std::vector<std::string_view> &words) {
  return !words.empty() &&
         (countLogWords(words) > 0 || isDriver(words.front()) ||
          typesOfNames().contains(words.front()));
}

/// What has no place in a problem must not be asked for.
static Status checkUnsupported(const Values &values) {
  struct Rule {
    char flag;
    int64_t value;
    const char *why;
  };
  for (Rule rule :
       {Rule{'r', 0, "expected 0: padding is with zeros"},
        Rule{'Z', 0, "expected 0: channels are not packed in vectors"},
        Rule{'L', 1, "expected 1: channels are not packed in vectors"},
        Rule{'b', 0, "expected 0: a bias is epilogue=bias of a forward line"}})
    if (values.number(rule.flag, rule.value) != rule.value)
      return values.invalid(rule.flag, rule.why);
  if (values.text('z', "default") != "default")
    return values.invalid('z', "expected default: write the padding as -p "
                               "and -q");
  return {};
}

static Result<int> readRank(const Values &values) {
  int64_t rank = values.number('_', 2);
  if (rank != 2 && rank != 3)
    return values.invalid('_', "expected 2 or 3 dimensions");
  for (std::string_view list :
       {kExtents, kFilters, kStrides, kPads, kDilations, kOutputPads})
    if (rank == 2 && values.find(list.front()))
      return values.invalid(list.front(), "is for --spatial_dim 3");
  return static_cast<int>(rank);
}

static Result<bool> readIsTransposed(const Values &values) {
  std::string mode = values.text('m', "conv");
  if (mode == "conv" || mode == "trans")
    return mode == "trans";
  return values.invalid('m', "expected conv or trans");
}

/// A transposed convolution is the gradient of one that reads its result.
static Result<ConvKind> readKind(const Values &values, bool isTransposed) {
  switch (values.number('F', 0)) {
  case 1:
    return isTransposed ? ConvKind::Dgrad : ConvKind::Forward;
  case 2:
    return isTransposed ? ConvKind::Forward : ConvKind::Dgrad;
  case 4:
    return ConvKind::Wgrad;
  default:
    std::string means = values.find('F') ? "" : "is not given, which ";
    return values.invalid(
        'F', means + "means several operations: write a line for each, with "
                     "-F 1 (forward), -F 2 (gradient of the input) or -F 4 "
                     "(gradient of the filter)");
  }
}

/// All tensors have one layout; without flags channels are first.
static Result<TensorLayout> readLayout(const Values &values, int rank) {
  std::string first = rank == 2 ? "NCHW" : "NCDHW";
  std::string last = rank == 2 ? "NHWC" : "NDHWC";
  std::string input = values.text('I', first);
  for (char flag : {'I', 'O', 'f'}) {
    std::string layout = values.text(flag, first);
    if (layout != first && layout != last)
      return values.invalid(flag, "expected " + first + " or " + last);
    if (layout != input)
      return Error{"-I " + input + " beside -" + flag + " " + layout +
                   ": expected one layout in -I, -O and -f; without a flag it "
                   "is " +
                   first};
  }
  return input == first ? TensorLayout::NCHW : TensorLayout::NHWC;
}

static void readWindow(const Values &values, ConvGeometry &g) {
  constexpr int64_t extent = 32, filter = 3;
  for (int d = 0; d < g.spatialRank; ++d) {
    auto number = [&](std::string_view list, int64_t fallback) {
      return values.number(list[d + 3 - g.spatialRank], fallback);
    };
    g.input[d] = number(kExtents, extent);
    g.filter[d] = number(kFilters, filter);
    g.stride[d] = number(kStrides, 1);
    g.padLow[d] = g.padHigh[d] = number(kPads, 0);
    g.dilation[d] = number(kDilations, 1);
  }
}

/// The extents so far are those of what the transposed convolution reads: they
/// become those of its result.
static Status transpose(const Values &values, ConvGeometry &g) {
  std::swap(g.c, g.k);
  for (int d = 0; d < g.spatialRank; ++d) {
    char flag = kOutputPads[d + 3 - g.spatialRank];
    int64_t more = values.number(flag, 0);
    if (more != 0 && more >= g.stride[d])
      return values.invalid(flag, "expected less than the stride, " +
                                      std::to_string(g.stride[d]));
    g.input[d] = (g.input[d] - 1) * g.stride[d] + g.dilatedFilter(d) -
                 2 * g.padLow[d] + more;
  }
  return {};
}

static Status checkNoOutputPads(const Values &values) {
  for (char flag : kOutputPads)
    if (values.number(flag, 0) != 0)
      return values.invalid(flag, "is for -m trans");
  return {};
}

/// The geometry of a convolution whose gradient a transposed one is.
static Status readGeometry(const Values &values, bool isTransposed,
                           ConvGeometry &g) {
  constexpr int64_t batch = 100, inputs = 3, outputs = 32;
  g.n = values.number('n', batch);
  g.c = values.number('c', inputs);
  g.k = values.number('k', outputs);
  g.groups = std::max<int64_t>(values.number('g', 1), 1);
  readWindow(values, g);
  return isTransposed ? transpose(values, g) : checkNoOutputPads(values);
}

static Result<Problem> makeProblem(const Values &values, const char *type) {
  if (Status status = checkUnsupported(values); !status)
    return status.takeError();
  Result<int> rank = readRank(values);
  if (!rank)
    return rank.takeError();
  Result<bool> isTransposed = readIsTransposed(values);
  if (!isTransposed)
    return isTransposed.takeError();
  Result<ConvKind> kind = readKind(values, *isTransposed);
  if (!kind)
    return kind.takeError();
  Result<TensorLayout> layout = readLayout(values, *rank);
  if (!layout)
    return layout.takeError();
  Problem problem;
  problem.kind = *kind;
  problem.layout = *layout;
  problem.type = type;
  problem.outType = resultTypes(type).front();
  problem.geometry.spatialRank = *rank;
  for (Status status :
       {readGeometry(values, *isTransposed, problem.geometry), problem.check()})
    if (!status)
      return status.takeError();
  return problem;
}

static Error unknownName(std::string_view name) {
  return Error{"'" + std::string(name) +
               "': expected conv, convfp16, convbfp16 or convint8 behind "
               "MIOpenDriver"};
}

Result<Problem>
convmlir::parseDriverLine(const std::vector<std::string_view> &words) {
  size_t first = countLogWords(words);
  first += isDriver(words[first]) ? 1 : 0;
  std::string_view name = first < words.size() ? words[first] : "";
  auto type = typesOfNames().find(name);
  if (type == typesOfNames().end())
    return unknownName(name);
  Values values;
  if (Status status = values.read(
          {words.begin() + static_cast<int64_t>(first) + 1, words.end()});
      !status)
    return status.takeError();
  return makeProblem(values, type->second);
}
