//===- Answer.cpp - whether a module still does it ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace convmlir::reducer {

namespace {
/// How a tool ended, and what it printed.
struct Ended {
  int status = 0; ///< -2: by a signal, or for its time.
  std::string why;
  std::string output; ///< Both streams.
};
} // namespace

static std::string ownProgram() {
  return sys::fs::getMainExecutable(nullptr, nullptr);
}

/// Beside this tool, else in PATH, or where a path says.
static Result<std::string> findTool(StringRef name) {
  if (name.contains('/'))
    return sys::fs::can_execute(name)
               ? Result<std::string>(name.str())
               : Error{"'" + name.str() + "' cannot be executed"};
  SmallString<256> beside(sys::path::parent_path(ownProgram()));
  sys::path::append(beside, name);
  if (sys::fs::can_execute(beside))
    return std::string(beside);
  if (ErrorOr<std::string> found = sys::findProgramByName(name))
    return *found;
  return Error{"'" + name.str() +
               "' is neither beside conv-reduce nor in PATH"};
}

static std::string describeEnd(StringRef tool, int status, StringRef error) {
  std::string name = sys::path::filename(tool).str();
  if (status >= 0)
    return name + " ended with status " + std::to_string(status);
  return name + " ended by: " + error.str();
}

static std::string readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static Result<Ended> runTool(const std::string &tool, ArrayRef<StringRef> words,
                             int64_t seconds) {
  SmallString<128> log;
  if (std::error_code code =
          sys::fs::createTemporaryFile("conv-reduce", "log", log))
    return Error{"a temporary file cannot be made: " + code.message()};
  FileRemover remover(log);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string error;
  bool isNotRun = false;
  Ended ended;
  ended.status =
      sys::ExecuteAndWait(tool, words, std::nullopt, redirects,
                          static_cast<unsigned>(seconds), 0, &error, &isNotRun);
  if (isNotRun)
    return Error{"'" + tool + "' cannot be started: " + error};
  ended.why = describeEnd(tool, ended.status, error);
  ended.output = readFile(log);
  return ended;
}

/// Whether a verification failed; of one that had nothing to compare the status
/// is the same.
static bool hasFailed(StringRef report) {
  return any_of(split(report, '\n'), [](StringRef line) {
    return line.starts_with("verify ") && line.contains(": FAILED") &&
           !line.contains("nothing to compare");
  });
}

/// "kernel     NAME: grid …", a line each.
static bool hasKernel(StringRef report, StringRef name) {
  return any_of(split(report, '\n'), [&](StringRef line) {
    return line.starts_with("kernel ") && line.split(':').first.contains(name);
  });
}

/// A time that is over is no crash.
static bool isCrash(const Ended &ended) {
  return ended.status == -2 && !StringRef(ended.why).contains("timed out");
}

static bool isYes(const CommandLine &line, const Ended &ended) {
  switch (line.question) {
  case Question::Differs:
    return ended.status == 1 && hasFailed(ended.output);
  case Question::Crashes:
    return isCrash(ended);
  case Question::HasKernel:
    return ended.status == 0 && hasKernel(ended.output, line.kernel);
  case Question::Script:
    return ended.status > 0;
  case Question::None:
    break;
  }
  return false;
}

/// What is asked of a tool, in front of the options of --with.
static std::vector<std::string> ownOptions(const CommandLine &line) {
  if (line.question == Question::Differs)
    return {"--device=emulator", "--verify=full"};
  if (line.question == Question::HasKernel)
    return {"--describe"};
  return {};
}

static std::string toolName(const CommandLine &line) {
  if (line.question == Question::Script)
    return line.test;
  if (line.question != Question::Crashes)
    return "conv-run";
  return line.tool.empty() ? "conv-opt" : line.tool;
}

Result<Answer> answer(const CommandLine &line, const std::string &file) {
  Result<std::string> tool = findTool(toolName(line));
  if (!tool)
    return tool.takeError();
  std::vector<std::string> own = ownOptions(line);
  SmallVector<StringRef> words = {*tool, file};
  words.append(own.begin(), own.end());
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> given;
  cl::TokenizeGNUCommandLine(line.with, saver, given);
  words.append(given.begin(), given.end());
  Result<Ended> ended = runTool(*tool, words, line.seconds);
  if (!ended)
    return ended.takeError();
  bool says = StringRef(ended->output).contains(line.message);
  std::string why = ended->why;
  if (!says)
    why += " and did not print '" + line.message + "'";
  return Answer{isYes(line, *ended) && says, why};
}

Result<Answer> recallOrAnswer(const CommandLine &line,
                              const std::string &file) {
  if (line.memory.empty())
    return answer(line, file);
  std::string text = readFile(file);
  SmallString<256> path(line.memory);
  sys::path::append(path, toHex(SHA1::hash(arrayRefFromStringRef(text))));
  if (sys::fs::exists(path))
    return Answer{readFile(path) == "yes", "remembered"};
  Result<Answer> given = answer(line, file);
  std::error_code code;
  if (raw_fd_ostream kept(path, code); given && !code)
    kept << (given->isYes ? "yes" : "no");
  return given;
}

Asker makeAsker(const CommandLine &line, const std::string &memory) {
  Asker asker{ownProgram(),
              {"--ask", "--timeout=" + std::to_string(line.seconds)}};
  for (auto [name, value] : {std::pair("--still=", &line.still),
                             {"--test=", &line.test},
                             {"--tool=", &line.tool},
                             {"--with=", &line.with},
                             {"--message=", &line.message},
                             {"--memory=", &memory}})
    if (!value->empty())
      asker.arguments.push_back(name + *value);
  return asker;
}

} // namespace convmlir::reducer
