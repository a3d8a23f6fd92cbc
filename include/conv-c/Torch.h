/*===- conv-c/Torch.h - convolutions of PyTorch, overridden -------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The hot path of conv_mlir.torch: kernels of `aten::convolution` and        *|
|* `aten::convolution_backward` that look a call up in a table of rules. A    *|
|* rule says which plans run; a call without a rule runs PyTorch's own        *|
|* kernel, after somebody was asked whether there should be one.              *|
|*                                                                            *|
|* Needs PyTorch 2.10 or newer in the process. Its functions are looked up by *|
|* name in its libraries: nothing here is built against it.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_TORCH_H
#define CONV_C_TORCH_H

#include "conv-c/Cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether PyTorch has what the override needs: CONVMLIR_BAD_INPUT, and a message
   that names what is missing, where it has not. `libtorch` and `libtorch_cuda` are
   the paths of its loaded libraries; the latter is NULL where it has no CUDA. */
convmlir_status convmlir_torch_check(const char *libtorch,
                                     const char *libtorch_cuda);

/* Overrides the two operators for the dispatch key `key` ("CUDA" or "CPU").

   Where a plan of a rule fails, the call raises what PyTorch shows as a
   RuntimeError, with the plan's message.

   A call without a rule first calls the operators `decide` + "_convolution" or
   `decide` + "_convolution_backward", in any language, with the same arguments;
   they return nothing, must not fail, and may add a rule. CONVMLIR_BAD_INPUT where
   PyTorch lacks a function, or the key is overridden already. `decide` is the same
   for all keys. */
convmlir_status convmlir_torch_enable(const char *key, const char *libtorch,
                                      const char *libtorch_cuda,
                                      const char *decide);

/* Takes the override of a key and its rules away: PyTorch is as before. */
convmlir_status convmlir_torch_disable(const char *key);

/* A call's signature: everything but the addresses of its tensors. Valid within
   `decide`, on its thread: the call that is decided about. `*words` stays the
   library's. */
convmlir_status convmlir_torch_get_signature(const int64_t **words,
                                             size_t *count);

/* A tensor that a rule makes. */
typedef struct convmlir_torch_result {
  size_t size;    /* sizeof(convmlir_torch_result). */
  int32_t slot;   /* See convmlir_torch_step. */
  int32_t like;   /* The slot of the input whose type and device it has. */
  int32_t rank;   /* Up to 5. */
  const int64_t *extents;
  const int64_t *strides; /* In elements. */
} convmlir_torch_result;

/* A tensor that is converted before the steps: these see the copy. */
typedef struct convmlir_torch_conversion {
  size_t size;           /* sizeof(convmlir_torch_conversion). */
  int32_t slot;          /* Of an input. */
  const char *dtype;     /* "float32", "float64", or NULL: as it is. */
  const char *format;    /* "contiguous", "channels_last", "channels_last_3d",
                            "channels_last_1d" (of N, C, W: C is innermost), or
                            NULL: as it is. */
} convmlir_torch_conversion;

/* One plan that a rule runs. Slots of tensors: the operator's tensors in their
   order (convolution: 0 input, 1 weight, 2 bias; backward: 0 gradient of the
   output, 1 input, 2 weight), then its results (3; 3, 4, 5). */
typedef struct convmlir_torch_step {
  size_t size;                     /* sizeof(convmlir_torch_step). */
  const convmlir_program *program; /* On a GPU; */
  const convmlir_plan *plan;       /* on the emulator, for tensors of the CPU. */
  const int32_t *slots;            /* Of the plan's operands, */
  int32_t count;                   /* so many. */
  size_t workspace_bytes;
} convmlir_torch_step;

typedef struct convmlir_torch_rule {
  size_t size; /* sizeof(convmlir_torch_rule). */
  const convmlir_torch_conversion *conversions;
  size_t conversion_count;
  const convmlir_torch_result *results; /* Those of the backward that are asked for
                           and not among these are made by PyTorch's kernel. */
  size_t result_count;
  const convmlir_torch_step *steps;
  size_t step_count; /* 0: PyTorch's kernel, and nobody is asked. */
} convmlir_torch_rule;

/* Adds a rule for a signature, or replaces it, whose counts go on. Programs and
   plans must outlive the rule. */
convmlir_status convmlir_torch_add_rule(const int64_t *words, size_t count,
                                        const convmlir_torch_rule *rule);

/* The calls of a signature ask again, as if it had no rule, until another one is
   added; its counts stay. CONVMLIR_BAD_INPUT where there is no rule. */
convmlir_status convmlir_torch_ask_again(const int64_t *words, size_t count);

/* Removes the rule of a signature, if it has one: its calls ask again. Its programs
   and plans must outlive calls of other threads that run it. */
convmlir_status convmlir_torch_remove_rule(const int64_t *words, size_t count);

typedef struct convmlir_torch_counts {
  size_t size;       /* sizeof(convmlir_torch_counts). */
  int64_t calls;     /* That a rule served. PyTorch's kernel served those that */
  int64_t handed_on; /* have a rule without steps, */
  int64_t unaligned; /* have an address that is no multiple of 16, */
  int64_t refused;   /* or for which PyTorch gave no tensor: no memory was left. */
} convmlir_torch_counts;

/* What the rules of a signature did so far. CONVMLIR_BAD_INPUT where there is none. */
convmlir_status convmlir_torch_count(const int64_t *words, size_t count,
                                     convmlir_torch_counts *counts);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_TORCH_H */
