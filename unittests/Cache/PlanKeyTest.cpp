//===- PlanKeyTest.cpp - what a plan is made of ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildIdentity.h"
#include "Digest.h"
#include "TestKeys.h"

#include <functional>
#include <map>
#include <set>

using namespace convmlir;
using namespace convmlir::test;

namespace fs = std::filesystem;

namespace {

TEST(PlanKey, digestIsSha256) {
  EXPECT_EQ(sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991"
            "b7852b855");
  EXPECT_EQ(sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410"
            "ff61f20015ad");
  EXPECT_EQ(makeKey().digest(), sha256(makeKey().text()));
}

TEST(PlanKey, spellingsAreOneProblem) {
  EXPECT_EQ(makeKey("forward k=4 w=8 h=8 c=16 s=3 r=3 n=1 type=bf16").text(),
            makeKey().text());
  CompileOptions first, second;
  first.schedule = "stages=3 tile=64x64x32";
  second.schedule = " stages=3,,tile=64x64x32 ";
  EXPECT_EQ(makeKey(testLine, first).text(), makeKey(testLine, second).text());
}

/// Everything that a problem line can say.
TEST(PlanKey, everyPartOfAProblemCounts) {
  std::set<std::string> digests = {makeKey().digest()};
  std::string rest = "forward n=1 c=16 h=8 w=8 k=4 r=3 s=3";
  std::vector<std::string> lines = {"dgrad n=1 c=16 h=8 w=8 k=4 r=3 s=3",
                                    "wgrad n=1 c=16 h=8 w=8 k=4 r=3 s=3",
                                    "forward n=2 c=16 h=8 w=8 k=4 r=3 s=3",
                                    "forward c=8 h=8 w=8 k=4 r=3 s=3",
                                    "forward c=16 h=9 w=8 k=4 r=3 s=3",
                                    "forward c=16 h=8 w=9 k=4 r=3 s=3",
                                    "forward c=16 h=8 w=8 k=8 r=3 s=3",
                                    "forward c=16 h=8 w=8 k=4 r=2 s=3",
                                    "forward c=16 h=8 w=8 k=4 r=3 s=2",
                                    "forward c=16 w=8 k=4 s=3"};
  for (const char *key : {"stride=2",
                          "stride=1x2",
                          "pad=1",
                          "pad=1:0",
                          "dilation=2",
                          "groups=2",
                          "type=f16",
                          "out-type=f32",
                          "layout=nchw",
                          "epilogue=bias",
                          "epilogue=relu",
                          "epilogue=residual",
                          "epilogue=scale",
                          "epilogue=gelu",
                          "epilogue=clip:0:6",
                          "epilogue=clip:0:5",
                          "accumulate=true",
                          "flip=true",
                          "input-dilation=2",
                          "epilogue=bias bias-type=bf16",
                          "type=e4m3",
                          "type=e4m3 second-type=e5m2"})
    lines.push_back(rest + " " + key);
  for (const std::string &line : lines)
    EXPECT_TRUE(digests.insert(makeKey(line).digest()).second) << line;
}

class PlanKeyOptions : public testing::Test {
protected:
  PlanKeyOptions() {
    for (const char *name : {"ptxas", "other"})
      EXPECT_TRUE(writeFileAtomically(folder.path(name), Bytes{1, 2}));
    base.target = "sm_80";
    base.ptxas = folder.path("ptxas");
    base.tuning = load(R"({"problem": "forward c=16 h=8 w=8 k=4 r=3 s=3",
        "target": "sm_80", "schedule": "stages=3", "median_us": 5,
        "device": "A", "date": "", "conv_mlir": ""})");
  }

  std::shared_ptr<const TuningRecords> load(const std::string &records) {
    std::string text = R"({"format": "conv-mlir-tuning", "version": 1,
                           "records": [)" +
                       records + "]}";
    std::string path = folder.path("tuning.json");
    EXPECT_TRUE(writeFileAtomically(path, Bytes(text.begin(), text.end())));
    Result<TuningRecords> loaded = loadTuningRecords({path, false, ""});
    EXPECT_TRUE(loaded) << loaded.error();
    return std::make_shared<TuningRecords>(std::move(*loaded));
  }

  std::string digest() const { return makeKey(testLine, base).digest(); }

  TemporaryDirectory folder;
  CompileOptions base;
};

TEST_F(PlanKeyOptions, everyOptionCounts) {
  const std::map<std::string, std::function<void(CompileOptions &)>> changes = {
      {"target", [](CompileOptions &o) { o.target = "sm_90"; }},
      {"multiprocessors",
       [](CompileOptions &o) { o.limits.multiprocessors = 78; }},
      {"shared memory",
       [](CompileOptions &o) { o.limits.sharedPerBlock = 1 << 16; }},
      {"schedule", [](CompileOptions &o) { o.schedule = "stages=3"; }},
      {"no ptxas", [](CompileOptions &o) { o.ptxas = ""; }},
      {"ptxas", [&](CompileOptions &o) { o.ptxas = folder.path("other"); }},
      {"absent ptxas", [&](CompileOptions &o) { o.ptxas = folder.path("no"); }},
      {"tuning", [](CompileOptions &o) { o.tuning = nullptr; }},
      {"empty tuning", [&](CompileOptions &o) { o.tuning = load(""); }},
      {"device", [](CompileOptions &o) { o.device = "NVIDIA H200"; }},
      {"no workspace", [](CompileOptions &o) { o.maxWorkspace = 0; }},
      {"workspace", [](CompileOptions &o) { o.maxWorkspace = 1; }},
      {"code", [](CompileOptions &o) { o.targetCode = false; }},
      {"flaws", [](CompileOptions &o) { o.refuseFlaws = true; }}};
  std::set<std::string> digests = {digest()};
  for (const auto &[name, change] : changes) {
    CompileOptions options = base;
    change(options);
    EXPECT_TRUE(digests.insert(makeKey(testLine, options).digest()).second)
        << name;
  }
}

TEST_F(PlanKeyOptions, aDeviceThatIsAsTheTableSaysIsTheSame) {
  std::string before = digest();
  base.limits = {108, 163 << 10};
  EXPECT_EQ(digest(), before);
  EXPECT_TRUE(contains(makeKey(testLine, base).text(),
                       "\nmultiprocessors 108\nworkgroup-shared 166912\n"));
}

TEST_F(PlanKeyOptions, ptxasThatWasReplacedCounts) {
  std::string before = digest();
  ASSERT_TRUE(writeFileAtomically(base.ptxas, Bytes{1, 2, 3}));
  std::string larger = digest();
  EXPECT_NE(before, larger);
  fs::last_write_time(base.ptxas, fs::file_time_type::clock::now() +
                                      std::chrono::seconds(5));
  EXPECT_NE(digest(), larger);
}

TEST_F(PlanKeyOptions, ptxasIsOneFileByAnyPath) {
  std::string before = digest();
  fs::create_symlink("ptxas", folder.path("link"));
  base.ptxas = folder.path("link");
  EXPECT_EQ(digest(), before);
}

TEST_F(PlanKeyOptions, onlyRecordsOfTheConvolutionCount) {
  std::string before = digest();
  std::string own = R"({"problem": "forward c=16 h=8 w=8 k=4 r=3 s=3",
      "target": "sm_80", "schedule": "stages=3", "median_us": 5,
      "device": "A", "date": "", "conv_mlir": ""})";
  auto other = [](const char *problem, const char *target) {
    return std::string(R"(, {"problem": ")") + problem + R"(", "target": ")" +
           target + R"(", "schedule": "stages=4", "median_us": 5,
           "device": "A", "date": "", "conv_mlir": ""})";
  };
  base.tuning = load(own + other("forward c=8 h=8 w=8 k=4 r=3 s=3", "sm_80"));
  EXPECT_EQ(digest(), before);
  base.tuning = load(own + other("forward c=16 h=8 w=8 k=4 r=3 s=3", "sm_90"));
  EXPECT_EQ(digest(), before);
  // bf16 takes records of f16.
  base.tuning =
      load(own + other("forward c=16 h=8 w=8 k=4 r=3 s=3 type=f16", "sm_80"));
  EXPECT_NE(digest(), before);
  // Which of these an operation takes is not the key's to know.
  base.tuning = load(
      own + other("forward c=16 h=8 w=8 k=4 r=3 s=3 accumulate=true", "sm_80"));
  EXPECT_NE(digest(), before);
  std::string changed = own;
  changed.replace(changed.find("stages=3"), 8, "stages=4");
  base.tuning = load(changed);
  EXPECT_NE(digest(), before);
  EXPECT_EQ(makeKey(testLine, base).records().size(), 1u);
}

TEST_F(PlanKeyOptions, callbacksDoNotCount) {
  std::string before = digest();
  base.onWarning = [](const std::string &) {};
  EXPECT_EQ(digest(), before);
}

TEST_F(PlanKeyOptions, everyPartOfAModuleCounts) {
  auto keyOf = [&](const char *text, const char *name, const char *entry,
                   Precision precision = Precision::More) {
    return PlanKey::ofModule(text, name, entry, precision, base).digest();
  };
  std::set<std::string> digests = {
      keyOf("module {}", "x.mlir", ""), keyOf("module { }", "x.mlir", ""),
      keyOf("module {}", "y.mlir", ""), keyOf("module {}", "x.mlir", "main"),
      keyOf("module {}", "x.mlir", "", Precision::Text)};
  EXPECT_EQ(digests.size(), 5u);
  std::string before = keyOf("module {}", "x.mlir", "");
  // Which convolutions it has is not known: every record counts.
  base.tuning = load(R"({"problem": "forward c=8 h=8 w=8 k=4 r=3 s=3",
      "target": "sm_90", "schedule": "stages=3", "median_us": 5,
      "device": "A", "date": "", "conv_mlir": ""})");
  EXPECT_NE(keyOf("module {}", "x.mlir", ""), before);
}

/// A value cannot look as if it were another line.
TEST_F(PlanKeyOptions, valuesStayOnTheirLine) {
  base.schedule = "stages=3\ntarget";
  std::string text = makeKey(testLine, base).text();
  EXPECT_TRUE(contains(text, "schedule stages=3\\x0atarget\n"));
  base.schedule = "stages=3\\x0atarget";
  EXPECT_NE(makeKey(testLine, base).text(), text);
}

TEST_F(PlanKeyOptions, theBuildCounts) {
  EXPECT_TRUE(contains(makeKey(testLine, base).text(),
                       "library " CONV_MLIR_VERSION ", build " +
                           buildIdentity() + "\n"));
  // SHA-1, as the linker is told to: of this program and of LLVM.
  EXPECT_GE(buildIdentity().size(), 40u);
  EXPECT_EQ(buildIdentity().find(','), std::string::npos) << buildIdentity();
}

} // namespace
