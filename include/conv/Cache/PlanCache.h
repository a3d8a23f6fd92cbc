//===- PlanCache.h - plans that are compiled once ------------- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the key of a plan, and a function that compiles it. Output: the plan,
// from disk where it is there. What goes wrong with the disk is a warning: the
// plan is compiled then.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CACHE_PLANCACHE_H
#define CONV_CACHE_PLANCACHE_H

#include "conv/Cache/PlanStore.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace convmlir {

/// The bytes of all files, where nothing else is asked for: some thousand
/// plans.
inline constexpr int64_t defaultCacheBytes = int64_t(1) << 30;

enum class CacheOutcome {
  Hit,     ///< The plan was there.
  Miss,    ///< It was compiled.
  Rebuilt, ///< It was compiled: what was there is damaged.
};

/// "hit", "miss", "rebuilt".
const char *toString(CacheOutcome outcome);

struct CachedPlan {
  Plan plan;
  CacheOutcome outcome = CacheOutcome::Miss;
};

/// What a cache did since it was opened.
struct CacheCounts {
  int64_t hits = 0, misses = 0, rebuilt = 0;
  int64_t unsaved = 0; ///< Plans that could not be written.
  int64_t removed = 0; ///< Files that were too much.
};

using CompileFunction = std::function<Result<Plan>(const CompileOptions &)>;

/// Threads may use one object at the same time.
class PlanCache {
public:
  static Result<std::unique_ptr<PlanCache>> open(const std::string &folder,
                                                 int64_t mostBytes);

  /// The plan of a key, which `compile` makes where it is not there. Both
  /// belong to `options`, whose callbacks hear the same either way. Errors are
  /// those of `compile`.
  Result<CachedPlan> get(const PlanKey &key, const CompileOptions &options,
                         const CompileFunction &compile);

  /// The same without compiling: nothing where it is not there.
  std::optional<Plan> find(const PlanKey &key, const CompileOptions &options);

  const PlanStore &store() const { return files; }
  CacheCounts counts() const;

private:
  explicit PlanCache(PlanStore store) : files(std::move(store)) {}

  std::optional<CacheEntry>
  look(const PlanKey &key, const CompileOptions &options, bool &isDamaged);
  Result<CachedPlan> make(const PlanKey &key, const CompileOptions &options,
                          const CompileFunction &compile, bool isDamaged);
  void save(const PlanKey &key, const CacheEntry &entry,
            const CompileOptions &options);

  PlanStore files;
  std::atomic<int64_t> hits = 0, misses = 0, rebuilt = 0, unsaved = 0,
                       removed = 0;
};

} // namespace convmlir

#endif // CONV_CACHE_PLANCACHE_H
