//===- TuningTest.cpp - tuning through the C API --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Tuning.h"
#include "Handle.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace convmlir::test;

namespace {

constexpr const char *line = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=bf16";

class CTuning : public testing::Test {
protected:
  CTuning()
      : folder(std::filesystem::temp_directory_path() /
               ("conv-capi-" + std::to_string(getpid()))),
        file((folder / "records.json").string()) {
    options.size = sizeof options;
    options.target = "sm_80";
    options.emulator_only = 1;
    options.on_warning = [](const char *message, void *data) {
      *static_cast<std::string *>(data) += message;
    };
    options.warning_data = &warnings;
  }
  ~CTuning() override { std::filesystem::remove_all(folder); }

  void record(const char *schedule, const char *device = "Some GPU") {
    ASSERT_EQ(convmlir_add_tuning_record(file.c_str(), line, "sm_80", schedule,
                                         device, 7.5),
              CONVMLIR_OK)
        << convmlir_last_error();
    options.tuning_file = file.c_str();
  }
  /// Makes a record that add_tuning_record refuses.
  void replaceInFile(const std::string &before, const std::string &after) {
    std::ifstream input(file);
    std::string text((std::istreambuf_iterator<char>(input)), {});
    text.replace(text.find(before), before.size(), after);
    std::ofstream(file) << text;
  }
  /// What is chosen with the options.
  std::string chosen() {
    convmlir_plan *plan = nullptr;
    EXPECT_EQ(convmlir_compile_problem(line, &options, &plan), CONVMLIR_OK)
        << convmlir_last_error();
    return describe(PlanHandle(plan)).schedule;
  }

  std::filesystem::path folder;
  std::string file, warnings;
  convmlir_compile_options options{};
};

TEST_F(CTuning, candidatesAreLines) {
  char *text = nullptr;
  ASSERT_EQ(convmlir_candidate_schedules(line, "sm_80", 3, &text), CONVMLIR_OK)
      << convmlir_last_error();
  std::string lines = text;
  convmlir_free(text);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
  EXPECT_TRUE(chosen().ends_with(": " + lines.substr(0, lines.find('\n'))));
}

TEST_F(CTuning, recordsAreUsed) {
  record("tile=64x16x16 warps=4x1 stages=3");
  EXPECT_NE(chosen().find("tile=64x16x16"), std::string::npos);
  options.no_tuning = 1;
  EXPECT_EQ(chosen().find("tile=64x16x16"), std::string::npos);
  EXPECT_EQ(warnings, "");
}

TEST_F(CTuning, recordsOfOtherDevicesDoNotCount) {
  record("tile=64x16x16 warps=4x1 stages=3");
  options.device = "Some GPU";
  EXPECT_NE(chosen().find("tile=64x16x16"), std::string::npos);
  options.device = "Some other GPU";
  EXPECT_EQ(chosen().find("tile=64x16x16"), std::string::npos);
  record("tile=64x16x16 warps=4x1 stages=3", "");
  EXPECT_NE(chosen().find("tile=64x16x16"), std::string::npos);
  EXPECT_EQ(warnings, "");
}

TEST_F(CTuning, staleRecordsAreWarnings) {
  record("stages=5");
  replaceInFile("stages=5", "stages=99");
  EXPECT_EQ(chosen().find("stages=99"), std::string::npos);
  EXPECT_NE(warnings.find("is stale and ignored: stages must be"),
            std::string::npos)
      << warnings;
}

TEST_F(CTuning, textIsUtf8) {
  EXPECT_EQ(convmlir_add_tuning_record(file.c_str(), line, "sm_80", "stages=3",
                                       "GPU \xff\xfe", 1),
            CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "tuning record: device: expected text in UTF-8");
  EXPECT_FALSE(std::filesystem::exists(folder));
  record("tile=64x16x16 warps=4x1 stages=3", "Grafik größer");
  options.device = "Grafik größer";
  EXPECT_NE(chosen().find("tile=64x16x16"), std::string::npos);
}

TEST_F(CTuning, badInputIsRefused) {
  char *text = nullptr;
  EXPECT_EQ(convmlir_candidate_schedules(line, "sm_70", 3, &text),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_candidate_schedules(line, nullptr, 3, &text),
            CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "target: expected a pointer, got NULL");
  EXPECT_EQ(convmlir_candidate_schedules(line, "sm_80", 0, &text),
            CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "count: expected at least 1, got 0");
  EXPECT_EQ(convmlir_candidate_schedules("forward", "sm_80", 3, &text),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_add_tuning_record("/proc/none/x.json", line, "sm_80", "",
                                       "Some GPU", 1),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_add_tuning_record("x", line, "sm_80", "", nullptr, 1),
            CONVMLIR_BAD_INPUT);
  auto add = [&](const char *target, const char *schedule) {
    EXPECT_EQ(convmlir_add_tuning_record(file.c_str(), line, target, schedule,
                                         "Some GPU", 1),
              CONVMLIR_BAD_INPUT);
    EXPECT_FALSE(std::filesystem::exists(folder));
    return std::string(convmlir_last_error());
  };
  EXPECT_EQ(add("sm_70", "stages=3"),
            "unknown target 'sm_70', expected one of sm_80, sm_86, sm_89, "
            "sm_90, sm_100, sm_103, sm_120, sm_121, sm_90a");
  EXPECT_EQ(add("sm_80", "stages=99"),
            "schedule 'stages=99' cannot run: stages "
            "must be 2 to 8, but is 99");
  EXPECT_NE(add("sm_80", "tiles=64x64x32").find("unknown key 'tiles', did you mean "
                                               "'tile'?"),
            std::string::npos);
  options.tuning_file = "/absent.json";
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_problem(line, &options, &plan),
            CONVMLIR_BAD_INPUT);
}

} // namespace
