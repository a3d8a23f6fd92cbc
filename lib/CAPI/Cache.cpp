//===- Cache.cpp - plans that are compiled once, in C ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Cache.h"
#include "Handles.h"
#include "Options.h"
#include "conv/Cache/PlanCache.h"
#include "conv/Compiler/ParserGuard.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace convmlir;
using namespace convmlir::capi;
using nlohmann::json;

struct convmlir_cache {
  std::unique_ptr<PlanCache> plans;
  TuningRecordsReader records;
};

static_assert(CONVMLIR_DEFAULT_CACHE_BYTES == defaultCacheBytes);
static_assert(CONVMLIR_CACHE_HIT == static_cast<int>(CacheOutcome::Hit) &&
              CONVMLIR_CACHE_MISS == static_cast<int>(CacheOutcome::Miss) &&
              CONVMLIR_CACHE_REBUILT ==
                  static_cast<int>(CacheOutcome::Rebuilt));

convmlir_status convmlir_cache_open(const char *folder, int64_t most_bytes,
                                    convmlir_cache **cache) {
  return guarded([&] {
    if (!folder || !cache)
      return missing(folder ? "cache" : "folder");
    Result<std::unique_ptr<PlanCache>> plans =
        PlanCache::open(folder, most_bytes);
    if (!plans)
      return badInput("cache: " + plans.error());
    *cache = new convmlir_cache{std::move(*plans), {}};
    return CONVMLIR_OK;
  });
}

void convmlir_cache_destroy(convmlir_cache *cache) { delete cache; }

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// An option that is added does not compile here until somebody says whether
/// plans depend on it: toOptions() or the key of a module has it then.
static void checkThatAllCount(const convmlir_compile_options &options) {
  [[maybe_unused]] const auto &[size, target, schedule, ptxas, entry,
                                emulatorOnly, tuningFile, noTuning, refuseFlaws,
                                onWarning, warningData, device, ptxasTimeout,
                                precision, maxWorkspace, multiprocessors,
                                sharedBytes] =
      options;
}

/// Runs `body` with what the caller's options mean to this cache.
template <typename Body>
static convmlir_status withOptions(convmlir_cache &cache,
                                   const convmlir_compile_options *given,
                                   Body body) {
  Result<convmlir_compile_options> read = readOptions(given);
  if (!read)
    return badInput(read.error());
  checkThatAllCount(*read);
  Result<CompileOptions> options = toOptions(*read, cache.records);
  return options ? body(*read, *options) : badInput(options.error());
}

/// `load` makes the module that is compiled where the plan is not there.
template <typename Load>
static convmlir_status getPlan(convmlir_cache &cache, const PlanKey &key,
                               const CompileOptions &options, Load load,
                               convmlir_plan **plan, int32_t *outcome) {
  auto compileIt = [&](const CompileOptions &recording) -> Result<Plan> {
    Result<std::unique_ptr<SourceModule>> source = load();
    return source ? compile(**source, recording)
                  : Result<Plan>(source.takeError());
  };
  Result<CachedPlan> cached = cache.plans->get(key, options, compileIt);
  if (!cached)
    return badInput(cached.error());
  if (outcome)
    *outcome = static_cast<int32_t>(cached->outcome);
  return give(std::move(cached->plan), plan);
}

convmlir_status convmlir_cache_problem(convmlir_cache *cache,
                                       const char *problem,
                                       const convmlir_compile_options *options,
                                       convmlir_plan **plan, int32_t *outcome) {
  return guardedWithFloats([&] {
    if (!cache || !problem || !plan)
      return missing(!cache ? "cache" : !problem ? "problem" : "plan");
    Result<Problem> parsed = parseProblem(problem);
    if (!parsed)
      return badInput(parsed.error());
    auto load = [&] { return SourceModule::fromProblem(*parsed); };
    return withOptions(
        *cache, options,
        [&](const convmlir_compile_options &, const CompileOptions &meant) {
          return getPlan(*cache, PlanKey::ofProblem(*parsed, meant), meant,
                         load, plan, outcome);
        });
  });
}

/// Runs `body` with what a module and its options mean to this cache.
template <typename Body>
static convmlir_status withModule(convmlir_cache *cache, const char *module,
                                  size_t size, const char *name,
                                  const convmlir_compile_options *options,
                                  convmlir_plan **plan, Body body) {
  return guardedWithFloats([&] {
    if (!cache || !module || !name || !plan)
      return missing(!cache    ? "cache"
                     : !module ? "module"
                     : !name   ? "name"
                               : "plan");
    return withOptions(
        *cache, options,
        [&](const convmlir_compile_options &read, const CompileOptions &meant) {
          Result<Precision> precision = readPrecision(read);
          if (!precision)
            return badInput(precision.error());
          return body(std::string_view(module, size), orEmpty(read.entry),
                      *precision, meant);
        });
  });
}

convmlir_status convmlir_cache_module(convmlir_cache *cache, const char *module,
                                      size_t size, const char *name,
                                      const convmlir_compile_options *options,
                                      convmlir_plan **plan, int32_t *outcome) {
  return withModule(
      cache, module, size, name, options, plan,
      [&](std::string_view text, const std::string &entry, Precision precision,
          const CompileOptions &meant) {
        auto load = [&]() -> Result<std::unique_ptr<SourceModule>> {
          if (Status status = checkParser(text, name); !status)
            return status.takeError();
          return SourceModule::fromText(text, name, entry, precision);
        };
        return getPlan(*cache,
                       PlanKey::ofModule(text, name, entry, precision, meant),
                       meant, load, plan, outcome);
      });
}

/// Stores the plan of a key; NULL where it is not there.
static convmlir_status findPlan(convmlir_cache &cache, const PlanKey &key,
                                const CompileOptions &options,
                                convmlir_plan **plan) {
  *plan = nullptr;
  std::optional<Plan> found = cache.plans->find(key, options);
  return found ? give(std::move(*found), plan) : CONVMLIR_OK;
}

convmlir_status
convmlir_cache_find_module(convmlir_cache *cache, const char *module,
                           size_t size, const char *name,
                           const convmlir_compile_options *options,
                           convmlir_plan **plan) {
  return withModule(
      cache, module, size, name, options, plan,
      [&](std::string_view text, const std::string &entry, Precision precision,
          const CompileOptions &meant) {
        return findPlan(*cache,
                        PlanKey::ofModule(text, name, entry, precision, meant),
                        meant, plan);
      });
}

convmlir_status
convmlir_cache_find_problem(convmlir_cache *cache, const char *problem,
                            const convmlir_compile_options *options,
                            convmlir_plan **plan) {
  return guardedWithFloats([&] {
    if (!cache || !problem || !plan)
      return missing(!cache ? "cache" : !problem ? "problem" : "plan");
    Result<Problem> parsed = parseProblem(problem);
    if (!parsed)
      return badInput(parsed.error());
    return withOptions(
        *cache, options,
        [&](const convmlir_compile_options &, const CompileOptions &meant) {
          return findPlan(*cache, PlanKey::ofProblem(*parsed, meant), meant,
                          plan);
        });
  });
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

convmlir_status convmlir_cache_count(const convmlir_cache *cache,
                                     convmlir_cache_counts *counts) {
  return guarded([&] {
    if (!cache)
      return missing("cache");
    CacheCounts have = cache->plans->counts();
    convmlir_cache_counts c{};
    c.hits = have.hits;
    c.misses = have.misses;
    c.rebuilt = have.rebuilt;
    c.unsaved = have.unsaved;
    c.removed = have.removed;
    return fill(counts, c, "counts");
  });
}

convmlir_status convmlir_cache_list(const convmlir_cache *cache, char **text) {
  return guarded([&] {
    if (!cache || !text)
      return missing(cache ? "json" : "cache");
    constexpr double nanoseconds = 1e-9;
    json files = json::array();
    for (const StoredFile &file : cache->plans->store().list())
      files.push_back({{"file", file.path},
                       {"bytes", file.bytes},
                       {"used", static_cast<double>(file.usedNs) * nanoseconds},
                       {"key", file.key}});
    // Paths may be anything but UTF-8.
    *text = strdup(
        files.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_cache_clear(convmlir_cache *cache, int64_t *files,
                                     int64_t *bytes) {
  return guarded([&] {
    if (!cache)
      return missing("cache");
    std::vector<StoredFile> removed = cache->plans->store().clear();
    int64_t sum = 0;
    for (const StoredFile &file : removed)
      sum += file.bytes;
    if (files)
      *files = static_cast<int64_t>(removed.size());
    if (bytes)
      *bytes = sum;
    return CONVMLIR_OK;
  });
}
