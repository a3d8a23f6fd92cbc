/*===- conv-c/Tuning.h - tuning in C ------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a program needs to time schedules itself: the candidates of a         *|
|* problem, and the file in which winners are recorded (docs/Tuning.md).      *|
|* Needs no GPU.                                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CONV_C_TUNING_H
#define CONV_C_TUNING_H

#include "conv-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Up to `count` schedules, at least 1, of a problem line that are worth timing
   on a target, one a line, complete, the compiler's choice without records
   first. Free `*schedules` with convmlir_free(). */
convmlir_status convmlir_candidate_schedules(const char *problem,
                                             const char *target, size_t count,
                                             char **schedules);
/* The same on a device with so many multiprocessors; 0: those of the target. */
convmlir_status convmlir_candidate_schedules_on(const char *problem,
                                                const char *target,
                                                int64_t multiprocessors,
                                                size_t count, char **schedules);

/* Adds a record to the tuning file, which is created where it is absent, with
   its folder, in the place of an older record of that problem, target and
   device. `schedule` is one of the candidates, or another that can run;
   `device` is the name of the device that took `median_us` microseconds. One
   writer at a time. */
convmlir_status
convmlir_add_tuning_record(const char *path, const char *problem,
                           const char *target, const char *schedule,
                           const char *device, double median_us);
/* The same of a device with so many multiprocessors, which are part of what
   records go by; 0: those of the target. */
convmlir_status
convmlir_add_tuning_record_on(const char *path, const char *problem,
                              const char *target, int64_t multiprocessors,
                              const char *schedule, const char *device,
                              double median_us);

#ifdef __cplusplus
}
#endif

#endif /* CONV_C_TUNING_H */
