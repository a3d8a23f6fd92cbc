//===- Stages.cpp - a folder with every stage of a run --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "Support/PlanText.h"
#include "conv/Pipelines/Pipelines.h"
#include "conv/Runtime/FileIO.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using llvm::StringRef;

namespace convmlir {

Status checkStagesFolder(const std::string &folder) {
  if (!llvm::sys::fs::exists(folder) || llvm::sys::fs::is_directory(folder))
    return {};
  return Error{"--stages: expected a folder, or a name of none, but '" +
               folder + "' is a file"};
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static Stage makeFormStage(Form form, std::string text, bool isFirst) {
  std::string number = std::to_string(int(form));
  Stage stage{toString(form), "f" + number + ".mlir", std::move(text), "", ""};
  if (isFirst)
    return stage;
  Form before = Form(int(form) - 1);
  stage.step = "--" + mlir::conv::getStepName(before);
  stage.passes = mlir::conv::printStep(before);
  return stage;
}

/// A module that came lowered has no earlier forms. Any other error would have
/// been one of the plan already.
static Status addForms(const SourceModule &source,
                       const CompileOptions &options, StageReport &report) {
  Status firstError;
  for (int form = 0; form <= int(Form::F8); ++form) {
    Result<std::string> text = emitModule(source, Form(form), options);
    if (text)
      report.stages.push_back(
          makeFormStage(Form(form), std::move(*text), report.stages.empty()));
    else if (!report.stages.empty())
      return text.takeError();
    else if (firstError)
      firstError = text.takeError();
  }
  return report.stages.empty() ? firstError : Status();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static const PlanImage *findImage(const Plan &plan, ImageKind kind) {
  for (const PlanImage &image : plan.images)
    if (image.kind == kind)
      return &image;
  return nullptr;
}

static std::string findCuobjdump(StringRef ptxas, StringRef searchPath) {
  llvm::SmallString<256> beside(llvm::sys::path::parent_path(ptxas));
  llvm::sys::path::append(beside, "cuobjdump");
  if (!ptxas.empty() && llvm::sys::fs::can_execute(beside))
    return std::string(beside);
  llvm::SmallVector<StringRef> folders;
  searchPath.split(folders, ':', -1, /*KeepEmpty=*/false);
  if (folders.empty())
    return "";
  llvm::ErrorOr<std::string> found =
      llvm::sys::findProgramByName("cuobjdump", folders);
  return found ? *found : "";
}

static Result<std::string> disassemble(const std::string &cuobjdump,
                                       const Bytes &cubin) {
  constexpr unsigned seconds = 600;
  llvm::SmallString<128> input, output;
  for (llvm::SmallString<128> *path : {&input, &output})
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("conv-run", "cubin", *path))
      return Error{"a temporary file cannot be made: " + code.message()};
  llvm::FileRemover removeInput(input), removeOutput(output);
  if (Status status = writeFileAtomically(std::string(input), cubin); !status)
    return status.takeError();
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(output),
                                          StringRef(output)};
  std::string why;
  int status =
      llvm::sys::ExecuteAndWait(cuobjdump, {cuobjdump, "-sass", input},
                                std::nullopt, redirects, seconds, 0, &why);
  if (status != 0)
    return Error{cuobjdump + " ended with status " + std::to_string(status) +
                 (why.empty() ? "" : ": " + why)};
  auto text = llvm::MemoryBuffer::getFile(output);
  return text ? Result<std::string>((*text)->getBuffer().str())
              : Error{"what " + cuobjdump + " wrote cannot be read"};
}

/// The machine's code, or why it is not there.
static Status addSass(const CompileOptions &options, const Plan &plan,
                      const std::string &searchPath, StageReport &report) {
  const PlanImage *cubin = findImage(plan, ImageKind::Cubin);
  if (!cubin) {
    report.missing.push_back("SASS: there is no ptxas, so there is no cubin");
    return {};
  }
  std::string cuobjdump = findCuobjdump(options.ptxas, searchPath);
  if (cuobjdump.empty()) {
    report.missing.push_back(
        "SASS: cuobjdump is neither beside ptxas nor in PATH");
    return {};
  }
  Result<std::string> sass = disassemble(cuobjdump, cubin->data);
  if (!sass)
    return sass.takeError();
  report.stages.push_back({"SASS", "kernels.sass", std::move(*sass),
                           "ptxas, shown by cuobjdump -sass", ""});
  return {};
}

static Status addCode(const SourceModule &source, const CompileOptions &options,
                      const Plan &plan, const std::string &searchPath,
                      StageReport &report) {
  if (plan.launches.empty()) {
    report.missing.push_back("code: there is nothing to compute");
    return {};
  }
  Result<std::string> llvmIr = emitLlvm(source, options);
  if (!llvmIr)
    return llvmIr.takeError();
  report.stages.push_back(
      {"LLVM IR", "kernels.ll", std::move(*llvmIr),
       "MLIR's translation to LLVM IR, and LLVM's optimisations", ""});
  // Plans of a run have it.
  if (const PlanImage *ptx = findImage(plan, ImageKind::Ptx))
    report.stages.push_back({"PTX", "kernels.ptx",
                             std::string(ptx->data.begin(), ptx->data.end()),
                             "LLVM's NVPTX back end", ""});
  return addSass(options, plan, searchPath, report);
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

Result<StageReport> collectStages(const SourceModule &source,
                                  const CompileOptions &options,
                                  const Plan &plan,
                                  const std::string &searchPath) {
  // Records and warnings were reported with the plan.
  CompileOptions quiet = options;
  quiet.onTuned = nullptr;
  quiet.onUntuned = nullptr;
  quiet.onWarning = nullptr;
  StageReport report;
  report.problem = plan.problem;
  report.target = plan.target;
  report.schedule = scheduleRow(plan) + remarkRows(plan) + kernelRows(plan);
  if (Status status = addForms(source, quiet, report); !status)
    return status.takeError();
  if (Status status = addCode(source, quiet, plan, searchPath, report); !status)
    return status.takeError();
  return report;
}

static std::string countersText(const StageReport &report) {
  std::string text;
  for (const DeviceCounter &counter : report.counters)
    text += counter.name + " " + std::to_string(counter.value) + "\n";
  return text;
}

Status writeStages(const StageReport &report, const std::string &folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const Stage &stage : report.stages)
    files.emplace_back(stage.file, stage.text);
  files.emplace_back("schedule.txt", report.schedule);
  if (!report.counters.empty())
    files.emplace_back("counters.txt", countersText(report));
  files.emplace_back("index.html", stagesPage(report));
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return Error{"--stages: '" + folder +
                 "' cannot be made: " + code.message()};
  std::vector<PendingFile> pending;
  for (const auto &[name, text] : files) {
    Result<PendingFile> file = PendingFile::write(
        folder + "/" + name,
        {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
    if (!file)
      return Error{"--stages: " + file.error()};
    pending.push_back(std::move(*file));
  }
  for (PendingFile &file : pending)
    if (Status status = file.commit(); !status)
      return Error{"--stages: " + status.error()};
  return {};
}

} // namespace convmlir
