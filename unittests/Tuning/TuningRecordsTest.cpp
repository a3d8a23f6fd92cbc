//===- TuningRecordsTest.cpp - the order in which records count -----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/TuningRecords.h"

#include "../Runtime/TestFiles.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace convmlir;
using namespace convmlir::test;

namespace {

class TuningRecordsTest : public testing::Test {
protected:
  /// Adds a record of the problem to a file.
  void add(const std::string &file, const std::string &schedule,
           const std::string &target = "sm_90a",
           const std::string &device = "Fake GPU") {
    Status status =
        addTuningRecord(folder.path(file),
                        makeTuningRecord(problem, target, schedule, device, 1));
    ASSERT_TRUE(status) << status.error();
  }
  TuningRecords load(const TuningSources &sources) {
    Result<TuningRecords> records = loadTuningRecords(sources);
    EXPECT_TRUE(records) << records.error();
    return *records;
  }
  /// The schedules of all matches, in order.
  std::string schedules(const TuningRecords &records) {
    std::string text;
    for (TuningMatch match : records.lookup(problem, "sm_90a"))
      text += match.record->schedule + " ";
    return text;
  }

  TemporaryDirectory folder;
  Problem problem = *parseProblem("forward n=2 c=16 h=9 w=7 k=32 r=3 s=1");
};

TEST_F(TuningRecordsTest, theUsersFileComesFirst) {
  add("user.json", "user");
  add("shipped/b.json", "b");
  add("shipped/a.json", "a");
  TuningRecords records =
      load({folder.path("user.json"), false, folder.path("shipped")});
  EXPECT_EQ(schedules(records), "user a b ");
  EXPECT_EQ(*records.lookup(problem, "sm_90a")[0].file,
            folder.path("user.json"));
}

TEST_F(TuningRecordsTest, allDevicesAreFound) {
  add("user.json", "first");
  add("user.json", "second", "sm_90a", "Other GPU");
  add("shipped/a.json", "third");
  TuningRecords records =
      load({folder.path("user.json"), false, folder.path("shipped")});
  EXPECT_EQ(schedules(records), "first second third ");
  EXPECT_EQ(records.lookup(problem, "sm_90a")[1].record->device, "Other GPU");
}

TEST_F(TuningRecordsTest, problemAndTargetMustMatch) {
  add("user.json", "other", "sm_80");
  TuningRecords records = load({folder.path("user.json"), false, ""});
  EXPECT_EQ(schedules(records), "");
  EXPECT_EQ(records.lookup(problem, "sm_80").size(), 1u);
  problem.geometry.n = 3;
  EXPECT_TRUE(records.lookup(problem, "sm_80").empty());
}

TEST_F(TuningRecordsTest, floatsOf16BitsServeEachOther) {
  add("shipped/a.json", "bf16");
  problem = *parseProblem("forward n=2 c=16 h=9 w=7 k=32 r=3 s=1 type=f16");
  TuningSources sources = {folder.path("user.json"), true,
                           folder.path("shipped")};
  EXPECT_EQ(schedules(load(sources)), "bf16 ");
  add("shipped/b.json", "f16");
  EXPECT_EQ(schedules(load(sources)), "f16 bf16 ");
  problem.outType = "f32"; // Of neither.
  EXPECT_EQ(schedules(load(sources)), "");
  problem.type = "tf32";
  EXPECT_EQ(schedules(load(sources)), "");
}

TEST_F(TuningRecordsTest, anActivationMakesNoDifference) {
  add("user.json", "user");
  problem.epilogue.activation = Activation::Gelu;
  EXPECT_EQ(schedules(load({folder.path("user.json"), false, ""})), "user ");
  problem.epilogue.bias = true;
  EXPECT_EQ(schedules(load({folder.path("user.json"), false, ""})), "");
}

TEST_F(TuningRecordsTest, theTypeOfABiasMakesNoDifference) {
  Problem narrow = *parseProblem(
      "forward c=8 w=9 k=8 s=1 epilogue=scale bias-type=bf16");
  Problem wide = *parseProblem("forward c=8 w=9 k=8 s=1 epilogue=bias");
  EXPECT_EQ(tuningKey(narrow), tuningKey(wide));
  EXPECT_TRUE(parseProblem(tuningFamily(narrow)));
}

TEST_F(TuningRecordsTest, onlyTheDefaultFileMayBeAbsent) {
  std::string path = folder.path("absent.json");
  EXPECT_TRUE(load({path, true, folder.path("absent")}).empty());
  Result<TuningRecords> records = loadTuningRecords({path, false, ""});
  ASSERT_FALSE(records);
  EXPECT_TRUE(contains(records.error(), path));
}

TEST_F(TuningRecordsTest, anotherFormatVersionIsAWarning) {
  std::string path = folder.path("new.json");
  std::ofstream(path) << R"({"format": "conv-mlir-tuning", "version": 2})";
  TuningRecords records = load({path, false, ""});
  EXPECT_EQ(records.warnings(),
            std::vector<std::string>{path + ": expected format version 1, got "
                                            "2: its records are ignored"});
  EXPECT_EQ(schedules(records), "");
}

TEST_F(TuningRecordsTest, aDamagedShippedFileIsAnError) {
  std::filesystem::create_directory(folder.path("shipped"));
  std::ofstream(folder.path("shipped/a.json")) << "{";
  EXPECT_FALSE(loadTuningRecords({"", false, folder.path("shipped")}));
}

TEST_F(TuningRecordsTest, shippedRecordsLieBesideTheProgram) {
  std::filesystem::path program =
      std::filesystem::canonical("/proc/self/exe").parent_path();
  EXPECT_EQ(shippedTuningFolder(),
            (program.parent_path() / "share/conv-mlir/tuning").string());
}

} // namespace
