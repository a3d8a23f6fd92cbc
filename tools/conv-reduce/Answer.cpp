//===- Answer.cpp - whether a module still does it ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answer.h"
#include "conv/Compiler/ChildProcess.h"
#include "conv/Support/Message.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;

namespace convmlir::reducer {

/// Bytes of a tool's output that are looked at.
static constexpr size_t kMostOutput = size_t{64} << 20;

namespace {
/// How a tool ended, and what it printed.
struct Ended {
  ChildEnd end;
  std::string why;
  std::string output; ///< Both streams.

  bool hasStatus(int status) const {
    return end.kind == ChildEnd::Kind::Exited && end.code == status;
  }
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

/// "error: …" of a tool, or what LLVM says of a crash: its first such line.
static std::string firstComplaint(StringRef output) {
  constexpr size_t mostQuoted = 300;
  for (StringRef line : split(output, '\n'))
    if (line.contains("error: ") || line.contains("FAILED"))
      return ": " + shortenMessage(line.trim(), mostQuoted);
  return "";
}

/// A tool that ends with a status may have done what it should.
static std::string describeRun(const ChildProgram &tool, const ChildEnd &end) {
  std::string name = sys::path::filename(tool.path).str();
  if (end.kind == ChildEnd::Kind::Exited)
    return name + " ended with status " + std::to_string(end.code);
  if (end.kind == ChildEnd::Kind::Died)
    return name + " ended by: " + strsignal(end.code);
  return describeEnd(tool, end, "--timeout");
}

static std::string readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Nothing that the tool has started is left behind.
static Result<Ended> runTool(const std::string &tool,
                             std::vector<std::string> arguments,
                             int64_t seconds) {
  Result<MemoryFile> output = MemoryFile::create();
  if (!output)
    return output.takeError();
  ChildProgram program;
  program.path = tool;
  program.arguments = std::move(arguments);
  program.output = &*output;
  program.limit = std::chrono::seconds(seconds);
  Ended ended;
  ended.end = runChild(program);
  if (ended.end.kind == ChildEnd::Kind::NotStarted)
    return Error{"'" + tool +
                 "' cannot be started: " + std::strerror(ended.end.code)};
  Bytes bytes = output->read(kMostOutput);
  ended.output.assign(bytes.begin(), bytes.end());
  ended.why = describeRun(program, ended.end) + firstComplaint(ended.output);
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

static bool isYes(const CommandLine &line, const Ended &ended) {
  switch (line.question) {
  case Question::Differs:
    return ended.hasStatus(1) && hasFailed(ended.output);
  case Question::Crashes:
    return ended.end.kind == ChildEnd::Kind::Died;
  case Question::HasKernel:
    return ended.hasStatus(0) && hasKernel(ended.output, line.kernel);
  case Question::Script:
    return ended.end.kind == ChildEnd::Kind::Exited && ended.end.code > 0;
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
  std::vector<std::string> words = {file};
  append_range(words, ownOptions(line));
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> given;
  cl::TokenizeGNUCommandLine(line.with, saver, given);
  append_range(words, given);
  Result<Ended> ended = runTool(*tool, std::move(words), line.seconds);
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
