//===- CacheSetup.cpp - the plan cache of a run ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheSetup.h"
#include "conv/Compiler/ParserGuard.h"
#include "conv/Runtime/FileIO.h"

#include <charconv>

namespace convmlir {

/// Empty where there is no home folder.
static std::string findFolder(const CommandLine &line,
                              const Environment &environment) {
  if (!line.cacheFolder.empty())
    return line.cacheFolder;
  if (!environment.cacheFolder.empty())
    return environment.cacheFolder;
  // The specification of XDG_CACHE_HOME ignores relative paths.
  if (environment.cacheHome.starts_with("/"))
    return environment.cacheHome + "/conv-mlir";
  return environment.home.empty() ? "" : environment.home + "/.cache/conv-mlir";
}

static Result<int64_t> readLimit(const std::string &text) {
  int64_t limit = defaultCacheBytes;
  if (text.empty())
    return limit;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), limit);
  if (code != std::errc() || end != text.data() + text.size() || limit < 0)
    return Error{"CONV_MLIR_CACHE_BYTES: expected a whole number of at least "
                 "0, got '" +
                 text + "'"};
  return limit;
}

Result<std::unique_ptr<PlanCache>> openCache(const CommandLine &line,
                                             const Environment &environment) {
  std::string folder = findFolder(line, environment);
  if (folder.empty())
    return Error{"--cache: expected a folder in --cache=DIR, "
                 "CONV_MLIR_CACHE_DIR, XDG_CACHE_HOME or HOME, got none"};
  Result<int64_t> limit = readLimit(environment.cacheBytes);
  if (!limit)
    return limit.takeError();
  Result<std::unique_ptr<PlanCache>> cache = PlanCache::open(folder, *limit);
  if (!cache)
    return Error{"--cache: " + cache.error()};
  return cache;
}

static Result<CachedPlan> getOfProblem(PlanCache &cache,
                                       const Workload &workload,
                                       const CompileOptions &options,
                                       std::string &path) {
  PlanKey key = PlanKey::ofProblem(*workload.problem, options);
  path = cache.store().pathOf(key);
  return cache.get(key, options, [&](const CompileOptions &given) {
    return compile(*workload.source, given);
  });
}

/// What is compiled is the text that the key has, whatever becomes of the file
/// meanwhile.
static Result<CachedPlan> getOfFile(PlanCache &cache, const CommandLine &line,
                                    const CompileOptions &options,
                                    std::string &path) {
  Result<Bytes> content = readFile(line.file);
  if (!content)
    return Error{"--cache: " + content.error()};
  std::string_view text(reinterpret_cast<const char *>(content->data()),
                        content->size());
  Precision precision = line.precision.value_or(Precision::More);
  PlanKey key =
      PlanKey::ofModule(text, line.file, line.entry, precision, options);
  path = cache.store().pathOf(key);
  auto compileIt = [&](const CompileOptions &given) -> Result<Plan> {
    if (Status status = checkParser(text, line.file); !status)
      return status.takeError();
    Result<std::unique_ptr<SourceModule>> source =
        SourceModule::fromText(text, line.file, line.entry, precision);
    return source ? compile(**source, given) : Result<Plan>(source.takeError());
  };
  return cache.get(key, options, compileIt);
}

Result<Plan> getCachedPlan(PlanCache &cache, const CommandLine &line,
                           const Workload &workload,
                           const CompileOptions &options,
                           std::optional<CacheReport> &report) {
  std::string path;
  Result<CachedPlan> cached = workload.problem
                                  ? getOfProblem(cache, workload, options, path)
                                  : getOfFile(cache, line, options, path);
  if (!cached)
    return cached.takeError();
  report = {toString(cached->outcome), path};
  return std::move(cached->plan);
}

} // namespace convmlir
