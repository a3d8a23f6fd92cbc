//===- TuningSetup.cpp - the tuning records of a run ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningSetup.h"
#include "Support/Message.h"

namespace convmlir {

/// Where the user named a file; else empty.
static const std::string &namedFile(const CommandLine &line,
                                    const Environment &environment) {
  return line.tuningFile.empty() ? environment.tuningFile : line.tuningFile;
}

std::string userTuningFile(const CommandLine &line,
                           const Environment &environment) {
  if (const std::string &named = namedFile(line, environment); !named.empty())
    return named;
  // The specification of XDG_CONFIG_HOME ignores relative paths.
  std::string config = environment.configHome;
  if (!config.starts_with("/"))
    config = environment.home.empty() ? "" : environment.home + "/.config";
  return config.empty() ? "" : config + "/conv-mlir/tuning.json";
}

Result<std::shared_ptr<const TuningRecords>>
openTuningRecords(const CommandLine &line, const Environment &environment) {
  if (line.noTuning)
    return std::shared_ptr<const TuningRecords>();
  Result<TuningRecords> records = loadTuningRecords(
      {userTuningFile(line, environment), namedFile(line, environment).empty(),
       shippedTuningFolder()});
  if (!records) {
    bool isNamed = !namedFile(line, environment).empty();
    const char *by =
        line.tuningFile.empty() ? "CONV_MLIR_TUNING: " : "--tuning-file: ";
    return Error{(isNamed ? by : "") + records.takeError().message};
  }
  for (const std::string &warning : records->warnings())
    printWarning(warning);
  return std::shared_ptr<const TuningRecords>(
      std::make_shared<TuningRecords>(std::move(*records)));
}

void printWarning(const std::string &text) {
  printMessage("conv-run", "warning", text);
}

} // namespace convmlir
