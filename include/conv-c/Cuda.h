/*===- conv-c/Cuda.h - plans on CUDA devices in C -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Launches on the caller's memory and streams. The CUDA driver is opened     *|
|* when it is first needed. Every function leaves the CUDA context that is    *|
|* current on the thread as it found it.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_CUDA_H
#define CONV_C_CUDA_H

#include "conv-c/Plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In place of the number of a device: the context that is current on the
   calling thread. It must outlive what is loaded into it. */
#define CONVMLIR_CURRENT_CONTEXT (-1)

typedef struct convmlir_device {
  size_t size;          /* sizeof(convmlir_device). */
  char name[256];       /* "NVIDIA H200". */
  char target[16];      /* The device's own architecture: "sm_90". */
  char best_target[16]; /* What to compile for: the last of
                           convmlir_targets() that the device runs. */
  int32_t capability_major, capability_minor;
  int64_t multiprocessors;
  int64_t l2_bytes;
  int64_t memory_bytes;
  double clock_hz; /* The highest. 0: unknown, as all above. */
  double memory_bytes_per_second;
  int64_t shared_bytes_per_workgroup; /* That a workgroup can have. */
} convmlir_device;

convmlir_status convmlir_device_describe(int32_t device,
                                         convmlir_device *description);

/* The roofline bound: the least time in microseconds that `flops` operations on
   operands of that type take at the peak of the device, and `bytes` of traffic
   at the bandwidth of its memory. Both are 0 where its peaks are unknown. */
convmlir_status convmlir_device_bound(const convmlir_device *device,
                                      const char *type, int64_t flops,
                                      int64_t bytes, double *compute_us,
                                      double *memory_us);

/* The code and constants of a plan on a device. */
typedef struct convmlir_program convmlir_program;

/* Loads into the primary context of a device (counted from 0; the context that
   the CUDA runtime and PyTorch use), or into the current context. The plan may
   be destroyed afterwards. `*program` is the caller's to destroy. */
convmlir_status convmlir_program_load(const convmlir_plan *plan, int32_t device,
                                      convmlir_program **program);

/* What the program is not the best for, a sentence: its plan was made for a
   device with another number of multiprocessors. `*remark` is NULL where there
   is nothing to say; free it with convmlir_free(). */
convmlir_status convmlir_program_remark(const convmlir_program *program,
                                        char **remark);

/* Enqueues one run on `stream` (a CUstream of the context; NULL: the default
   stream). `operands` are `count` device addresses in the order of the plan's
   operands; `workspace` has `workspace_bytes` bytes, at least those of the
   plan, that are this run's alone until it is done. Addresses are multiples of
   16; those of empty tensors, and a workspace that is not needed, may be NULL.
   Allocates no device memory, copies nothing and waits for nothing, so the
   stream may be capturing. */
convmlir_status convmlir_program_launch(const convmlir_program *program,
                                        void *const *operands, size_t count,
                                        void *workspace, size_t workspace_bytes,
                                        void *stream);

/* All launches must be done. NULL is allowed. */
void convmlir_program_destroy(convmlir_program *program);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_CUDA_H */
