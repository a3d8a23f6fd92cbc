//===- Options.cpp - options of a compilation in C ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Handles.h"

#include <cmath>

using namespace convmlir;

Result<convmlir_compile_options>
capi::readOptions(const convmlir_compile_options *given) {
  convmlir_compile_options options{};
  if (!given)
    return options;
  if (std::string why = whyWrongSize(*given); !why.empty())
    return Error{"options: " + why};
  const char *bytes = reinterpret_cast<const char *>(given);
  if (given->size > sizeof options &&
      std::any_of(bytes + sizeof options, bytes + given->size,
                  [](char byte) { return byte != 0; }))
    return Error{"options: a member behind the " +
                 std::to_string(sizeof options) +
                 " bytes that this version knows is not zero"};
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

Result<Precision> capi::readPrecision(const convmlir_compile_options &options) {
  std::string name = options.precision ? options.precision : "more";
  std::optional<Precision> precision = parsePrecision(name);
  if (!precision)
    return Error{"precision: expected more or text, got '" + name + "'"};
  return *precision;
}

/// Of ptxas; 0 is the default.
static Status setTimeout(CompileOptions &options, double seconds) {
  if (seconds == 0)
    return {};
  constexpr double most = 1e6; // More is not meant, and may overflow.
  if (!(seconds >= 1 && seconds <= most))
    return Error{"ptxas_timeout_s: expected 1 to 1000000 seconds, got " +
                 std::to_string(seconds)};
  options.ptxasLimit =
      std::chrono::seconds(static_cast<int64_t>(std::ceil(seconds)));
  return {};
}

static Status setMaxWorkspace(CompileOptions &options, const int64_t *bytes) {
  if (!bytes)
    return {};
  if (*bytes < 0)
    return Error{"max_workspace: expected at least 0 bytes, got " +
                 std::to_string(*bytes)};
  options.maxWorkspace = *bytes;
  return {};
}

Result<CompileOptions> capi::toOptions(const convmlir_compile_options &given,
                                       TuningRecordsReader &reader) {
  CompileOptions options;
  options.target = given.target ? given.target : supportedTargets().back();
  options.schedule = orEmpty(given.schedule);
  options.ptxas = orEmpty(given.ptxas);
  options.device = orEmpty(given.device);
  options.limits = {given.multiprocessors, given.shared_bytes_per_workgroup};
  if (std::string why = whyWrong(options.limits); !why.empty())
    return Error{why};
  options.targetCode = given.emulator_only == 0;
  options.refuseFlaws = given.refuse_flaws != 0;
  if (Status status = setTimeout(options, given.ptxas_timeout_s); !status)
    return status.takeError();
  if (Status status = setMaxWorkspace(options, given.max_workspace); !status)
    return status.takeError();
  if (given.on_warning)
    options.onWarning = [&](const std::string &message) {
      given.on_warning(message.c_str(), given.warning_data);
    };
  if (given.no_tuning)
    return options;
  Result<std::shared_ptr<const TuningRecords>> records =
      reader.read({orEmpty(given.tuning_file), false, shippedTuningFolder()});
  if (!records)
    return records.takeError();
  if (options.onWarning)
    for (const std::string &warning : (*records)->warnings())
      options.onWarning(warning);
  options.tuning = std::move(*records);
  return options;
}
