/*===- conv-c/Torch.h - kernels of PyTorch's dispatcher -----------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The hot path of conv_mlir.torch: kernels of `aten::convolution` and        *|
|* `aten::convolution_backward`, and of our own operators `conv`,             *|
|* `conv_dgrad` and `conv_wgrad`. They look a call up in a table of rules. A  *|
|* rule says which plans run. PyTorch's operators without a rule run its own  *|
|* kernel, after somebody was asked whether there should be one. Ours without *|
|* a rule are computed by the host program, which may add one.                *|
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

/* Whether PyTorch has what the kernels need: CONVMLIR_BAD_INPUT, and a message
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

/* Registers kernels of our own operators, which the host program has defined in the
   namespace `space`, for the dispatch key `key`. `brief`: 0, or 1 where everything
   behind the tensors of these operators is one text, whose meaning is the host's
   (lib/CAPI/Torch/Schema.cpp has the arguments).

   A call without a rule, or that its rule cannot serve, calls the operator `run` +
   "_conv", "_conv_dgrad" or "_conv_wgrad" ("_brief_conv" and so on where they are
   brief) with the same arguments. It computes the
   results, may add a rule, and must not fail: it returns three optional tensors,
   the results and an error. The error is a tensor that raises it when an operator
   of PyTorch takes it (as a subclass by __torch_dispatch__ does). `run` is the same
   for all keys. Fails as convmlir_torch_enable() does. */
convmlir_status convmlir_torch_enable_operators(const char *space,
                                                const char *key, int32_t brief,
                                                const char *libtorch,
                                                const char *libtorch_cuda,
                                                const char *run);

/* Takes these kernels away, and the rules of our operators for the key's tensors. */
convmlir_status convmlir_torch_disable_operators(const char *space,
                                                 const char *key);

/* A call's signature: everything but the addresses of its tensors. Valid within
   `decide` or `run`, on its thread: the call that is decided about. `*words` stays
   the library's. CONVMLIR_BAD_INPUT where none is, and for a call that is longer
   than signatures are. */
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
  const char *dtype;      /* A name as in a conversion; NULL: that of `like`. */
} convmlir_torch_result;

/* A tensor that is converted before the steps: these see the copy. */
typedef struct convmlir_torch_conversion {
  size_t size;           /* sizeof(convmlir_torch_conversion). */
  int32_t slot;          /* Of an input. */
  const char *dtype;     /* "float16", "bfloat16", "float32", "float64",
                            "float8_e4m3fn", "float8_e5m2", or NULL: as it is. */
  const char *format;    /* "contiguous", "channels_last", "channels_last_3d",
                            "channels_last_1d" (of N, C, W: C is innermost), or
                            NULL: as it is. */
  int64_t extent;        /* Of a vector that is expanded to so many elements; 0: as
                            it is. */
  /* Where one of these is there it makes the copy: a plan of one argument and one
     result, the tensor's memory and the copy's. It needs no workspace. `dtype` and
     `extent` are as it is. PyTorch makes the copy, in `format`, where the tensor's
     address is no multiple of 16. */
  const convmlir_program *program; /* On a GPU; */
  const convmlir_plan *plan;       /* on the emulator, for tensors of the CPU. */
  int32_t rank;                    /* Of the copy, up to 5. */
  const int64_t *extents;
  const int64_t *strides; /* In elements. */
} convmlir_torch_conversion;

/* One plan that a rule runs. Slots of tensors: the operator's tensors in their
   order, optional ones counted, then its results.

     convolution           0 input, 1 weight, 2 bias; 3
     convolution_backward  0 gradient of the output, 1 input, 2 weight; 3, 4, 5
     conv                  0 x, 1 w, 2 bias, 3 scale, 4 residual; 5
     conv_dgrad            0 dy, 1 w, 2 act, 3 scale; 4
     conv_wgrad            0 x, 1 dy, 2 scale; 3, 4 */
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
  const convmlir_torch_result *results; /* Those of PyTorch's backward that are
                           asked for and not among these are made by its kernel. */
  size_t result_count;
  const convmlir_torch_step *steps;
  size_t step_count; /* 0: PyTorch's kernel, and nobody is asked; of our operators,
                        the host program. */
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
  int64_t calls;     /* That a rule served. PyTorch's kernel, or the host program,
                        served those that */
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
