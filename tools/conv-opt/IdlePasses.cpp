//===- IdlePasses.cpp - passes that found nothing to run on ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IdlePasses.h"
#include "conv/Pipelines/Forms.h"
#include "conv/Pipelines/Pipelines.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
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

namespace {
/// What a pass met. It was of use where it changed something, or met a form
/// that it is for.
struct Runs {
  bool wasOfUse = false;
  conv::FormRange got; ///< Where it was of none.
};
} // namespace

struct IdlePasses::State {
  std::mutex mutex; ///< Passes run on several threads.
  std::vector<PlannedPass> planned;
  llvm::StringMap<conv::FormRange> expected;
  llvm::StringMap<Runs> ran;
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

/// The forms that passes of a step are for, and its result: another pass of the
/// step may have made it.
static llvm::StringMap<conv::FormRange> getExpectedForms() {
  llvm::StringMap<conv::FormRange> forms;
  for (int i = 0; i < int(Form::F8); ++i) {
    conv::FormRange own{Form(i), Form(i + 1)};
    for (const PlannedPass &pass : readPipeline(conv::printStep(Form(i))))
      if (StringRef(pass.name).starts_with("conv")) {
        conv::FormRange &known =
            forms.try_emplace(pass.name, own).first->second;
        known.last = own.last;
      }
  }
  // It checks the schedules of all later forms.
  forms.erase("conv-select-schedule");
  return forms;
}

namespace {
template <typename State> class Watch : public PassInstrumentation {
public:
  explicit Watch(std::shared_ptr<State> state) : state(std::move(state)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    std::optional<conv::FormRange> wrong = findWrongForm(pass, op);
    std::lock_guard<std::mutex> lock(state->mutex);
    Runs &runs = state->ran[pass->getArgument()];
    if (!wrong) {
      runs.wasOfUse = true;
      return;
    }
    runs.got = *wrong;
    pending.try_emplace({pass, op}, OperationFingerPrint(op));
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    std::lock_guard<std::mutex> lock(state->mutex);
    auto before = pending.find({pass, op});
    if (before == pending.end())
      return;
    state->ran[pass->getArgument()].wasOfUse |=
        before->second != OperationFingerPrint(op);
    pending.erase(before);
  }

private:
  /// The forms of the operation, if none of them is one that the pass is for.
  std::optional<conv::FormRange> findWrongForm(Pass *pass, Operation *op) {
    auto expected = state->expected.find(pass->getArgument());
    if (expected == state->expected.end())
      return std::nullopt;
    std::optional<conv::FormRange> got = conv::guessForms(op);
    return got && !got->overlaps(expected->second) ? got : std::nullopt;
  }

  std::shared_ptr<State> state;
  std::map<std::pair<Pass *, Operation *>, OperationFingerPrint> pending;
};
} // namespace

IdlePasses::IdlePasses() : state(std::make_shared<State>()) {}
IdlePasses::~IdlePasses() = default;

void IdlePasses::watch(PassManager &pm) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pm.printAsTextualPipeline(stream);
  state->planned = readPipeline(text);
  state->expected = getExpectedForms();
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

/// Of a pass that ran on nothing: what came, what was expected, and how to say
/// it.
static Error explainAnchor(const PlannedPass &pass) {
  std::string nested = "'" + llvm::join(pass.anchors, "(") + "(" + pass.name +
                       std::string(pass.anchors.size(), ')') + "'";
  return Error{pass.name + " ran on nothing: it was asked for as " + nested +
               ", and the input has no " + pass.anchors.back() +
               " there; one that is deeper is reached as in --pass-pipeline="
               "'builtin.module(gpu.module(gpu.func(PASS)))'"};
}

/// Of a pass that met another form.
static Error explainForm(const PlannedPass &pass, conv::FormRange expected,
                         conv::FormRange got) {
  std::string text = pass.name +
                     " changed nothing: expected a module of form " +
                     expected.text() + ", got " + got.text();
  if (got.first < Form::F8)
    text += ", from which " + conv::getStepName(got.first) + " goes on";
  return Error{text};
}

Status IdlePasses::check(ArrayRef<const char *> arguments) const {
  for (const PlannedPass &pass : state->planned) {
    auto isNamed = [&](const char *argument) {
      return names(argument, pass.name);
    };
    if (pass.anchors.empty() || !llvm::any_of(arguments, isNamed))
      continue;
    auto runs = state->ran.find(pass.name);
    if (runs == state->ran.end())
      return explainAnchor(pass);
    if (!runs->second.wasOfUse)
      return explainForm(pass, state->expected.lookup(pass.name),
                         runs->second.got);
  }
  return {};
}
