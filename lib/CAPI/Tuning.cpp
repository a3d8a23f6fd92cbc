//===- Tuning.cpp - tuning in C -------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Tuning.h"
#include "Handles.h"
#include "conv/Compiler/Tuning.h"
#include "conv/Tuning/TuningFile.h"

using namespace convmlir;
using namespace convmlir::capi;

convmlir_status convmlir_candidate_schedules(const char *problem,
                                             const char *target, size_t count,
                                             char **schedules) {
  return convmlir_candidate_schedules_on(problem, target, 0, count, schedules);
}

convmlir_status convmlir_candidate_schedules_on(const char *problem,
                                                const char *target,
                                                int64_t multiprocessors,
                                                size_t count,
                                                char **schedules) {
  return guardedWithFloats([&] {
    if (!problem || !target || !schedules)
      return missing(!problem ? "problem" : !target ? "target" : "schedules");
    Result<Problem> parsed = parseProblem(problem);
    if (!parsed)
      return badInput(parsed.error());
    Result<std::vector<std::string>> candidates =
        candidateSchedules(*parsed, target, count, {multiprocessors});
    if (!candidates)
      return badInput(candidates.error());
    std::string lines;
    for (const std::string &candidate : *candidates)
      lines += candidate + "\n";
    *schedules = strdup(lines.c_str());
    return CONVMLIR_OK;
  });
}

convmlir_status
convmlir_add_tuning_record(const char *path, const char *problem,
                           const char *target, const char *schedule,
                           const char *device, double median_us) {
  return convmlir_add_tuning_record_on(path, problem, target, 0, schedule,
                                       device, median_us);
}

convmlir_status
convmlir_add_tuning_record_on(const char *path, const char *problem,
                              const char *target, int64_t multiprocessors,
                              const char *schedule, const char *device,
                              double median_us) {
  return guardedWithFloats([&] {
    if (!path || !problem || !target || !schedule || !device)
      return missing(!path       ? "path"
                     : !problem  ? "problem"
                     : !target   ? "target"
                     : !schedule ? "schedule"
                                 : "device");
    Result<Problem> parsed = parseProblem(problem);
    if (!parsed)
      return badInput(parsed.error());
    Status status = checkSchedule(*parsed, target, schedule, {multiprocessors});
    if (status)
      status = addTuningRecord(path, makeTuningRecord(*parsed, target, schedule,
                                                      device, median_us,
                                                      multiprocessors));
    return status ? CONVMLIR_OK : badInput(status.error());
  });
}
