//===- PtxAssembler.cpp - ptxas as a subprocess ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/PtxAssembler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

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
    std::string text = line.drop_front(position).trim().str();
    if (!llvm::is_contained(losses, text))
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
      return line.str();
    if (first.empty())
      first = line;
  }
  return first.empty() ? "it said nothing" : first.str();
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {
/// A temporary file that goes away with its owner.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(StringRef suffix) {
    llvm::SmallString<128> path;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("conv-mlir", suffix, path))
      return Error{"cannot create a temporary file for ptxas: " +
                   code.message()};
    return TemporaryFile(std::string(path));
  }
  TemporaryFile(TemporaryFile &&other) : name(std::move(other.name)) {
    other.name.clear();
  }
  ~TemporaryFile() {
    if (!name.empty())
      llvm::sys::fs::remove(name);
  }
  StringRef path() const { return name; }

private:
  explicit TemporaryFile(std::string path) : name(std::move(path)) {}

  std::string name; ///< Empty after a move.
};
} // namespace

static Status writeText(StringRef path, std::string_view text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    stream << StringRef(text);
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return Error{"cannot write " + path.str() + ": " + code.message()};
  return {};
}

static std::string textOf(StringRef path) {
  Result<Bytes> content = readFile(path.str());
  return content ? std::string(content->begin(), content->end())
                 : std::string();
}

Result<AssembledPtx> convmlir::assemblePtx(const std::string &ptxas,
                                           std::string_view ptx,
                                           const std::string &target) {
  Result<TemporaryFile> source = TemporaryFile::create("ptx");
  Result<TemporaryFile> cubin = TemporaryFile::create("cubin");
  Result<TemporaryFile> output = TemporaryFile::create("txt");
  for (auto *file : {&source, &cubin, &output})
    if (!*file)
      return file->takeError();
  if (Status status = writeText(source->path(), ptx); !status)
    return status.takeError();

  std::string arch = "-arch=" + target;
  std::optional<StringRef> redirects[] = {StringRef(), output->path(),
                                          output->path()};
  std::string reason;
  int code = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, "-v", arch, "-o", cubin->path(), source->path()},
      /*Env=*/std::nullopt, redirects, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &reason);
  if (code < 0)
    return Error{ptxas + (code == -1 ? " could not be run: " : " died: ") +
                 (reason.empty() ? "no reason is known" : reason)};
  std::string report = textOf(output->path());
  if (code != 0)
    return Error{ptxas + " failed with status " + std::to_string(code) + ": " +
                 firstComplaint(report)};
  Result<Bytes> content = readFile(cubin->path().str());
  if (!content || content->empty())
    return Error{ptxas + " wrote no cubin"};
  return AssembledPtx{std::move(*content), parsePtxasReport(report),
                      parsePtxasLosses(report)};
}
