/*===- conv-c/Support.h - errors of the C API ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What all functions of the C API share: a status, and a message where it    *|
|* is not CONVMLIR_OK. No function throws, exits, prints, or reads an         *|
|* environment variable.                                                      *|
|*                                                                            *|
|* Structures begin with `size`, which the caller sets to sizeof(structure),  *|
|* a multiple of 8: a newer library leaves alone what it has not.             *|
|*                                                                            *|
|* Different threads may call everything at the same time, but no object may  *|
|* be destroyed while another call uses it.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_SUPPORT_H
#define CONV_C_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of conv-run's exit status. */
typedef enum convmlir_status {
  CONVMLIR_OK = 0,
  CONVMLIR_BAD_INPUT = 2,     /* An argument, a text or a file is wrong, or asks
                                 for what is not supported. */
  CONVMLIR_DEVICE_FAILED = 3, /* No driver, no such device, out of its memory,
                                 a kernel that does not load or start. */
  CONVMLIR_INTERNAL_ERROR = 4 /* Out of host memory, or a fault of ours. */
} convmlir_status;

/* One line about the last call on this thread that failed: what was expected,
   what came, and where. "" where none failed. Valid until the next call. */
const char *convmlir_last_error(void);

/* "0.1.0". */
const char *convmlir_version(void);

/* Frees memory that a function of this API gave the caller. NULL is allowed. */
void convmlir_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_SUPPORT_H */
