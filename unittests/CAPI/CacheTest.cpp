//===- CacheTest.cpp - the plan cache through the C API -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Cache.h"
#include "Handle.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

using namespace convmlir::test;

namespace {

constexpr const char *line = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=bf16";
constexpr const char *module = R"(
func.func @f(%x: tensor<1x4x5x16xbf16>, %w: tensor<8x1x1x16xbf16>)
    -> tensor<1x4x5x8xbf16> {
  %y = tensor.empty() : tensor<1x4x5x8xbf16>
  %r = conv.forward ins(%x, %w : tensor<1x4x5x16xbf16>, tensor<8x1x1x16xbf16>)
         outs(%y : tensor<1x4x5x8xbf16>) -> tensor<1x4x5x8xbf16>
  return %r : tensor<1x4x5x8xbf16>
})";

class CCache : public testing::Test {
protected:
  CCache() {
    std::string pattern = testing::TempDir() + "conv-cache-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    options.size = sizeof options;
    options.target = "sm_80";
    options.emulator_only = 1;
    options.on_warning = [](const char *message, void *data) {
      *static_cast<std::string *>(data) += message;
    };
    options.warning_data = &warnings;
    open();
  }
  ~CCache() override {
    convmlir_cache_destroy(cache);
    std::filesystem::remove_all(folder);
  }

  /// As another process would.
  void open() {
    convmlir_cache_destroy(cache);
    cache = nullptr;
    ASSERT_EQ(convmlir_cache_open(folder.c_str(), CONVMLIR_DEFAULT_CACHE_BYTES,
                                  &cache),
              CONVMLIR_OK)
        << convmlir_last_error();
  }
  PlanHandle get(int32_t expected, const char *problem = line) {
    convmlir_plan *plan = nullptr;
    int32_t outcome = -1;
    EXPECT_EQ(convmlir_cache_problem(cache, problem, &options, &plan, &outcome),
              CONVMLIR_OK)
        << convmlir_last_error();
    EXPECT_EQ(outcome, expected);
    return PlanHandle(plan);
  }
  PlanHandle getModule(int32_t expected, const std::string &text) {
    convmlir_plan *plan = nullptr;
    int32_t outcome = -1;
    EXPECT_EQ(convmlir_cache_module(cache, text.data(), text.size(), "f.mlir",
                                    &options, &plan, &outcome),
              CONVMLIR_OK)
        << convmlir_last_error();
    EXPECT_EQ(outcome, expected);
    return PlanHandle(plan);
  }
  std::string list() {
    char *text = nullptr;
    EXPECT_EQ(convmlir_cache_list(cache, &text), CONVMLIR_OK);
    std::string copy = text;
    convmlir_free(text);
    return copy;
  }
  convmlir_cache_counts count() {
    convmlir_cache_counts counts{};
    counts.size = sizeof counts;
    EXPECT_EQ(convmlir_cache_count(cache, &counts), CONVMLIR_OK);
    return counts;
  }

  std::string folder, warnings;
  convmlir_compile_options options{};
  convmlir_cache *cache = nullptr;
};

std::string bytesOf(const PlanHandle &plan) {
  void *data = nullptr;
  size_t size = 0;
  EXPECT_EQ(convmlir_plan_serialise(plan.get(), &data, &size), CONVMLIR_OK);
  std::string bytes(static_cast<const char *>(data), size);
  convmlir_free(data);
  return bytes;
}

TEST_F(CCache, plansAreTheSameBits) {
  PlanHandle made = get(CONVMLIR_CACHE_MISS);
  open();
  PlanHandle found = get(CONVMLIR_CACHE_HIT);
  EXPECT_EQ(bytesOf(made), bytesOf(found));
  get(CONVMLIR_CACHE_HIT, "forward k=8 c=16 w=4 h=5 s=1 r=1");
  EXPECT_EQ(count().hits, 2);
  EXPECT_EQ(warnings, "");
}

TEST_F(CCache, optionsAreOtherPlans) {
  get(CONVMLIR_CACHE_MISS);
  options.schedule = "stages=4";
  PlanHandle other = get(CONVMLIR_CACHE_MISS);
  EXPECT_NE(std::string(describe(other).schedule).find("stages=4"),
            std::string::npos);
  options.schedule = nullptr;
  options.target = "sm_90";
  EXPECT_STREQ(describe(get(CONVMLIR_CACHE_MISS)).target, "sm_90");
  options.target = "sm_80";
  get(CONVMLIR_CACHE_HIT);
}

TEST_F(CCache, modulesAreKnownByTheirText) {
  PlanHandle made = getModule(CONVMLIR_CACHE_MISS, module);
  PlanHandle found = getModule(CONVMLIR_CACHE_HIT, module);
  EXPECT_EQ(bytesOf(made), bytesOf(found));
  getModule(CONVMLIR_CACHE_MISS, std::string(module) + "\n");
  options.entry = "f";
  getModule(CONVMLIR_CACHE_MISS, module);
  options.precision = "text";
  getModule(CONVMLIR_CACHE_MISS, module);
  getModule(CONVMLIR_CACHE_HIT, module);
}

TEST_F(CCache, findCompilesNothing) {
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_cache_find_problem(cache, line, &options, &plan),
            CONVMLIR_OK);
  EXPECT_EQ(plan, nullptr);
  PlanHandle made = get(CONVMLIR_CACHE_MISS);
  EXPECT_EQ(convmlir_cache_find_problem(cache, line, &options, &plan),
            CONVMLIR_OK);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(bytesOf(PlanHandle(plan)), bytesOf(made));
}

TEST_F(CCache, findCompilesNoModule) {
  convmlir_plan *plan = nullptr;
  std::string text = module;
  auto find = [&] {
    return convmlir_cache_find_module(cache, text.data(), text.size(), "f.mlir",
                                      &options, &plan);
  };
  EXPECT_EQ(find(), CONVMLIR_OK);
  EXPECT_EQ(plan, nullptr);
  PlanHandle made = getModule(CONVMLIR_CACHE_MISS, text);
  EXPECT_EQ(find(), CONVMLIR_OK);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(bytesOf(PlanHandle(plan)), bytesOf(made));
  EXPECT_EQ(convmlir_cache_find_module(cache, nullptr, 0, "m", &options, &plan),
            CONVMLIR_BAD_INPUT);
}

TEST_F(CCache, damageIsReportedAndMended) {
  get(CONVMLIR_CACHE_MISS);
  for (const auto &entry :
       std::filesystem::directory_iterator(folder + "/plans"))
    if (entry.path().extension() == ".conv-entry")
      std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  get(CONVMLIR_CACHE_REBUILT);
  EXPECT_NE(warnings.find("truncated or damaged"), std::string::npos)
      << warnings;
  get(CONVMLIR_CACHE_HIT);
  EXPECT_EQ(count().rebuilt, 1);
}

/// A record that comes later is one that counts.
TEST_F(CCache, tuningFilesAreReadAgainWhereTheyChange) {
  std::string path = folder + "/tuning.json";
  auto write = [&](const char *schedule) {
    std::ofstream(path) << R"({"format": "conv-mlir-tuning", "version": 1,
        "records": [{"problem": "forward c=16 h=5 w=4 k=8 r=1 s=1",
        "target": "sm_80", "schedule": ")"
                        << schedule << R"(",
        "median_us": 5, "device": "A", "date": "", "conv_mlir": ""}]})";
  };
  auto schedule = [&](int32_t outcome) {
    return std::string(describe(get(outcome)).schedule);
  };
  options.tuning_file = path.c_str();
  write("stages=3");
  EXPECT_NE(schedule(CONVMLIR_CACHE_MISS).find("stages=3"), std::string::npos);
  write("stages=4 split-k=1");
  EXPECT_NE(schedule(CONVMLIR_CACHE_MISS).find("stages=4"), std::string::npos);
  write("stages=3");
  EXPECT_NE(schedule(CONVMLIR_CACHE_HIT).find("stages=3"), std::string::npos);
  std::filesystem::remove(path);
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_cache_problem(cache, line, &options, &plan, nullptr),
            CONVMLIR_BAD_INPUT);
}

TEST_F(CCache, listAndClear) {
  EXPECT_EQ(list(), "[]");
  get(CONVMLIR_CACHE_MISS);
  EXPECT_NE(list().find("\"key\":\"problem forward n=1 c=16 h=5"),
            std::string::npos)
      << list();
  int64_t files = 0, bytes = 0;
  EXPECT_EQ(convmlir_cache_clear(cache, &files, &bytes), CONVMLIR_OK);
  EXPECT_EQ(files, 1);
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(convmlir_cache_clear(cache, nullptr, nullptr), CONVMLIR_OK);
  EXPECT_EQ(list(), "[]");
}

TEST_F(CCache, badInputIsRefused) {
  convmlir_cache *other = nullptr;
  EXPECT_EQ(convmlir_cache_open(nullptr, 1, &other), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "folder: expected a pointer, got NULL");
  EXPECT_EQ(convmlir_cache_open(folder.c_str(), -1, &other),
            CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "cache: expected a limit of at least 0 bytes, got -1");
  EXPECT_EQ(convmlir_cache_open("/dev/null/x", 1, &other), CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(),
               "cache: cannot make the folder '/dev/null/x': Not a directory");
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_cache_problem(cache, "forward", &options, &plan, nullptr),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_cache_problem(cache, line, &options, nullptr, nullptr),
            CONVMLIR_BAD_INPUT);
  EXPECT_STREQ(convmlir_last_error(), "plan: expected a pointer, got NULL");
  options.schedule = "stages=99";
  EXPECT_EQ(convmlir_cache_problem(cache, line, &options, &plan, nullptr),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(list(), "[]");
}

} // namespace
