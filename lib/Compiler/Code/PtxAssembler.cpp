//===- PtxAssembler.cpp - ptxas as a subprocess ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/PtxAssembler.h"

#include "Cubin.h"
#include "conv/Compiler/ChildProcess.h"
#include "conv/Support/Message.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace convmlir;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

static std::string ptxasOf(StringRef toolkit) {
  llvm::SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin", "ptxas");
  return llvm::sys::fs::can_execute(path) ? std::string(path) : std::string();
}

Result<std::string> convmlir::findPtxas(const PtxasSearch &search) {
  if (!search.cudaPath.empty()) {
    std::string path = ptxasOf(search.cudaPath);
    if (path.empty())
      return Error{"--cuda-path=" + search.cudaPath +
                   ": expected a CUDA toolkit, but it has no bin/ptxas that "
                   "can be executed"};
    return path;
  }
  if (!search.cudaHome.empty())
    if (std::string path = ptxasOf(search.cudaHome); !path.empty())
      return path;
  llvm::SmallVector<StringRef> folders;
  StringRef(search.searchPath).split(folders, ':', -1, /*KeepEmpty=*/false);
  if (llvm::ErrorOr<std::string> path =
          llvm::sys::findProgramByName("ptxas", folders);
      path && !folders.empty())
    return *path;
  return ptxasOf("/usr/local/cuda");
}

//===----------------------------------------------------------------------===//
// Its report
//===----------------------------------------------------------------------===//

/// Bytes of a line of its that is quoted, of which some are long names.
static constexpr size_t kMostQuoted = 500;

/// Messages about losses that are kept; there are about ten kinds.
static constexpr size_t kMostLosses = 32;

/// The number before the first occurrence of `unit`, or 0.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t position = line.find(unit);
  if (position == StringRef::npos)
    return 0;
  StringRef before = line.take_front(position).rtrim();
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  int64_t value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

// The lines that matter:
//   ptxas info    : Compiling entry function 'forward_0' for 'sm_90'
//       0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 168 registers, used 1 barriers, 512 bytes smem
std::vector<KernelResources>
convmlir::parsePtxasReport(std::string_view report) {
  std::vector<KernelResources> kernels;
  for (StringRef line : llvm::split(StringRef(report), '\n')) {
    if (line.contains("Compiling entry function")) {
      kernels.emplace_back();
      kernels.back().kernel = line.split('\'').second.split('\'').first.str();
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("spill stores"))
      kernel.spillBytes = numberBefore(line, "bytes spill stores") +
                          numberBefore(line, "bytes spill loads");
    if (line.contains("Used")) {
      kernel.registers = numberBefore(line, "registers");
      kernel.staticSharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return kernels;
}

// One a line, each once:
//   ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async …
std::vector<std::string> convmlir::parsePtxasLosses(std::string_view report) {
  std::vector<std::string> losses;
  for (StringRef line : llvm::split(StringRef(report), '\n')) {
    size_t position = line.find("(C75");
    if (position == StringRef::npos)
      continue;
    std::string text =
        shortenMessage(line.drop_front(position).trim(), kMostQuoted);
    if (!llvm::is_contained(losses, text) && losses.size() < kMostLosses)
      losses.push_back(std::move(text));
  }
  return losses;
}

std::string convmlir::describeFlaws(const AssembledPtx &assembled) {
  std::vector<std::string> flaws = assembled.losses;
  for (const KernelResources &kernel : assembled.kernels)
    if (kernel.spillBytes > 0)
      flaws.push_back(kernel.kernel + " spills registers, " +
                      std::to_string(kernel.spillBytes) + " bytes a thread");
  return llvm::join(flaws, "; ");
}

/// The line to quote where ptxas failed.
static std::string firstComplaint(StringRef output) {
  StringRef first;
  for (StringRef line : llvm::split(output, '\n')) {
    line = line.trim();
    if (line.empty())
      continue;
    if (line.contains("error") || line.contains("fatal"))
      return shortenMessage(line, kMostQuoted);
    if (first.empty())
      first = line;
  }
  return first.empty() ? "it said nothing" : shortenMessage(first, kMostQuoted);
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

/// Bytes of its report that are read: of some ten thousand kernels.
static constexpr size_t kMostReport = 16 << 20;

/// Bytes that it may write: a cubin has megabytes at most.
static constexpr size_t kMostWritten = 1 << 30;

/// Where the program finds its files, in their order.
static constexpr const char *kSource = "/proc/self/fd/3",
                            *kCubin = "/proc/self/fd/4";

/// How it failed; the report is its own.
static Error describeFailure(const ChildProgram &ptxas, const ChildEnd &end,
                             StringRef report) {
  std::string how = describeEnd(ptxas, end, "--ptxas-timeout");
  if (end.kind == ChildEnd::Kind::Exited)
    how += ": " + firstComplaint(report);
  return Error{how};
}

Result<AssembledPtx> convmlir::assemblePtx(const std::string &ptxas,
                                           std::string_view ptx,
                                           const std::string &target,
                                           std::chrono::seconds limit) {
  Result<MemoryFile> source = MemoryFile::create(ptx);
  Result<MemoryFile> cubin = MemoryFile::create();
  Result<MemoryFile> output = MemoryFile::create();
  for (auto *file : {&source, &cubin, &output})
    if (!*file)
      return file->takeError();
  ChildProgram program;
  program.path = ptxas;
  program.arguments = {"-v", "-arch=" + target, "-o", kCubin, kSource};
  program.files = {&*source, &*cubin};
  program.output = &*output;
  program.limit = limit;
  program.largestFile = kMostWritten;
  ChildEnd end = runChild(program);
  Bytes bytes = output->read(kMostReport);
  StringRef report(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (end.kind != ChildEnd::Kind::Exited || end.code != 0)
    return describeFailure(program, end, report);
  Bytes content = cubin->read(kMostWritten);
  if (Status status = checkCubin(content, target); !status)
    return Error{ptxas + " wrote no cubin for " + target + ": " +
                 status.error()};
  return AssembledPtx{std::move(content), parsePtxasReport(report),
                      parsePtxasLosses(report)};
}
