/*===- conv-c/Problem.h - problem lines in C ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A problem line (docs/Problem.md) as numbers, with what follows from them.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_PROBLEM_H
#define CONV_C_PROBLEM_H

#include "conv-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum convmlir_op {
  CONVMLIR_FORWARD = 0,
  CONVMLIR_DGRAD = 1,
  CONVMLIR_WGRAD = 2
} convmlir_op;

/* Arrays have one entry per spatial dimension, outermost first; the entries
   past `spatial_rank` are those of a dimension of extent 1. Strings live as
   long as the library. */
typedef struct convmlir_problem {
  size_t size;             /* sizeof(convmlir_problem). */
  int32_t op;              /* A convmlir_op. */
  int32_t spatial_rank;    /* 1, 2 or 3. */
  int64_t n, c, k, groups; /* Channels of all groups. */
  int64_t input[3];        /* D, H, W of x. */
  int64_t filter[3];       /* T, R, S of w. */
  int64_t output[3];       /* Z, P, Q of y. */
  int64_t stride[3];
  int64_t pad_low[3]; /* Negative: cropped. */
  int64_t pad_high[3];
  int64_t dilation[3];
  int64_t input_dilation[3];
  const char *type;             /* Of both inputs, or of the first: "bf16". */
  const char *out_type;         /* Of the result. */
  int32_t channels_last;        /* 1: layout nhwc; 0: nchw. */
  int32_t bias, residual, relu; /* 1 where the epilogue has it. */
  int32_t accumulate;           /* 1: the result is added to an argument. */
  int32_t flip;                 /* 1: the filter is read backwards. */
  int64_t flops;                /* Operations; a multiply-add is two. */
  int64_t least_bytes;          /* That must be read or written at least. */
  double tolerance; /* Largest relative Frobenius error allowed on random data
                       in [-1, 1]. 0: exact. */
  int32_t scale;    /* 1 where the epilogue has it. */
  const char *activation;     /* Of the epilogue: "gelu"; "": there is none. */
  double clip_low, clip_high; /* Bounds of the activation "clip", else 0. */
  int32_t derivative; /* 1: of dgrad, the activation's derivative is a factor. */
  int32_t bias_gradient; /* 1: of wgrad, db is a second result. */
  const char *bias_type; /* Of scale, bias and db, where there are any. */
  const char *second_type; /* Of the second input. */
} convmlir_problem;

/* Parses and checks a problem line. */
convmlir_status convmlir_problem_parse(const char *text,
                                       convmlir_problem *problem);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_PROBLEM_H */
