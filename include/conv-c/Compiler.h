/*===- conv-c/Compiler.h - compilation in C -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* From a problem line or a module of MLIR to a plan, and plans on the        *|
|* emulator. Needs no GPU.                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_COMPILER_H
#define CONV_C_COMPILER_H

#include "conv-c/Plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convmlir_compile_options {
  size_t size;           /* sizeof(convmlir_compile_options). */
  const char *target;    /* "sm_90"; NULL: the last of convmlir_targets(). */
  const char *schedule;  /* "tile=128x64x32 stages=3": keys that replace those
                            of the schedule that would be chosen; or NULL. */
  const char *ptxas;     /* Its path; NULL: the plan holds PTX and no cubin, and
                            the driver compiles it when the plan is loaded. */
  const char *entry;     /* Of a module: the function; NULL: its only public
                            one. */
  int32_t emulator_only; /* 1: no code for GPUs. */
  const char *tuning_file; /* Measured schedules, which come before those that
                              are shipped in ../share/conv-mlir/tuning beside
                              the library. The file must exist; or NULL. */
  int32_t no_tuning;       /* 1: the model alone chooses schedules. */
  int32_t refuse_flaws;    /* 1: registers that ptxas spills, and its messages
                              about lost speed (C75xx), are errors. */
  void (*on_warning)(const char *message, void *data); /* Called with what stops
                            nothing, such as a stale tuning record; or NULL. */
  void *warning_data; /* Its second argument. */
  const char *device; /* "NVIDIA H200", the GPU that the plan is for: schedules
                         that were measured on others do not count. NULL: not
                         known, all count. */
  double ptxas_timeout_s; /* Seconds that ptxas may take before it is ended, at
                             least 1; 0: the default, 600. */
  const char *precision;  /* Of a module: "text": products and sums of floats in
                             the types of the text; "more" or NULL: in f32 at
                             least. */
  const int64_t
      *max_workspace;      /* Bytes of workspace that a launch may take: what
                              needs more is not chosen, and an error where
                              there is no choice. NULL: any number. */
  int64_t multiprocessors; /* Of the device that the plan is for, as
                              convmlir_device_describe() says; 0: of the target
                              (docs/Targets.md). */
  int64_t shared_bytes_per_workgroup; /* The same. */
} convmlir_compile_options;

/* Compiles a problem line (docs/Problem.md); `options` may be NULL. What a
   larger structure than the library's has behind its own must be zero. `*plan`
   is the caller's to destroy. */
convmlir_status
convmlir_compile_problem(const char *problem,
                         const convmlir_compile_options *options,
                         convmlir_plan **plan);

/* Whether convmlir_compile_problem() makes a plan, found without compiling, in
   milliseconds. `*why` is NULL where it does, else the message that it would
   leave; free it with convmlir_free(). What ptxas says of the code is not known
   before. */
convmlir_status convmlir_can_implement(const char *problem,
                                       const convmlir_compile_options *options,
                                       char **why);

/* Compiles a function of a module in text or bytecode of `size` bytes; messages
   call the module `name`. */
convmlir_status convmlir_compile_module(const char *module, size_t size,
                                        const char *name,
                                        const convmlir_compile_options *options,
                                        convmlir_plan **plan);

/* The targets that can be compiled for, those whose kernels use more engines
   later: "sm_80, sm_86". */
const char *convmlir_targets(void);

/* Finds ptxas in a toolkit that must have it, a toolkit that may have it, the
   folders of a search path (with colons), or /usr/local/cuda, in this order;
   each may be NULL. `*path` is NULL where there is none; free it with
   convmlir_free(). */
convmlir_status convmlir_find_ptxas(const char *cuda_path,
                                    const char *cuda_home,
                                    const char *search_path, char **path);

/* Runs the plan once on the emulator. `operands` are pointers to host memory,
   as many as the plan has operands: arguments are read, results written. A
   fault of a kernel is CONVMLIR_DEVICE_FAILED. */
convmlir_status convmlir_emulate(const convmlir_plan *plan,
                                 void *const *operands, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_COMPILER_H */
