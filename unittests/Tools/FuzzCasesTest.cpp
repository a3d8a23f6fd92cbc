//===- FuzzCasesTest.cpp - which schedules random problems get ------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzCases.h"

#include "conv/Dialect/Conv/IR/KernelForm.h"

#include "gtest/gtest.h"

#include <set>

using namespace convmlir;
using namespace mlir::conv;

namespace {

constexpr uint64_t kSeed = 1;

FuzzCase draw(int64_t number) {
  return drawFuzzCase(kSeed, number, *lookupChip("sm_90a"), FuzzProfile::Edges);
}

/// The fields of a complete text.
ScheduleFields readFields(const std::string &text) {
  ScheduleFields fields;
  for (const ScheduleWord &word : splitScheduleText(text)) {
    bool isRead = word.key && setScheduleField(fields, word.key->key,
                                               readScheduleValue(word.value));
    EXPECT_TRUE(isRead) << text;
  }
  return fields;
}

/// The first text of a case that `wanted` takes, and that has a kernel.
template <typename Wanted> std::string findText(Wanted wanted, bool &isWgrad) {
  constexpr int64_t most = 1200;
  ChipInfo chip = *lookupChip("sm_90a");
  for (int64_t number = 0; number < most; ++number) {
    FuzzCase tested = draw(number);
    if (!wanted(tested.schedule))
      continue;
    isWgrad = tested.problem.kind == ConvKind::Wgrad;
    if (std::string text = scheduleOf(tested, chip); !text.empty())
      return text;
  }
  return "";
}

/// Forms that schedules of high rank do not have, or seldom.
const std::vector<KernelForm> kAsked[] = {
    {KernelForm::Loops},
    {KernelForm::Bands},
    {KernelForm::Kn2row},
    {KernelForm::ImageTaps},
    {KernelForm::Swapped, KernelForm::SwappedWindow, KernelForm::ImageTaps}};

TEST(FuzzCasesTest, SchedulesHaveTheFormThatIsAskedFor) {
  for (const std::vector<KernelForm> &forms : kAsked) {
    bool isWgrad = false;
    std::string text = findText(
        [&](const FuzzSchedule &schedule) { return schedule.forms == forms; },
        isWgrad);
    std::string first = getInfo(forms.front()).name.str();
    ASSERT_NE(text, "") << first;
    KernelForm form =
        mlir::conv::getKernelForm(readFields(text), isWgrad ? 2 : 1);
    EXPECT_TRUE(llvm::is_contained(forms, form)) << first << ": " << text;
  }
}

TEST(FuzzCasesTest, SchedulesHaveTheKeyThatIsAskedFor) {
  for (auto [key, word] :
       {std::pair(ScheduleKey::Tail, ""), std::pair(ScheduleKey::Tail, "even"),
        std::pair(ScheduleKey::Gather, ""),
        std::pair(ScheduleKey::KMajor, "")}) {
    bool isWgrad = false;
    std::string text = findText(
        [&](const FuzzSchedule &schedule) {
          return schedule.key == key && schedule.word == word;
        },
        isWgrad);
    ASSERT_NE(text, "");
    EXPECT_FALSE(isDefault(readFields(text), key)) << text;
    EXPECT_EQ(*findScheduleValue(text, key) == "even",
              llvm::StringRef(word) == "even")
        << text;
  }
}

/// Texts that name what the model never chooses, for types that have it.
TEST(FuzzCasesTest, BaselinesAreNamed) {
  for (const char *wanted :
       {"reading=cyclic", "reading=strided", "reading=warp_tile", "mma=wmma"}) {
    bool isWgrad = false;
    std::string text = findText(
        [&](const FuzzSchedule &schedule) {
          return llvm::StringRef(schedule.text).contains(wanted);
        },
        isWgrad);
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
  }
  FuzzCase tested = draw(0);
  tested.schedule = {};
  tested.schedule.text = "mma=wmma";
  for (auto [type, expected] :
       {std::pair("f16", "mma=wmma"), std::pair("bf16", "")}) {
    tested.problem.type = type;
    EXPECT_EQ(scheduleOf(tested, *lookupChip("sm_90a")), expected) << type;
  }
}

/// Each row of the table, but those of which schedules of any form often are.
TEST(FuzzCasesTest, EveryFormIsAskedForOrComesByRank) {
  constexpr int64_t draws = 1000;
  std::set<KernelForm> asked;
  bool isAnyDrawn = false;
  for (int64_t number = 0; number < draws; ++number) {
    FuzzSchedule schedule = draw(number).schedule;
    isAnyDrawn |= schedule.isRanked && schedule.isAny();
    asked.insert(schedule.forms.begin(), schedule.forms.end());
  }
  EXPECT_TRUE(isAnyDrawn);
  for (const KernelFormInfo &info : getKernelForms())
    EXPECT_TRUE(!info.isSeldom || asked.count(info.form)) << info.name.str();
}

} // namespace
