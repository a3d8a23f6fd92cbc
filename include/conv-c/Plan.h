/*===- conv-c/Plan.h - compiled convolutions in C -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A plan holds everything that running a compiled function takes: kernels,   *|
|* launches, constants, and what its operands are. Reading one needs no       *|
|* compiler.                                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_PLAN_H
#define CONV_C_PLAN_H

#include "conv-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convmlir_plan convmlir_plan;

/* Reads a plan file, or its content in memory; `*plan` is the caller's to
   destroy. Whatever the bytes are, the result is a valid plan or an error. */
convmlir_status convmlir_plan_read(const char *path, convmlir_plan **plan);
convmlir_status convmlir_plan_parse(const void *data, size_t size,
                                    convmlir_plan **plan);

/* Writes the file; it appears complete or not at all. */
convmlir_status convmlir_plan_write(const convmlir_plan *plan,
                                    const char *path);
/* The content of the file; free `*data` with convmlir_free(). */
convmlir_status convmlir_plan_serialise(const convmlir_plan *plan, void **data,
                                        size_t *size);

/* NULL is allowed. */
void convmlir_plan_destroy(convmlir_plan *plan);

/* Strings and arrays in the structures below live as long as the plan. */

typedef struct convmlir_plan_info {
  size_t size;              /* sizeof(convmlir_plan_info). */
  const char *target;       /* "sm_90". */
  const char *problem;      /* The problem line, or a description. */
  const char *entry;        /* Name of the function that was compiled. */
  const char *schedule;     /* "KERNEL: KEYS" of every kernel, with "; ". */
  const char *precision;    /* What sums are kept in, and what is rounded. */
  const char *operand_type; /* Of the operands that are multiplied: "bf16". */
  int32_t deterministic;    /* 1: equal bits on every run. */
  int32_t arguments;        /* The first operands; the others are results. */
  int32_t operands;
  int32_t launches;
  double compile_ms;       /* Time that the compilation took. */
  int64_t workspace_bytes; /* That a launch needs; 0: none. */
  int64_t flops;           /* Operations of one run; a multiply-add is two. */
  int64_t least_bytes;     /* That a run must read or write at least. */
  const char *order;       /* In which kernels add; "": they do not. */
  const char *remarks;     /* Why kernels are as they are: sentences, a line
                              each; "": nothing to say. */
  int64_t multiprocessors; /* Of the device that the plan was made for; 0: not
                              known, of plans of older versions. */
} convmlir_plan_info;

convmlir_status convmlir_plan_describe(const convmlir_plan *plan,
                                       convmlir_plan_info *info);

/* A tensor that the caller binds: dense, in memory order. */
typedef struct convmlir_operand {
  size_t size;       /* sizeof(convmlir_operand). */
  const char *name;  /* "x". */
  const char *type;  /* "bf16". */
  int32_t is_result; /* 0: an argument, only read; 1: written. */
  int32_t rank;
  const int64_t *shape; /* `rank` extents, outermost first. */
  int64_t bytes;
} convmlir_operand;

/* Operand `index`: the arguments in their order, then the results. */
convmlir_status convmlir_plan_operand(const convmlir_plan *plan, int32_t index,
                                      convmlir_operand *operand);

typedef struct convmlir_launch {
  size_t size; /* sizeof(convmlir_launch). */
  const char *kernel;
  int64_t grid[3];    /* Blocks: x, y, z. */
  int64_t block[3];   /* Threads. */
  int64_t cluster[3]; /* Blocks. */
  int64_t dynamic_shared_bytes;
  int64_t static_shared_bytes;
  int64_t registers; /* Per thread; 0 where no ptxas was used. */
} convmlir_launch;

convmlir_status convmlir_plan_launch(const convmlir_plan *plan, int32_t index,
                                     convmlir_launch *launch);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_PLAN_H */
