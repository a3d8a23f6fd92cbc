//===- ScheduleTextTest.cpp - texts of schedules ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::conv;

namespace {

class ScheduleTextTest : public ::testing::Test {
protected:
  ScheduleTextTest() { context.loadDialect<ConvDialect>(); }

  ScheduleAttr getBase() {
    return ScheduleAttr::get(&context, {.tile = {64, 64, 32},
                                        .warps = {2, 2},
                                        .stages = 3});
  }

  /// The schedule of a text, or null where it is refused.
  ScheduleAttr parse(StringRef text) {
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    FailureOr<ScheduleAttr> schedule = parseSchedule(text, getBase(), [&] {
      return emitError(UnknownLoc::get(&context));
    });
    return succeeded(schedule) ? *schedule : ScheduleAttr();
  }

  MLIRContext context;
  std::string error;
};

/// Fields with a value of every key, and with the rest of them by chance.
ScheduleFields drawFields(std::mt19937 &rng) {
  auto draw = [&](int64_t most) {
    return int64_t(1 + rng() % static_cast<uint64_t>(most));
  };
  ScheduleFields fields;
  fields.algorithm = static_cast<Algorithm>(rng() % 3);
  fields.tile = {draw(256), draw(256), draw(128)};
  fields.warps = {draw(8), draw(8)};
  fields.stages = draw(12);
  fields.copy = static_cast<CopyKind>(rng() % 3);
  fields.mma = static_cast<MmaKind>(rng() % 4);
  fields.split = draw(3);
  if (rng() % 2)
    fields.cluster = {2, draw(2)};
  fields.resident = draw(2);
  fields.teams = draw(2);
  fields.staging = rng() % 2 ? 0 : draw(128);
  fields.tail = rng() % 3 ? draw(4) : kEvenTail;
  fields.merge = draw(8);
  for (int64_t i = 0, rank = rng() % 4; i < rank; ++i)
    fields.fold.push_back(draw(3));
  for (bool *flag :
       {&fields.window, &fields.gather, &fields.kMajor, &fields.kn2row})
    *flag = rng() % 2;
  fields.reading = static_cast<ReadingKind>(rng() % 3);
  return fields;
}

TEST_F(ScheduleTextTest, WhatIsPrintedIsReadAsTheSame) {
  std::mt19937 rng(1);
  for (int i = 0; i < 500; ++i) {
    ScheduleFields fields = drawFields(rng);
    ScheduleAttr schedule = ScheduleAttr::get(&context, fields);
    EXPECT_EQ(schedule.getFields(), fields);
    std::string text;
    llvm::raw_string_ostream(text) << Attribute(schedule);
    EXPECT_EQ(parseAttribute(text, &context), schedule) << text;
    EXPECT_EQ("#conv.schedule<" + toString(schedule) + ">", text);
  }
}

/// A text with all keys says all, whatever the schedule that it is for.
TEST_F(ScheduleTextTest, ACompleteTextNeedsNoBase) {
  std::mt19937 rng(2);
  for (int i = 0; i < 500; ++i) {
    ScheduleFields fields = drawFields(rng);
    // A tail and parts replace each other.
    fields.split = fields.tail != 1 ? 1 : fields.split;
    ScheduleAttr schedule = ScheduleAttr::get(&context, fields);
    EXPECT_EQ(parse(toString(schedule)), schedule) << toString(schedule);
  }
}

TEST_F(ScheduleTextTest, EachKeyHasAFieldOfItsOwn) {
  std::mt19937 rng(3);
  for (const ScheduleKeyInfo &info : getScheduleKeys()) {
    ScheduleFields none, fields = drawFields(rng);
    while (isDefault(fields, info.key))
      fields = drawFields(rng);
    EXPECT_TRUE(isDefault(none, info.key));
    ScheduleFields reset = fields;
    resetScheduleField(reset, info.key);
    EXPECT_TRUE(isDefault(reset, info.key));
    EXPECT_NE(reset, fields);
    for (const ScheduleKeyInfo &other : getScheduleKeys())
      if (other.key != info.key)
        EXPECT_EQ(isDefault(reset, other.key), isDefault(fields, other.key));
    EXPECT_EQ(findScheduleKey(info.name), &info);
    EXPECT_EQ(findScheduleKey(info.otherName), &info);
  }
}

TEST_F(ScheduleTextTest, BothSpellingsAreOneSchedule) {
  ScheduleAttr schedule =
      parse("tile=128x64x32 warps=2x2 split-k=3 k-major=true fold=1x2");
  ASSERT_TRUE(schedule);
  for (StringRef text :
       {"tile=128x64x32,warps=2x2,split=3,k_major=true,fold=1x2",
        "tile = [128, 64, 32], warps = [2, 2], split = 3, k_major = true, "
        "fold = [1, 2]",
        "\tk-major=true  fold = [1,2] tile=[128,64,32]\nwarps=2x2 split-k = 3"})
    EXPECT_EQ(parse(text), schedule) << text.str() << ": " << error;
}

TEST_F(ScheduleTextTest, WrongTextsSayWhatIsMeant) {
  const std::pair<StringRef, StringRef> wrong[] = {
      {"spilt-k=2", "unknown key 'spilt-k', did you mean 'split-k'? The keys "
                    "are algorithm, tile, warps, stages, copy, mma, split-k, "
                    "cluster, resident, teams, window, staging, tail, merge, "
                    "fold, gather, k-major, kn2row, reading"},
      {"splitk=2", "unknown key 'splitk', did you mean 'split-k'?"},
      {"Tile=64x64x32", "unknown key 'Tile', did you mean 'tile'?"},
      {"kmajor=true", "unknown key 'kmajor', did you mean 'k-major'?"},
      {"=2", "unknown key '', did you mean "},
      {"split=2 split-k=2", "'split-k' is given twice"},
      {"stages", "expected a positive number, but got 'stages'"},
      {"stages=", "expected a positive number, but got 'stages='"},
      {"stages=0", "expected a positive number, but got 'stages=0'"},
      {"stages=2x2", "expected a positive number, but got 'stages=2x2'"},
      {"staging=0", "expected a positive number, but got 'staging=0'"},
      {"tile=64x64", "expected three positive numbers, as in 128x128x32, but "
                     "got 'tile=64x64'"},
      {"tile=[64, 64", "expected three positive numbers, as in 128x128x32, "
                       "but got 'tile=[64'"},
      {"warps=2x-2", "expected two positive numbers, as in 2x2, but got "
                     "'warps=2x-2'"},
      {"cluster=2", "expected two positive numbers, as in 2x1, but got "
                    "'cluster=2'"},
      {"window=1", "expected true or false, but got 'window=1'"},
      {"tail=odd", "expected a positive number or even, but got 'tail=odd'"},
      {"fold=true", "expected a positive number for each spatial dimension, "
                    "as in 2x2, or false, but got 'fold=true'"},
      {"copy=bulk", "expected cp_async, tma or sync, but got 'copy=bulk'"},
      {"mma=imma", "expected mma_sync, wgmma, fma or wmma, but got "
                   "'mma=imma'"},
      {"reading=rows", "expected cyclic, strided or warp_tile, but got "
                       "'reading=rows'"},
      {"algorithm=winograd", "expected implicit_gemm, im2col or loops, but "
                             "got 'algorithm=winograd'"},
      {"merge=1048577", "expected whole numbers from 1 to 1048576, but got "
                        "'merge=1048577'"},
      {"tile=[64, 99999999999999999999, 32]",
       "expected whole numbers from 1 to 1048576, but got "
       "'tile=[64, 99999999999999999999, 32]'"},
  };
  for (auto [text, message] : wrong) {
    EXPECT_FALSE(parse(text)) << text.str();
    EXPECT_TRUE(StringRef(error).starts_with(("schedule: " + message).str()))
        << text.str() << ": " << error;
  }
}

TEST_F(ScheduleTextTest, ReadingGoesWithCopiesThroughRegisters) {
  ScheduleAttr reading = parse("reading=strided");
  ASSERT_TRUE(reading) << error;
  EXPECT_EQ(reading.getCopy(), CopyKind::Sync);
  EXPECT_EQ(reading.getMma(), MmaKind::MmaSync);
  EXPECT_EQ(parse("reading=cyclic").getCopy(), CopyKind::CpAsync);
  EXPECT_EQ(parse("reading=strided mma=wmma").getCopy(), CopyKind::Sync);

  FailureOr<ScheduleAttr> other = parseSchedule("copy=cp_async", reading, [&] {
    return emitError(UnknownLoc::get(&context));
  });
  ASSERT_TRUE(succeeded(other));
  EXPECT_EQ(other->getReading(), ReadingKind::Cyclic);
}

TEST_F(ScheduleTextTest, NamedKeysAreFoundInEitherSpelling) {
  EXPECT_EQ(getNamedAlgorithm("tile=1x1x1 algorithm = loops",
                              Algorithm::ImplicitGemm),
            Algorithm::Loops);
  EXPECT_EQ(getNamedAlgorithm("stages=3", Algorithm::Im2col),
            Algorithm::Im2col);
  EXPECT_EQ(getNamedMerge("merge = 4, stages = 2"), 4);
  EXPECT_EQ(getNamedMerge("tile=64x64x32"), 1);
  EXPECT_EQ(getNamedMerge("stages=3"), std::nullopt);
  EXPECT_EQ(getNamedFold("fold = [2, 3]"), (SmallVector<int64_t>{2, 3}));
  EXPECT_EQ(getNamedFold("fold=false"), (SmallVector<int64_t>{}));
  EXPECT_EQ(getNamedFold("tile=64x64x32"), (SmallVector<int64_t>{}));
  EXPECT_EQ(getNamedFold("merge=2"), std::nullopt);
  ScheduleAttr transposed = getBase().withKMajor(true);
  EXPECT_TRUE(turnsOff("k_major = false", transposed));
  EXPECT_TRUE(turnsOff("k-major=false", transposed));
  EXPECT_FALSE(turnsOff("k-major=false", getBase()));
  EXPECT_FALSE(turnsOff("gather=false", transposed));
}

} // namespace
