//===- PlanCache.cpp - plans that are compiled once -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Cache/PlanCache.h"
#include "CacheEntry.h"
#include "EntryLock.h"

using namespace convmlir;

/// How long a process waits for another one that compiles the same plan.
static constexpr std::chrono::minutes patience(2);

const char *convmlir::toString(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::Hit:
    return "hit";
  case CacheOutcome::Miss:
    return "miss";
  case CacheOutcome::Rebuilt:
    return "rebuilt";
  }
  return "";
}

Result<std::unique_ptr<PlanCache>> PlanCache::open(const std::string &folder,
                                                   int64_t mostBytes) {
  Result<PlanStore> store = PlanStore::open(folder, mostBytes);
  if (!store)
    return store.takeError();
  return std::unique_ptr<PlanCache>(new PlanCache(std::move(*store)));
}

CacheCounts PlanCache::counts() const {
  return {hits, misses, rebuilt, unsaved, removed};
}

static void warn(const CompileOptions &options, const std::string &message) {
  if (options.onWarning)
    options.onWarning("cache: " + message);
}

/// The entry, whose notes are replayed.
std::optional<CacheEntry> PlanCache::look(const PlanKey &key,
                                          const CompileOptions &options,
                                          bool &isDamaged) {
  Result<std::optional<CacheEntry>> entry = files.read(key);
  if (!entry && !isDamaged)
    warn(options, entry.error() + "; the plan is compiled again");
  isDamaged = !entry;
  if (isDamaged || !*entry)
    return std::nullopt;
  ++hits;
  replayNotes((*entry)->notes, key.records(), options);
  return std::move(*entry);
}

/// A file that cannot be written stops nothing. It is said of the first only:
/// the others fail as it does.
void PlanCache::save(const PlanKey &key, const CacheEntry &entry,
                     const CompileOptions &options) {
  Result<int64_t> written = files.write(key, entry);
  if (written)
    removed += *written;
  else if (unsaved++ == 0)
    warn(options, written.error() + "; plans are compiled and not kept");
}

Result<CachedPlan> PlanCache::make(const PlanKey &key,
                                   const CompileOptions &options,
                                   const CompileFunction &compile,
                                   bool isDamaged) {
  CacheEntry entry;
  Result<Plan> plan = compile(recordNotes(options, key.records(), entry.notes));
  if (!plan)
    return plan.takeError();
  ++(isDamaged ? rebuilt : misses);
  entry.plan = std::move(*plan);
  save(key, entry, options);
  return CachedPlan{std::move(entry.plan),
                    isDamaged ? CacheOutcome::Rebuilt : CacheOutcome::Miss};
}

Result<CachedPlan> PlanCache::get(const PlanKey &key,
                                  const CompileOptions &options,
                                  const CompileFunction &compile) {
  bool isDamaged = false;
  if (std::optional<CacheEntry> entry = look(key, options, isDamaged))
    return CachedPlan{std::move(entry->plan), CacheOutcome::Hit};
  EntryLock lock(files.lockPath(), key.digest(), patience);
  // Another process may have compiled it while this one waited.
  if (std::optional<CacheEntry> entry = look(key, options, isDamaged))
    return CachedPlan{std::move(entry->plan), CacheOutcome::Hit};
  return make(key, options, compile, isDamaged);
}

std::optional<Plan> PlanCache::find(const PlanKey &key,
                                    const CompileOptions &options) {
  bool isDamaged = false;
  std::optional<CacheEntry> entry = look(key, options, isDamaged);
  return entry ? std::optional<Plan>(std::move(entry->plan)) : std::nullopt;
}
