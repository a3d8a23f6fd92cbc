//===- FuzzCases.cpp - random problems with schedules ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzCases.h"
#include "conv/Compiler/Tuning.h"
#include "conv/Dialect/Conv/IR/KernelForm.h"
#include "conv/Geometry/FoldedTaps.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/WindowTile.h"
#include "conv/Runtime/ElementType.h"

#include <algorithm>
#include <utility>

using namespace convmlir;
using mlir::conv::KernelForm;
using mlir::conv::KernelFormInfo;
using mlir::conv::kEvenTailName;
using mlir::conv::ScheduleFields;
using mlir::conv::ScheduleKey;
using mlir::conv::ScheduleKeyInfo;

/// What the kernels can do so far. The types that are used most come up more
/// often.
static FuzzLimits supportedLimits(const ChipInfo &chip) {
  FuzzLimits limits;
  limits.kinds = {ConvKind::Forward, ConvKind::Dgrad, ConvKind::Wgrad};
  limits.spatialRanks = {1, 2, 2, 2, 3};
  limits.types = {"f16", "bf16", "bf16", "tf32", "f32", "f64", "s8"};
  if (chip.has(Engine::MmaFloat8))
    limits.types.insert(limits.types.end(), {"e4m3", "e5m2"});
  limits.secondTypes = true;
  limits.outTypes = true;
  limits.groups = true;
  limits.epilogues = true;
  limits.biasTypes = true;
  limits.emptyBatch = true;
  limits.inputDilations = true;
  limits.flips = true;
  limits.accumulations = true;
  limits.layouts = {TensorLayout::NHWC, TensorLayout::NHWC, TensorLayout::NHWC,
                    TensorLayout::NCHW};
  limits.maxMultiplyAdds = int64_t(1) << 21;
  return limits;
}

static std::string windowText(const std::string &tile) {
  return "tile=" + tile + " stages=2 copy=tma mma=wgmma window=true";
}

/// What asks for a ranked schedule of one of these forms.
static FuzzSchedule ofForms(std::vector<KernelForm> forms) {
  FuzzSchedule schedule;
  schedule.isRanked = true;
  schedule.forms = std::move(forms);
  return schedule;
}

/// What asks for a ranked schedule with a key, whose value is this word.
static FuzzSchedule withKey(ScheduleKey key, std::string word = "") {
  FuzzSchedule schedule;
  schedule.isRanked = true;
  schedule.key = key;
  schedule.word = std::move(word);
  return schedule;
}

static bool isOf(const FuzzSchedule &schedule, KernelForm form) {
  return schedule.forms.size() == 1 && schedule.forms.front() == form;
}

/// Whether no choice asks for the key: schedules of high rank often have it; or
/// it makes a form, or other texts than ranked ones have it.
static bool comesByRank(const ScheduleKeyInfo &key) {
  switch (key.key) {
  case ScheduleKey::Cluster:
  case ScheduleKey::Resident:
  case ScheduleKey::Teams:
  case ScheduleKey::Window:
  case ScheduleKey::Staging:
  case ScheduleKey::Kn2row:
    return true;
  default:
    return !key.isOfHopper();
  }
}

/// A row that KernelForms.def or ScheduleKeys.def gets is drawn without a
/// change of this file.
static void addOthers(std::vector<FuzzSchedule> &list) {
  constexpr size_t times = 2;
  auto isAsked = [&](auto asks) { return std::ranges::any_of(list, asks); };
  for (const KernelFormInfo &info : mlir::conv::getKernelForms())
    if (info.isSeldom && !isAsked([&](const FuzzSchedule &schedule) {
          return llvm::is_contained(schedule.forms, info.form);
        }))
      list.insert(list.end(), times, ofForms({info.form}));
  for (const ScheduleKeyInfo &info : mlir::conv::getScheduleKeys())
    if (!comesByRank(info) && !isAsked([&](const FuzzSchedule &schedule) {
          return schedule.key == info.key;
        }))
      list.insert(list.end(), times, withKey(info.key));
}

/// What the model never chooses: threads that load and store, in each way of
/// reading, and products by `wmma`.
static std::vector<FuzzSchedule> listBaselines() {
  std::vector<FuzzSchedule> list;
  for (unsigned i = 0; i <= mlir::conv::getMaxEnumValForReadingKind(); ++i) {
    auto reading = static_cast<mlir::conv::ReadingKind>(i);
    list.push_back({"tile=64x32xK warps=2x1 stages=2 copy=sync reading=" +
                        stringifyReadingKind(reading).str(),
                    64});
  }
  for (const char *copy : {"cp_async", "sync"})
    list.push_back({std::string("tile=64x64xK warps=2x2 stages=3 copy=") +
                        copy + " mma=wmma",
                    32});
  return list;
}

static const std::vector<FuzzSchedule> &baselines() {
  static const std::vector<FuzzSchedule> list = listBaselines();
  return list;
}

/// Tiles of all proportions, and rings of all depths that fit every target.
static std::vector<FuzzSchedule> listSchedules() {
  const FuzzSchedule swapped = ofForms(
      {KernelForm::Swapped, KernelForm::SwappedWindow, KernelForm::ImageTaps});
  std::vector<FuzzSchedule> list = {
      {},
      {},
      {},
      {},
      {"tile=128x128xK warps=2x4 stages=3", 64},
      {"tile=64x64xK warps=2x2 stages=2", 64},
      {"tile=32x32xK warps=2x1 stages=4", 32},
      {"tile=128x16xK warps=4x1 stages=3", 32},
      {"tile=16x64xK warps=1x2 stages=3", 64},
      {"tile=64x128xK warps=1x4 stages=2", 128},
      {"tile=128x64xK warps=4x2 stages=5", 64},
      {"algorithm=im2col", 0},
      {windowText("64x64x64 warps=4x1"), 0, 64},
      {windowText("128x32x64 warps=8x1"), 0, 128},
      {"", 0, 0, /*isRanked=*/true},
      {"", 0, 0, /*isRanked=*/true},
      swapped,
      swapped,
      {"", 0, 0, /*isRanked=*/false, /*isMerged=*/true},
      withKey(ScheduleKey::Tail),
      withKey(ScheduleKey::Tail, "even"),
      withKey(ScheduleKey::Gather),
      withKey(ScheduleKey::Gather),
      withKey(ScheduleKey::KMajor),
      withKey(ScheduleKey::KMajor),
      {"", 0, 0, /*isRanked=*/false, /*isMerged=*/false, /*isFolded=*/true},
      {"", 0, 0, /*isRanked=*/false, /*isMerged=*/false, /*isFolded=*/true},
      ofForms({KernelForm::Kn2row}),
      ofForms({KernelForm::Kn2row}),
      ofForms({KernelForm::Loops}),
      ofForms({KernelForm::Loops}),
      ofForms({KernelForm::ImageTaps}),
      ofForms({KernelForm::ImageTaps}),
      ofForms({KernelForm::Bands}),
      ofForms({KernelForm::Bands}),
  };
  addOthers(list);
  return list;
}

static const std::vector<FuzzSchedule> &schedules() {
  static const std::vector<FuzzSchedule> list = listSchedules();
  return list;
}

static int64_t elementBytes(const Problem &problem) {
  return byteSize(*parseElementType(problem.type));
}

/// Rounds the channels of each group up to 16 bytes.
static void alignChannels(ConvGeometry &geometry, int64_t bytes) {
  int64_t unit = 16 / bytes * geometry.groups;
  geometry.c = (geometry.c + unit - 1) / unit * unit;
  geometry.k = (geometry.k + unit - 1) / unit * unit;
}

/// Makes the result large enough for a round of workgroups and so many tiles
/// more, of the smallest that are ranked; unless that is too much work.
static void widenForTail(Problem &problem, int64_t workgroups, int64_t more) {
  constexpr int64_t rows = 64, columns = 32;
  constexpr int64_t mostMultiplyAdds = int64_t(1) << 24;
  ConvGeometry wide = problem.geometry;
  std::vector<GemmPhase> phases = wide.phases(problem.kind);
  if (phases.empty() || wide.n == 0 || wide.groups > 1)
    return;
  auto count = [](int64_t extent, int64_t size) {
    return std::max<int64_t>((extent + size - 1) / size, 1);
  };
  if (problem.kind == ConvKind::Wgrad) {
    int64_t across = count(wide.c, columns) * phases.front().b.numTaps();
    wide.k = rows * count(workgroups + more, std::max<int64_t>(across, 1));
  } else {
    int64_t channels = problem.kind == ConvKind::Forward ? wide.k : wide.c;
    int64_t down = count(workgroups + more, count(channels, columns)) * rows;
    int64_t perImage = phases.front().result.numRows() / wide.n;
    wide.n = count(down, std::max<int64_t>(perImage, 1));
  }
  if (wide.flops() / 2 <= mostMultiplyAdds)
    problem.geometry = wide;
}

/// Makes a wgrad of few channels and so many images that even parts of most
/// numbers of tiles have blocks of gemm-k, of 64 positions each; unless that is
/// too much work.
static void lengthenForEvenTail(Problem &problem, CounterRng &rng) {
  constexpr int64_t positions = 64 * 140, unit = 8;
  constexpr int64_t mostMultiplyAdds = int64_t(1) << 26;
  Problem wide = problem;
  wide.kind = ConvKind::Wgrad;
  wide.epilogue = {};
  wide.geometry.groups = 1;
  wide.geometry.c = unit * rng.uniform(1, 4);
  wide.geometry.k = unit * rng.uniform(1, 4);
  std::vector<GemmPhase> phases = wide.geometry.phases(wide.kind);
  if (phases.empty() || wide.geometry.n == 0)
    return;
  int64_t perImage = phases.front().b.numRows() / wide.geometry.n;
  wide.geometry.n = positions / std::max<int64_t>(perImage, 1) + 1;
  if (wide.geometry.flops() / 2 <= mostMultiplyAdds)
    problem = wide;
}

/// Makes images of y a multiple of 16 bytes, by wider ones of x.
static void alignPositions(ConvGeometry &geometry) {
  constexpr int64_t unit = 8;
  int64_t &width = geometry.input[geometry.spatialRank - 1];
  auto hasUnits = [&] {
    MatrixView view = geometry.outputView();
    return view.numRows() % (unit * std::max<int64_t>(geometry.n, 1)) == 0;
  };
  for (int64_t tries = 8 * unit; tries > 0 && !hasUnits(); --tries)
    ++width;
}

/// Filters of one tap without stride and padding, and images with an even
/// number of positions: tiles of what has its channels first are copied as they
/// are.
static void narrowToPositions(ConvGeometry &geometry) {
  for (int d = 0; d < geometry.spatialRank; ++d) {
    geometry.filter[d] = geometry.stride[d] = 1;
    geometry.inputDilation[d] = 1;
    geometry.padLow[d] = geometry.padHigh[d] = 0;
  }
  geometry.groups = 1;
  int64_t &last = geometry.input[geometry.spatialRank - 1];
  last += last % 2;
}

/// Forward or dgrad in the place of wgrad.
static void makeNoWgrad(Problem &problem, CounterRng &rng) {
  if (problem.kind != ConvKind::Wgrad)
    return;
  problem.kind = rng.oneIn(2) ? ConvKind::Forward : ConvKind::Dgrad;
  problem.epilogue = {};
}

/// Filter and padding were for a longer input.
static void dropInputDilation(ConvGeometry &geometry) {
  for (int d = 0; d < geometry.spatialRank; ++d)
    if (std::exchange(geometry.inputDilation[d], 1) > 1) {
      geometry.filter[d] = 1;
      geometry.padLow[d] = geometry.padHigh[d] = 0;
    }
}

/// A filter for each channel, of a type that is multiplied without matrices.
static void makeDepthwise(Problem &problem, CounterRng &rng) {
  ConvGeometry &geometry = problem.geometry;
  if (problem.type != "f16" && problem.type != "bf16" && problem.type != "f32")
    problem.type = problem.outType = rng.oneIn(2) ? "f32" : "bf16";
  geometry.groups = geometry.k = geometry.c;
  if (rng.oneIn(2))
    problem.layout = TensorLayout::NCHW;
}

/// The gradient of a filter for each channel, of images that tensor cores have
/// in any number: channels by eights, steps of one.
static void makeBands(Problem &problem, CounterRng &rng) {
  ConvGeometry &geometry = problem.geometry;
  problem.kind = ConvKind::Wgrad;
  problem.epilogue = {};
  dropInputDilation(geometry);
  if (elementBytes(problem) != 2)
    problem.type = problem.outType = rng.oneIn(2) ? "f16" : "bf16";
  geometry.flip = false;
  geometry.stride.fill(1);
  geometry.dilation.fill(1);
  geometry.groups = geometry.c = geometry.k = 8 * rng.uniform(1, 6);
  problem.layout = TensorLayout::NHWC;
}

/// Images of lines that are as long in the result, and begin at multiples of 16
/// bytes, with blocks of 64 channels of the result.
static void makeLines(Problem &problem, CounterRng &rng) {
  ConvGeometry &geometry = problem.geometry;
  problem.layout = TensorLayout::NCHW;
  makeNoWgrad(problem, rng);
  dropInputDilation(geometry);
  if (elementBytes(problem) != 2)
    problem.type = problem.outType = rng.oneIn(2) ? "f16" : "bf16";
  geometry.groups = 1;
  std::fill_n(geometry.stride.begin(), geometry.spatialRank, 1);
  int last = geometry.spatialRank - 1;
  geometry.input[last] = 8 * rng.uniform(1, 8);
  geometry.filter[last] = rng.uniform(2, 4);
  int64_t pad = geometry.dilation[last] * (geometry.filter[last] - 1);
  geometry.padLow[last] = rng.uniform(0, pad);
  geometry.padHigh[last] = pad - geometry.padLow[last];
  int64_t &rows = problem.kind == ConvKind::Forward ? geometry.k : geometry.c;
  rows = 64 * rng.uniform(1, 2);
}

/// Taps along rows whose number of positions divides blocks, or is a multiple
/// of them.
static void makeImageTaps(Problem &problem, CounterRng &rng) {
  ConvGeometry &geometry = problem.geometry;
  problem.layout = TensorLayout::NCHW;
  problem.kind = ConvKind::Wgrad;
  problem.epilogue = {};
  dropInputDilation(geometry);
  if (elementBytes(problem) != 2)
    problem.type = problem.outType = rng.oneIn(2) ? "f16" : "bf16";
  geometry.groups = 1;
  int last = geometry.spatialRank - 1;
  int64_t width = int64_t(8) << rng.uniform(1, 4);
  int64_t stride = rng.uniform(1, 2);
  geometry.stride[last] = stride;
  geometry.input[last] = width * stride;
  geometry.filter[last] = rng.uniform(2, 3);
  int64_t pad =
      geometry.dilation[last] * (geometry.filter[last] - 1) + 1 - stride;
  geometry.padLow[last] = rng.uniform(0, pad);
  geometry.padHigh[last] = pad - geometry.padLow[last];
}

/// What makes a problem fit a schedule may leave no narrow bias, and no 8-bit
/// float.
static void dropUnusedTypes(Problem &problem) {
  if (secondTypes(problem.type).empty())
    problem.secondType.clear();
  std::vector<std::string> types = biasTypes(problem.type);
  if (!problem.epilogue.hasChannels() ||
      std::ranges::find(types, problem.biasType) == types.end())
    problem.biasType.clear();
}

static FuzzCase drawEdge(CounterRng &rng, const ChipInfo &chip) {
  FuzzCase drawn;
  drawn.problem = randomProblem(rng, supportedLimits(chip));
  // What TMA can copy, half of the time: the other half has odd channels.
  if (rng.oneIn(2))
    alignChannels(drawn.problem.geometry, elementBytes(drawn.problem));
  const FuzzSchedule &schedule = drawn.schedule = rng.pick(schedules());
  // In the place of half of the model's choices.
  if (schedule == FuzzSchedule() && rng.oneIn(2))
    drawn.schedule = rng.pick(baselines());
  bool isEven = !schedule.word.empty();
  if (!schedule.isAny() && chip.has(Engine::Wgmma))
    alignChannels(drawn.problem.geometry, elementBytes(drawn.problem));
  if (schedule.key == ScheduleKey::Tail && !isEven && chip.has(Engine::Wgmma))
    widenForTail(drawn.problem, chip.multiprocessors, rng.uniform(1, 60));
  if (schedule.key == ScheduleKey::Tail && isEven && chip.has(Engine::Wgmma))
    lengthenForEvenTail(drawn.problem, rng);
  bool isGathered = schedule.key == ScheduleKey::Gather,
       isKMajor = schedule.key == ScheduleKey::KMajor;
  if (isGathered || isKMajor)
    drawn.problem.layout = TensorLayout::NCHW;
  if (isKMajor && drawn.problem.kind == ConvKind::Wgrad)
    alignPositions(drawn.problem.geometry);
  if (isOf(schedule, KernelForm::Kn2row))
    makeLines(drawn.problem, rng);
  if (isOf(schedule, KernelForm::ImageTaps))
    makeImageTaps(drawn.problem, rng);
  if (isOf(schedule, KernelForm::Loops))
    makeDepthwise(drawn.problem, rng);
  if (isOf(schedule, KernelForm::Bands))
    makeBands(drawn.problem, rng);
  dropUnusedTypes(drawn.problem);
  if (isGathered && rng.oneIn(2))
    narrowToPositions(drawn.problem.geometry);
  if (rng.oneIn(3))
    drawn.parts = rng.uniform(2, 7);
  return drawn;
}

/// Half of them by the compiler's choice.
static FuzzCase drawLayer(CounterRng &rng) {
  constexpr int64_t maxMultiplyAdds = int64_t(1) << 23;
  FuzzCase drawn;
  drawn.problem = randomLayer(rng, maxMultiplyAdds);
  drawn.schedule.isRanked = rng.oneIn(2);
  return drawn;
}

FuzzCase convmlir::drawFuzzCase(uint64_t seed, int64_t number,
                                const ChipInfo &chip, FuzzProfile profile) {
  CounterRng rng(seed, static_cast<uint64_t>(number));
  FuzzCase drawn =
      profile == FuzzProfile::Layers ? drawLayer(rng) : drawEdge(rng, chip);
  drawn.rank = static_cast<uint64_t>(rng.uniform(0, 1000000));
  drawn.dataSeed = static_cast<uint64_t>(rng.uniform(1, 1000000));
  return drawn;
}

/// What is summed in blocks: channels, or for wgrad pixels.
static int64_t reductionOf(const Problem &problem) {
  const ConvGeometry &g = problem.geometry;
  switch (problem.kind) {
  case ConvKind::Forward:
    return g.c / g.groups;
  case ConvKind::Dgrad:
    return g.k / g.groups;
  case ConvKind::Wgrad:
    return g.phases(ConvKind::Wgrad).front().b.numRows();
  }
  return 0;
}

/// Whether wgmma multiplies the problem's operands as they are in memory.
static bool hasWgmma(const Problem &problem) {
  int64_t bytes = elementBytes(problem);
  return bytes == 2 || (problem.type != "f32" && bytes < 8 &&
                        problem.kind != ConvKind::Wgrad);
}

/// Whether a kernel whose taps share a window of this many rows can compute the
/// problem on `chip`: TMA copies its operands, and two windows of 64 channels
/// fit beside two tiles of 64 filters. Lines longer than a panel come in groups
/// of eight.
static bool hasWindow(const Problem &problem, int64_t rows,
                      const ChipInfo &chip) {
  int64_t unit = 16 / elementBytes(problem);
  int64_t lineBytes = 64 * elementBytes(problem);
  int64_t mostBytes = (96 << 10) - 64 * lineBytes;
  const ConvGeometry &g = problem.geometry;
  if (!chip.has(Engine::Wgmma) || !hasWgmma(problem) ||
      problem.kind == ConvKind::Wgrad || g.n == 0 || g.groups != 1 ||
      g.c % unit != 0 || g.k % unit != 0)
    return false;
  std::vector<GemmPhase> phases = g.phases(problem.kind);
  if (phases.size() != 1)
    return false;
  Result<WindowTile> tile = getWindowTile(phases.front().a, rows);
  constexpr int64_t panelBytes = PanelTile::kMaxSpanBytes,
                    group = SharedTile::kSwizzlePeriod;
  return tile && tile->getSlotLines() * lineBytes <= mostBytes &&
         (lineBytes <= panelBytes || tile->getLines() % group == 0);
}

/// The fields of a complete text.
static ScheduleFields readFields(const std::string &text) {
  ScheduleFields fields;
  for (const mlir::conv::ScheduleWord &word :
       mlir::conv::splitScheduleText(text))
    if (word.key)
      setScheduleField(fields, word.key->key,
                       mlir::conv::readScheduleValue(word.value));
  return fields;
}

/// Taps of the result of wgrad.
static int64_t countResultTaps(const Problem &problem) {
  if (problem.kind != ConvKind::Wgrad)
    return 1;
  return problem.geometry.phases(ConvKind::Wgrad).front().b.numTaps();
}

/// Whether a schedule is one of those that are asked for. A word of a key is
/// another choice than its numbers.
static bool isAskedFor(const FuzzCase &tested, const std::string &text) {
  const FuzzSchedule &asked = tested.schedule;
  ScheduleFields fields = readFields(text);
  KernelForm form = getKernelForm(fields, countResultTaps(tested.problem));
  if (!asked.forms.empty() && !llvm::is_contained(asked.forms, form))
    return false;
  if (!asked.key)
    return true;
  if (isDefault(fields, *asked.key))
    return false;
  llvm::StringRef value = *mlir::conv::findScheduleValue(text, *asked.key);
  return asked.word.empty() ? value != kEvenTailName : value == asked.word;
}

/// A schedule that the tuner could try; none where the problem has no kernel.
static std::string rankedSchedule(const FuzzCase &tested,
                                  const ChipInfo &chip) {
  constexpr size_t most = 64, all = 4096;
  bool isAny = tested.schedule.isAny();
  Result<std::vector<std::string>> candidates =
      candidateSchedules(tested.problem, std::string(chip.name),
                         isAny ? most : all, {chip.multiprocessors});
  if (!isAny && candidates)
    std::erase_if(*candidates, [&](const std::string &text) {
      return !isAskedFor(tested, text);
    });
  // An operation without operations has no kernel with a schedule.
  if (!candidates || candidates->empty())
    return "";
  return (*candidates)[tested.rank % candidates->size()];
}

/// A divisor of the groups.
static std::string mergedSchedule(const FuzzCase &tested) {
  const ConvGeometry &g = tested.problem.geometry;
  // An operation without operations has no kernel with a schedule.
  if (g.groups == 1 || g.n == 0)
    return "";
  std::vector<int64_t> divisors;
  for (int64_t number = 1; number <= g.groups; ++number)
    if (g.groups % number == 0)
      divisors.push_back(number);
  return "merge=" + std::to_string(divisors[tested.rank % divisors.size()]);
}

/// Any number of taps of each dimension that can be channels.
static std::string foldedSchedule(const FuzzCase &tested) {
  const ConvGeometry &g = tested.problem.geometry;
  bool isPointwise =
      std::all_of(g.filter.begin(), g.filter.begin() + g.spatialRank,
                  [](int64_t taps) { return taps == 1; });
  // Those with their channels first are multiplied as they are.
  if (g.n == 0 || (isPointwise && tested.problem.layout == TensorLayout::NCHW))
    return "";
  std::vector<std::vector<int64_t>> folds = {{}};
  for (int d = 0; d < g.spatialRank; ++d) {
    std::vector<std::vector<int64_t>> longer;
    for (std::vector<int64_t> fold : folds)
      for (int64_t taps = 1; taps <= g.filter[d]; ++taps) {
        longer.push_back(fold);
        longer.back().push_back(taps);
      }
    folds = std::move(longer);
  }
  std::erase_if(folds, [&](const std::vector<int64_t> &fold) {
    return !foldTaps(g, tested.problem.kind, fold, /*unit=*/1);
  });
  if (folds.empty())
    return "";
  std::string text;
  for (int64_t taps : folds[tested.rank % folds.size()])
    text += (text.empty() ? "fold=" : "x") + std::to_string(taps);
  return text;
}

/// Whether a text names an engine that multiplies other types.
static bool lacksEngine(const FuzzCase &tested) {
  return findScheduleValue(tested.schedule.text, ScheduleKey::Mma) == "wmma" &&
         tested.problem.type != "f16" && tested.problem.type != "tf32";
}

std::string convmlir::scheduleOf(const FuzzCase &tested, const ChipInfo &chip) {
  int64_t blockBytes = tested.schedule.blockBytes;
  int64_t windowRows = tested.schedule.windowRows;
  if (windowRows > 0 && !hasWindow(tested.problem, windowRows, chip))
    return "";
  if (lacksEngine(tested))
    return "";
  if (tested.schedule.isRanked)
    return rankedSchedule(tested, chip);
  if (tested.schedule.isMerged)
    return mergedSchedule(tested);
  if (tested.schedule.isFolded)
    return foldedSchedule(tested);
  if (blockBytes == 0)
    return tested.schedule.text;
  int64_t blockK = blockBytes / elementBytes(tested.problem);
  std::string text = tested.schedule.text;
  text.replace(text.find('K'), 1, std::to_string(blockK));
  int64_t blocks = (reductionOf(tested.problem) + blockK - 1) / blockK;
  int64_t parts = std::max<int64_t>(1, std::min(tested.parts, blocks));
  return text + " split-k=" + std::to_string(parts);
}
