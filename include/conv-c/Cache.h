/*===- conv-c/Cache.h - plans that are compiled once --------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Plans on disk, which many processes and threads may use at the same time   *|
|* (docs/Cache.md). What goes wrong with the disk goes to `on_warning` of the *|
|* options, and the plan is compiled.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_CACHE_H
#define CONV_C_CACHE_H

#include "conv-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convmlir_cache convmlir_cache;

/* The limit where no other is wanted: 1 GiB. */
#define CONVMLIR_DEFAULT_CACHE_BYTES ((int64_t)1 << 30)

typedef enum convmlir_cache_outcome {
  CONVMLIR_CACHE_HIT = 0,    /* The plan was there. */
  CONVMLIR_CACHE_MISS = 1,   /* It was compiled. */
  CONVMLIR_CACHE_REBUILT = 2 /* It was compiled: what was there is damaged. */
} convmlir_cache_outcome;

/* Opens a folder, which is made where it is absent. Its files have at most
   `most_bytes` bytes together; the least recently used ones go first. `*cache`
   is the caller's to destroy. */
convmlir_status convmlir_cache_open(const char *folder, int64_t most_bytes,
                                    convmlir_cache **cache);
/* NULL is allowed. */
void convmlir_cache_destroy(convmlir_cache *cache);

/* The plan that convmlir_compile_problem() or convmlir_compile_module() gives
   for the same parameters, from disk where it is there. `outcome` may be NULL;
   else a convmlir_cache_outcome is stored. */
convmlir_status convmlir_cache_problem(convmlir_cache *cache,
                                       const char *problem,
                                       const convmlir_compile_options *options,
                                       convmlir_plan **plan, int32_t *outcome);
convmlir_status convmlir_cache_module(convmlir_cache *cache, const char *module,
                                      size_t size, const char *name,
                                      const convmlir_compile_options *options,
                                      convmlir_plan **plan, int32_t *outcome);

/* The same, but compiles nothing: `*plan` is NULL where it is not there. */
convmlir_status
convmlir_cache_find_problem(convmlir_cache *cache, const char *problem,
                            const convmlir_compile_options *options,
                            convmlir_plan **plan);
convmlir_status convmlir_cache_find_module(
    convmlir_cache *cache, const char *module, size_t size, const char *name,
    const convmlir_compile_options *options, convmlir_plan **plan);

/* What the cache did since it was opened. */
typedef struct convmlir_cache_counts {
  size_t size; /* sizeof(convmlir_cache_counts). */
  int64_t hits, misses, rebuilt;
  int64_t unsaved; /* Plans that could not be written. */
  int64_t removed; /* Files that were more than the limit allows. */
} convmlir_cache_counts;

convmlir_status convmlir_cache_count(const convmlir_cache *cache,
                                     convmlir_cache_counts *counts);

/* The files as a JSON array, the most recently used first: [{"file": "/…",
   "bytes": 1, "used": 1.5, "key": "problem …\n…"}]; `used` are seconds since
   1970. Free `*json` with convmlir_free(). */
convmlir_status convmlir_cache_list(const convmlir_cache *cache, char **json);

/* Removes all plans, and no other file. `files` and `bytes` may be NULL; else
   what is gone is stored. */
convmlir_status convmlir_cache_clear(convmlir_cache *cache, int64_t *files,
                                     int64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_CACHE_H */
