//===- Explain.cpp - why a schedule was chosen ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Support/PlanText.h"
#include "Support/TextFormat.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace convmlir;

/// What the records say of the plan's schedule.
static std::string recordText(const Plan &plan, const ChoiceReport &choice) {
  const std::string &first = choice.forms.front().best;
  if (plan.schedule.find(first) != std::string::npos)
    return "the model's choice";
  return "not the model's choice: a record or --schedule asks for it";
}

static std::string timeText(const FormChoice &form) {
  if (!form.relativeTime)
    return "time of another unit";
  return formatNumber("%.2f", *form.relativeTime) + " of the first one's time";
}

static std::string formText(const FormChoice &form) {
  if (form.candidates == 0)
    return form.form + ": none. " + form.whyNone;
  return form.form + ": place " + std::to_string(form.rank) + ", " +
         timeText(form) + ", the best of " + std::to_string(form.candidates) +
         ": " + form.best;
}

void convmlir::explainAsText(const Plan &plan, const ChoiceReport &choice) {
  llvm::outs() << formatRow("problem", plan.problem)
               << formatRow("target", plan.target) << chipRow(plan)
               << scheduleRow(plan)
               << formatRow("chosen", recordText(plan, choice));
  if (!choice.whyNoWgmma.empty())
    llvm::outs() << formatRow("wgmma", "not taken: " + choice.whyNoWgmma);
  for (const FormChoice &form : choice.forms)
    llvm::outs() << formatRow("form", formText(form));
  llvm::outs().flush();
}

static void writeForm(llvm::json::OStream &json, const FormChoice &form) {
  json.object([&] {
    json.attribute("form", form.form);
    json.attribute("page", "docs/forms/" + form.page + ".md");
    json.attribute("candidates", int64_t(form.candidates));
    if (form.candidates == 0)
      return json.attribute("why_none", form.whyNone);
    json.attribute("best", form.best);
    json.attribute("rank", int64_t(form.rank));
    if (form.relativeTime)
      json.attribute("relative_time", *form.relativeTime);
  });
}

void convmlir::explainAsJson(const Plan &plan, const ChoiceReport &choice) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("problem", plan.problem);
    json.attribute("target", plan.target);
    json.attribute("multiprocessors", plan.multiprocessors);
    json.attribute("schedule", plan.schedule);
    json.attribute("chosen", recordText(plan, choice));
    json.attribute("why_no_wgmma", choice.whyNoWgmma);
    json.attributeArray("forms", [&] {
      for (const FormChoice &form : choice.forms)
        writeForm(json, form);
    });
  });
  llvm::outs() << '\n';
  llvm::outs().flush();
}
