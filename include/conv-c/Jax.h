/*===- conv-c/Jax.h - convolutions within programs of JAX ---------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The hot path of conv_mlir.jax: two handlers of XLA's foreign functions,    *|
|* and the table of plans that they run. XLA calls them with the buffers and  *|
|* the stream of a program; Python takes no part in it.                       *|
|*                                                                            *|
|* Nothing here is built against XLA: its C ABI is declared anew              *|
|* (lib/CAPI/Jax/Ffi.h). JAX 0.10 has it.                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_JAX_H
#define CONV_C_JAX_H

#include "conv-c/Cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a plan to the table, under a name of one line, for the rest of the
   process: programs that XLA has compiled may run it at any time. The plan may
   be destroyed afterwards. A name that is there stays what it is. */
convmlir_status convmlir_jax_add_plan(const char *name,
                                      const convmlir_plan *plan);

/* Handlers (XLA_FFI_Handler). They take an XLA_FFI_CallFrame, and return an
   XLA_FFI_Error, or NULL. A call has the attribute `plan`, a name of the table,
   and the plan's arguments and results as dense buffers in its order.

   The first one is for the CPU: it runs the emulator. The second one is for
   CUDA: where XLA initialises a program it loads the plan on the device, where
   XLA executes it enqueues the kernels on XLA's stream and nothing else, so that
   XLA may record the call in a command buffer. A plan with a workspace has one
   result more, of at least as many bytes. */
void *convmlir_jax_emulate(void *frame);
void *convmlir_jax_launch(void *frame);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_JAX_H */
