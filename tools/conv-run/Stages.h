//===- Stages.h - a folder with every stage of a run ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a module, how it is compiled, and what a run counted. Output: a folder
// with the IR of each form, the code, the schedule and the counters, and a page
// with neighbouring stages side by side.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_RUN_STAGES_H
#define CONV_TOOLS_CONV_RUN_STAGES_H

#include "conv/Compiler/Compiler.h"
#include "conv/Runtime/Device.h"
#include "conv/Runtime/Plan.h"

#include <string>
#include <vector>

namespace convmlir {

/// One stage as text.
struct Stage {
  std::string name; ///< "F3 (tiles)", "PTX".
  std::string file; ///< "f3.mlir", in the folder.
  std::string text;
  std::string step;   ///< How it is made of the stage in front of it.
  std::string passes; ///< The same, pass by pass; empty: not by passes.
};

/// All that the folder says.
struct StageReport {
  std::string problem, target;
  std::string schedule; ///< Rows of the report: schedules, remarks, kernels.
  std::vector<DeviceCounter> counters; ///< Empty: nothing was counted.
  std::vector<Stage> stages;           ///< In order.
  std::vector<std::string> missing;    ///< What there is not, and why.
};

/// Whether the folder is there, or can be made.
Status checkStagesFolder(const std::string &folder);

/// The stages of a plan that was made of the source with these options.
/// `searchPath` is where cuobjdump is looked for, beside ptxas.
Result<StageReport> collectStages(const SourceModule &source,
                                  const CompileOptions &options,
                                  const Plan &plan,
                                  const std::string &searchPath);

/// Writes all files, or none. The page is index.html.
Status writeStages(const StageReport &report, const std::string &folder);

/// The page: it needs no other file, and no network.
std::string stagesPage(const StageReport &report);

} // namespace convmlir

#endif // CONV_TOOLS_CONV_RUN_STAGES_H
