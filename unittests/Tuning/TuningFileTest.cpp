//===- TuningFileTest.cpp - reading and writing tuning files --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/TuningFile.h"
#include "conv/Runtime/FileIO.h"

#include "../Runtime/TestFiles.h"

#include "gtest/gtest.h"

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace convmlir;
using namespace convmlir::test;

namespace {

Problem problem(const std::string &line) {
  Result<Problem> parsed = parseProblem(line);
  EXPECT_TRUE(parsed) << parsed.error();
  return *parsed;
}

const char *const layer = "forward n=2 c=16 h=9 w=7 k=32 r=3 s=1 pad=1x0";

TuningRecord record(const std::string &line, const std::string &schedule) {
  return makeTuningRecord(problem(line), "sm_90a", schedule, "Fake GPU", 12.5);
}

/// A file whose only record has those members.
std::string fileOf(const std::string &members) {
  return R"({"format": "conv-mlir-tuning", "version": 1, "records": [{)" +
         members + "}]}";
}

const std::string wholeRecord =
    R"("problem": "forward c=8 h=4 w=4 k=8 r=1 s=1", "target": "sm_80",
       "schedule": "stages=3", "median_us": 1, "device": "GPU",
       "date": "2026-01-02", "conv_mlir": "0.1.0")";

std::string errorOf(const std::string &text) {
  Result<TuningFile> file = TuningFile::parse(text, "some.json");
  return file ? "" : file.error();
}

/// A locale with decimal commas, made here: few machines have one installed.
std::string makeCommaLocale(const TemporaryDirectory &directory) {
  std::string source = "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n"
                       "LC_COLLATE\ncopy \"POSIX\"\nEND LC_COLLATE\n"
                       "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
                       "grouping -1\nEND LC_NUMERIC\n";
  EXPECT_TRUE(writeFileAtomically(
      directory.path("source"),
      {reinterpret_cast<const uint8_t *>(source.data()), source.size()}));
  std::string command = "localedef -c -i " + directory.path("source") + " " +
                        directory.path("comma") + " >/dev/null 2>&1";
  (void)!std::system(command.c_str()); // 1: some categories are missing.
  return "comma";
}

TEST(TuningFileTest, isJsonInEveryLocale) {
  TemporaryDirectory directory;
  std::string name = makeCommaLocale(directory);
  ::setenv("LOCPATH", directory.path("").c_str(), 1);
  if (!std::setlocale(LC_NUMERIC, name.c_str()))
    GTEST_SKIP() << "no localedef";
  std::array<char, 8> comma;
  std::snprintf(comma.data(), comma.size(), "%.1f", 7.5);
  TuningFile file;
  file.add(record(layer, "tile=64x64x32"));
  std::string text = file.print();
  Result<TuningFile> read = TuningFile::parse(text, "some.json");
  std::setlocale(LC_NUMERIC, "C");
  ::unsetenv("LOCPATH");
  EXPECT_STREQ(comma.data(), "7,5");
  EXPECT_TRUE(contains(text, "\"median_us\": 12.50,"));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->records()[0].medianUs, 12.5);
}

TEST(TuningFileTest, timesOfEverySizeAreRead) {
  for (double time : {5e-324, 1.25e-9, 0.0099, 0.01, 1e22, 1e300,
                      std::numeric_limits<double>::max()}) {
    TuningFile file;
    TuningRecord one = record(layer, "tile=64x64x32");
    one.medianUs = time;
    file.add(one);
    Result<TuningFile> read = TuningFile::parse(file.print(), "some.json");
    ASSERT_TRUE(read) << read.error() << file.print();
    EXPECT_NEAR(read->records()[0].medianUs / time, 1, 0.05) << file.print();
  }
}

TEST(TuningFileTest, readsWhatItPrints) {
  TuningFile file;
  file.add(record(layer, "tile=64x64x32"));
  file.add(record("dgrad c=8 h=4 w=5 k=8 r=1 s=1", "tile=32x32x16"));
  Result<TuningFile> read = TuningFile::parse(file.print(), "some.json");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->records().size(), 2u);
  const TuningRecord &first = read->records()[0];
  EXPECT_EQ(first.problem, toString(problem(layer)));
  EXPECT_EQ(first.target, "sm_90a");
  EXPECT_EQ(first.schedule, "tile=64x64x32");
  EXPECT_EQ(first.device, "Fake GPU");
  EXPECT_EQ(first.medianUs, 12.5);
  EXPECT_EQ(first.date.size(), 10u);
  EXPECT_FALSE(first.version.empty());
  EXPECT_EQ(first.stale, "");
  EXPECT_EQ(read->print(), file.print());
}

TEST(TuningFileTest, printsOneRecordALine) {
  TuningFile file;
  file.add(record(layer, "a"));
  file.add(record("dgrad c=8 h=4 w=5 k=8 r=1 s=1", "b"));
  std::string text = file.print();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
}

TEST(TuningFileTest, theKeyIsCanonicalAndHasNoActivation) {
  std::string line =
      "forward k=8 c=8 w=4 h=4 r=1 s=1 stride=1x1 epilogue=clip:0:6,scale";
  EXPECT_EQ(tuningKey(problem(line)),
            "forward n=1 c=8 h=4 w=4 k=8 r=1 s=1 stride=1 pad=0 dilation=1 "
            "groups=1 type=bf16 epilogue=bias");
}

TEST(TuningFileTest, aRecordTakesThePlaceOfItsKey) {
  TuningFile file;
  file.add(record(layer, "a"));
  file.add(record(std::string(layer) + " type=f16", "b"));
  file.add(record(layer, "c"));
  ASSERT_EQ(file.records().size(), 2u);
  EXPECT_EQ(file.records()[0].schedule, "c");
}

TEST(TuningFileTest, devicesHaveRecordsOfTheirOwn) {
  TuningFile file;
  file.add(record(layer, "a"));
  TuningRecord other = record(layer, "b");
  other.device = "Other GPU";
  file.add(other);
  file.add(record(layer, "c"));
  Result<TuningFile> read = TuningFile::parse(file.print(), "some.json");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->records().size(), 2u);
  EXPECT_EQ(read->records()[0].schedule, "c");
  EXPECT_EQ(read->records()[1].schedule, "b");
  EXPECT_EQ(read->records()[1].device, "Other GPU");
}

/// Of a device that is as the table of chips says nothing is written.
TEST(TuningFileTest, numbersOfMultiprocessorsHaveRecordsOfTheirOwn) {
  TuningFile file;
  auto add = [&](const char *schedule, int64_t multiprocessors) {
    file.add(makeTuningRecord(problem(layer), "sm_90a", schedule, "GPU", 1,
                              multiprocessors));
  };
  add("a", 0);
  add("b", 78);
  add("c", 132);
  add("d", 78);
  std::string text = file.print();
  Result<TuningFile> read = TuningFile::parse(text, "some.json");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->records().size(), 2u) << text;
  EXPECT_EQ(read->records()[0].schedule, "c");
  EXPECT_EQ(read->records()[0].multiprocessors, 0);
  EXPECT_EQ(read->records()[1].schedule, "d");
  EXPECT_EQ(read->records()[1].multiprocessors, 78);
  EXPECT_EQ(text.find("multiprocessors"), text.rfind("multiprocessors"));
  EXPECT_EQ(read->print(), text);
}

TEST(TuningFileTest, refusesWhatIsNoTuningFile) {
  EXPECT_TRUE(
      contains(errorOf("tile=1"), "some.json:1:2: expected a tuning file"));
  EXPECT_TRUE(contains(errorOf("[]"), "expected an object"));
  EXPECT_TRUE(contains(errorOf(R"({"version": 5e564})"),
                       "some.json: expected a tuning file, but it has a number "
                       "that no double holds"));
  EXPECT_TRUE(contains(errorOf("{}"), "'format' is absent"));
  EXPECT_TRUE(contains(errorOf(R"({"format": "x", "version": 1})"), "got 'x'"));
  EXPECT_TRUE(contains(
      errorOf(R"({"format": "conv-mlir-tuning", "version": "1"})"), "version"));
  EXPECT_TRUE(contains(
      errorOf(R"({"format": "conv-mlir-tuning", "version": 1})"), "records"));
  EXPECT_TRUE(contains(errorOf(fileOf(R"("problem": "x")")),
                       "records[0]: 'target' is absent"));
  EXPECT_TRUE(contains(errorOf(fileOf(R"("problem": 3)")),
                       "records[0].problem: expected a string, got number"));
  EXPECT_EQ(errorOf(fileOf(wholeRecord)), "");
}

TEST(TuningFileTest, anUnknownKeyIsStaleAndKept) {
  Result<TuningFile> file =
      TuningFile::parse(fileOf(wholeRecord + R"(, "cluster": 2)"), "some.json");
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->records()[0].stale, "unknown key 'cluster'");
  EXPECT_TRUE(contains(file->print(), "\"cluster\":2"));
}

/// A file of the whole record with one text in the place of another.
std::string replaced(const std::string &before, const std::string &after) {
  std::string text = fileOf(wholeRecord);
  return text.replace(text.find(before), before.size(), after);
}

TEST(TuningFileTest, refusesRecordsThatCannotHold) {
  EXPECT_TRUE(contains(errorOf(replaced("c=8", "c=8 colour=1")),
                       "records[0].problem: colour"));
  for (const char *target : {"sm_", "sm_90x", "gfx90a"})
    EXPECT_TRUE(contains(errorOf(replaced("sm_80", target)),
                         "records[0].target: expected an architecture such as "
                         "sm_90a, got '" +
                             std::string(target) + "'"));
  EXPECT_EQ(errorOf(replaced("sm_80", "sm_120a")), "");
  EXPECT_TRUE(contains(errorOf(replaced("stages=3", " ")),
                       "records[0].schedule: expected keys"));
  for (const char *number : {"-1", "4097"})
    EXPECT_TRUE(
        contains(errorOf(replaced("\"median_us\": 1",
                                  "\"median_us\": 1, \"multiprocessors\": " +
                                      std::string(number))),
                 "records[0].multiprocessors: expected 1 to 4096, got"));
  for (const char *median : {"0", "-1.5"})
    EXPECT_TRUE(
        contains(errorOf(replaced("\"median_us\": 1",
                                  std::string("\"median_us\": ") + median)),
                 "records[0].median_us: expected a positive number, got"));
}

TEST(TuningFileTest, refusesAKeyThatIsThereTwice) {
  std::string twice = wholeRecord;
  twice.replace(twice.find("k=8"), 3, "k=8 n=1");
  EXPECT_TRUE(contains(errorOf(fileOf(wholeRecord + "}, {" + twice)),
                       "records[1]: expected each key once, got 'forward n=1"));
  EXPECT_TRUE(contains(errorOf(fileOf(wholeRecord + "}, {" + twice)),
                       "for sm_80 on GPU twice"));
  // A record of no device is for all.
  std::string nameless = wholeRecord;
  nameless.replace(nameless.find("GPU"), 3, "");
  EXPECT_TRUE(contains(errorOf(fileOf(nameless + "}, {" + nameless)),
                       "for sm_80 twice"));
}

TEST(TuningFileTest, refusesWhatFollowsTheEnd) {
  std::string text = fileOf(wholeRecord);
  EXPECT_EQ(errorOf(text + "\n"), "");
  for (const std::string &rest : {std::string("x"), std::string(1, '\0')})
    EXPECT_TRUE(contains(errorOf(text + rest), "it is not JSON"));
}

TEST(TuningFileTest, saysWhereItIsNoJson) {
  std::string rest = ": expected a tuning file, but it is not JSON";
  EXPECT_EQ(errorOf(""), "some.json:1:1" + rest);
  EXPECT_EQ(errorOf("{\n \"format\": 1,\n  x}"), "some.json:3:3" + rest);
  EXPECT_EQ(errorOf(std::string("{\n}\0", 4)), "some.json:2:2" + rest);
}

TEST(TuningFileTest, writesNoRecordThatCannotBeRead) {
  TemporaryDirectory folder;
  std::string path = folder.path("tuning.json");
  TuningRecord wrong = record(layer, "stages=3");
  wrong.medianUs = 0;
  EXPECT_EQ(addTuningRecord(path, wrong).error(),
            "tuning record: median_us: expected a positive number, got "
            "0.000000");
  wrong.medianUs = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(addTuningRecord(path, wrong).error(), "got nan"));
  wrong.medianUs = 0.001;
  ASSERT_TRUE(addTuningRecord(path, wrong));
  EXPECT_TRUE(TuningFile::read(path));
}

TEST(TuningFileTest, whatCannotBeAFileIsFoundBeforehand) {
  TemporaryDirectory folder;
  EXPECT_TRUE(checkTuningFile(folder.path("absent/tuning.json")));
  EXPECT_TRUE(contains(
      checkTuningFile(folder.path(std::string(300, 'x'))).error(), "too long"));
  std::filesystem::create_symlink("loop", folder.path("loop"));
  EXPECT_TRUE(contains(checkTuningFile(folder.path("loop")).error(),
                       "Too many levels of symbolic links"));
}

TEST(TuningFileTest, shippedFilesCanBeRead) {
  for (const auto &entry : std::filesystem::directory_iterator(SHIPPED_TUNING))
    if (entry.path().extension() == ".json") {
      Result<TuningFile> file = TuningFile::read(entry.path().string());
      ASSERT_TRUE(file) << file.error();
      EXPECT_FALSE(file->records().empty());
    }
}

TEST(TuningFileTest, anotherFormatVersionHasNoRecords) {
  Result<TuningFile> file = TuningFile::parse(
      R"({"format": "conv-mlir-tuning", "version": 9, "rows": 1})",
      "some.json");
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->version(), 9);
  EXPECT_TRUE(file->records().empty());
}

TEST(TuningFileTest, addsToFilesInNewFolders) {
  TemporaryDirectory folder;
  std::string path = folder.path("a/b/tuning.json");
  for (const char *schedule : {"a", "b"}) {
    Status status = addTuningRecord(path, record(layer, schedule));
    ASSERT_TRUE(status) << status.error();
  }
  Result<TuningFile> file = TuningFile::read(path);
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(file->records().size(), 1u);
  EXPECT_EQ(file->records()[0].schedule, "b");
}

TEST(TuningFileTest, leavesOtherFilesAsTheyAre) {
  TemporaryDirectory folder;
  std::string path = folder.path("tuning.json");
  for (std::string text :
       {R"({"format": "conv-mlir-tuning", "version": 9})", "no JSON"}) {
    Bytes before(text.begin(), text.end());
    ASSERT_TRUE(writeFileAtomically(path, before));
    EXPECT_FALSE(addTuningRecord(path, record(layer, "a")));
    EXPECT_EQ(*readFile(path), before);
  }
}

} // namespace
