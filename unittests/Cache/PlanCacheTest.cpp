//===- PlanCacheTest.cpp - plans that are compiled once -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/PlanCache.h"
#include "TestKeys.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace convmlir;
using namespace convmlir::test;

namespace fs = std::filesystem;

namespace {

constexpr int64_t plenty = 1 << 20;

class PlanCacheTest : public testing::Test {
protected:
  PlanCacheTest() {
    options.onWarning = [this](const std::string &text) {
      said += text + "\n";
    };
    options.onUntuned = [this](const std::string &problem,
                               const std::string &others) {
      said += problem + "|" + others + "\n";
    };
  }

  std::unique_ptr<PlanCache> open(const std::string &path, int64_t limit) {
    Result<std::unique_ptr<PlanCache>> cache = PlanCache::open(path, limit);
    EXPECT_TRUE(cache) << cache.error();
    return std::move(*cache);
  }
  std::unique_ptr<PlanCache> open() {
    return open(folder.path("cache"), plenty);
  }

  /// A "compilation" that is counted.
  Result<CachedPlan> get(PlanCache &cache, const PlanKey &key) {
    return cache.get(key, options, [&](const CompileOptions &given) {
      ++compilations;
      given.onWarning("ptxas: slow");
      given.onUntuned("forward …", "NVIDIA L4");
      return Result<Plan>(makeFullPlan());
    });
  }
  CacheOutcome outcome(PlanCache &cache, const PlanKey &key = makeKey()) {
    Result<CachedPlan> cached = get(cache, key);
    EXPECT_TRUE(cached) << cached.error();
    EXPECT_EQ(cached->plan.schedule, makeFullPlan().schedule);
    return cached->outcome;
  }

  TemporaryDirectory folder;
  CompileOptions options;
  std::string said;
  int compilations = 0;
};

TEST_F(PlanCacheTest, compilesOnceAndSaysTheSame) {
  EXPECT_EQ(outcome(*open()), CacheOutcome::Miss);
  std::string first = std::exchange(said, "");
  EXPECT_EQ(first, "ptxas: slow\nforward …|NVIDIA L4\n");
  EXPECT_EQ(outcome(*open()), CacheOutcome::Hit);
  EXPECT_EQ(said, first);
  EXPECT_EQ(compilations, 1);
}

TEST_F(PlanCacheTest, otherKeysAreOtherPlans) {
  auto cache = open();
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  CompileOptions other;
  other.schedule = "stages=3";
  EXPECT_EQ(outcome(*cache, makeKey(testLine, other)), CacheOutcome::Miss);
  EXPECT_EQ(cache->counts().misses, 2);
}

TEST_F(PlanCacheTest, damagedFilesAreReportedAndRebuilt) {
  auto cache = open();
  std::string path = cache->store().pathOf(makeKey());
  ASSERT_EQ(outcome(*cache), CacheOutcome::Miss);
  ASSERT_TRUE(writeFileAtomically(path, Bytes{}));
  said.clear();
  EXPECT_FALSE(cache->find(makeKey(), options));
  EXPECT_TRUE(contains(said, "cache: " + path + ": not an entry of a cache"));
  said.clear();
  EXPECT_EQ(outcome(*cache), CacheOutcome::Rebuilt);
  EXPECT_TRUE(contains(said, "; the plan is compiled again\n"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 3); // Once, beside the notes.
  EXPECT_EQ(outcome(*cache), CacheOutcome::Hit);
  EXPECT_EQ(cache->counts().rebuilt, 1);
}

TEST_F(PlanCacheTest, findCompilesNothing) {
  auto cache = open();
  EXPECT_FALSE(cache->find(makeKey(), options));
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  EXPECT_TRUE(cache->find(makeKey(), options));
  EXPECT_EQ(cache->counts().hits, 1);
}

TEST_F(PlanCacheTest, errorsAreNotKept) {
  auto cache = open();
  Result<CachedPlan> failed =
      cache->get(makeKey(), options, [](const CompileOptions &) {
        return Result<Plan>(Error{"no schedule is legal"});
      });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), "no schedule is legal");
  EXPECT_TRUE(cache->store().list().empty());
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
}

TEST_F(PlanCacheTest, whatCannotBeWrittenIsOneSentence) {
  auto cache = open("/proc", plenty);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  EXPECT_EQ(cache->counts().unsaved, 3);
  size_t at = said.find("cache: cannot write '/proc/plans/");
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find("cache: ", at + 1), std::string::npos) << said;
}

TEST_F(PlanCacheTest, nothingIsKeptWithALimitOfNothing) {
  auto cache = open(folder.path("cache"), 0);
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  EXPECT_TRUE(cache->store().list().empty());
}

TEST_F(PlanCacheTest, recordsThatWereUsedAreSaidAsTheyAreNow) {
  auto load = [&](const std::string &name) {
    std::string path = folder.path(name);
    Problem problem = *parseProblem(testLine);
    EXPECT_TRUE(addTuningRecord(
        path, makeTuningRecord(problem, "sm_80", "stages=3", "A", 5)));
    Result<TuningRecords> records = loadTuningRecords({path, false, ""});
    EXPECT_TRUE(records) << records.error();
    return std::make_shared<TuningRecords>(std::move(*records));
  };
  std::string used;
  options.onTuned = [&](const TuningMatch &match) {
    used = match.record->schedule + " of " + *match.file;
  };
  auto getWith = [&](const char *name) {
    options.tuning = load(name);
    PlanKey key = makeKey(testLine, options);
    auto cached = open()->get(key, options, [&](const CompileOptions &given) {
      given.onTuned(key.records().at(0));
      return Result<Plan>(makeFullPlan());
    });
    EXPECT_TRUE(cached) << cached.error();
    return cached->outcome;
  };
  EXPECT_EQ(getWith("first.json"), CacheOutcome::Miss);
  EXPECT_EQ(used, "stages=3 of " + folder.path("first.json"));
  EXPECT_EQ(getWith("second.json"), CacheOutcome::Hit);
  EXPECT_EQ(used, "stages=3 of " + folder.path("second.json"));
}

/// Threads that ask at the same time wait for the one that compiles.
TEST_F(PlanCacheTest, threadsCompileOnce) {
  auto cache = open();
  std::atomic<int> compiled = 0;
  CompileOptions silent;
  PlanKey key = makeKey();
  auto ask = [&] {
    Result<CachedPlan> cached =
        cache->get(key, silent, [&](const CompileOptions &) {
          ++compiled;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return Result<Plan>(makeFullPlan());
        });
    EXPECT_TRUE(cached);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(ask);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(cache->counts().hits, 7);
}

/// A process that is killed while it compiles leaves no lock behind.
TEST_F(PlanCacheTest, locksEndWithTheirProcess) {
  auto cache = open();
  PlanKey key = makeKey();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    auto stop = [&](const CompileOptions &) -> Result<Plan> {
      char byte = 1;
      if (write(ready[1], &byte, 1) == 1)
        pause();
      _exit(1);
    };
    (void)cache->get(key, {}, stop);
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(outcome(*cache), CacheOutcome::Miss);
  close(ready[0]);
  close(ready[1]);
}

} // namespace
