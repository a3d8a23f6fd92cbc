//===- IdlePasses.cpp - passes that found nothing to run on ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IdlePasses.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <mutex>
#include <vector>

using namespace mlir;
using namespace convmlir;

namespace {
struct PlannedPass {
  std::string name;
  std::vector<std::string> anchors; ///< "builtin.module", "gpu.func".
};
} // namespace

struct IdlePasses::State {
  std::mutex mutex; ///< Passes run on several threads.
  llvm::StringSet<> ran;
  std::vector<PlannedPass> planned;
};

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Behind the options of a pass, "{a=b c={d}}", if there are any.
static StringRef skipOptions(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0)
      return text.drop_front(text[i] == '}' ? i + 1 : i);
  }
  return StringRef();
}

/// The passes of a pipeline, "builtin.module(a,gpu.module(b{c=d}))".
static std::vector<PlannedPass> readPipeline(StringRef text) {
  std::vector<PlannedPass> passes;
  std::vector<std::string> anchors;
  while (!text.empty()) {
    StringRef name = text.take_until([](char c) {
      return llvm::is_contained({'(', ')', ',', '{'}, c);
    });
    text = text.drop_front(name.size());
    if (text.starts_with("(")) {
      anchors.push_back(name.str());
    } else if (!name.empty()) {
      passes.push_back({name.str(), anchors});
      text = skipOptions(text);
    }
    if (text.starts_with(")") && !anchors.empty())
      anchors.pop_back();
    text = text.drop_front(std::min<size_t>(1, text.size()));
  }
  return passes;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
template <typename State> class Watch : public PassInstrumentation {
public:
  explicit Watch(std::shared_ptr<State> state) : state(std::move(state)) {}

  void runBeforePass(Pass *pass, Operation *) override {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->ran.insert(pass->getArgument());
  }

private:
  std::shared_ptr<State> state;
};
} // namespace

IdlePasses::IdlePasses() : state(std::make_shared<State>()) {}
IdlePasses::~IdlePasses() = default;

void IdlePasses::watch(PassManager &pm) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pm.printAsTextualPipeline(stream);
  state->planned = readPipeline(text);
  pm.addInstrumentation(std::make_unique<Watch<State>>(state));
}

/// Whether an argument is the flag of a pass, or a pipeline that has it.
static bool names(StringRef argument, StringRef pass) {
  auto [flag, value] = argument.split('=');
  if (!flag.consume_front("-"))
    return false;
  flag.consume_front("-");
  if (flag == pass)
    return true;
  auto isLimit = [](char c) { return !llvm::isAlnum(c) && c != '-'; };
  size_t at = flag == "pass-pipeline" ? value.find(pass) : StringRef::npos;
  return at != StringRef::npos && (at == 0 || isLimit(value[at - 1])) &&
         (at + pass.size() == value.size() || isLimit(value[at + pass.size()]));
}

/// What came, what was expected, and how to say it.
static Error explain(const PlannedPass &pass) {
  std::string nested = "'" + llvm::join(pass.anchors, "(") + "(" + pass.name +
                       std::string(pass.anchors.size(), ')') + "'";
  return Error{pass.name + " ran on nothing: it was asked for as " + nested +
               ", and the input has no " + pass.anchors.back() +
               " there; one that is deeper is reached as in --pass-pipeline="
               "'builtin.module(gpu.module(gpu.func(PASS)))'"};
}

Status IdlePasses::check(ArrayRef<const char *> arguments) const {
  for (const PlannedPass &pass : state->planned) {
    auto isNamed = [&](const char *argument) {
      return names(argument, pass.name);
    };
    if (!pass.anchors.empty() && !state->ran.contains(pass.name) &&
        llvm::any_of(arguments, isNamed))
      return explain(pass);
  }
  return {};
}
