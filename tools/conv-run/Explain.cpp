//===- Explain.cpp - why a schedule was chosen ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Support/Message.h"
#include "Support/PlanText.h"
#include "Support/TextFormat.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace convmlir;

/// Who chose the plan's schedule.
static std::string chosenText(const ExplainReport &report) {
  if (!report.choice.taken)
    return report.record ? "the model's choice, which a record asks for, too"
                         : "the model's choice";
  return report.record ? "not the model's choice: a record asks for it"
                       : "not the model's choice: an option asks for it";
}

static std::string timeText(const std::optional<double> &relativeTime) {
  if (!relativeTime)
    return "time of another unit";
  return formatNumber("%.2f", *relativeTime) + " of the first one's time";
}

/// "products 0.71, memory 0.60".
static std::string termsText(const std::vector<TimeTerm> &terms) {
  std::string text;
  for (const TimeTerm &term : terms)
    text += (text.empty() ? "" : ", ") + term.name + " " +
            formatNumber("%.2f", term.share);
  return text;
}

static std::string takenText(const TakenChoice &taken) {
  if (taken.form.empty())
    return taken.schedule;
  std::string place =
      taken.rank == 0 ? "not ranked" : "place " + std::to_string(taken.rank);
  return taken.form + ": " + place + ", " + timeText(taken.relativeTime) +
         ": " + taken.schedule;
}

static std::string recordText(const TunedReport &record) {
  std::string text = toLine(record.file);
  text += ": " + formatNumber("%.2f", record.medianUs) + " us";
  return record.device.empty() ? text : text + " on " + toLine(record.device);
}

static std::string formText(const FormChoice &form) {
  if (form.candidates == 0)
    return form.form + ": none. " + form.whyNone;
  return form.form + ": place " + std::to_string(form.rank) + ", " +
         timeText(form.relativeTime) + ", the best of " +
         std::to_string(form.candidates) + ": " + form.best;
}

static std::string takenRows(const ExplainReport &report) {
  std::string rows;
  if (report.record)
    rows += formatRow("record", recordText(*report.record));
  if (!report.choice.taken)
    return rows;
  const TakenChoice &taken = *report.choice.taken;
  rows += formatRow("taken", takenText(taken));
  if (!taken.terms.empty())
    rows += formatRow("time", termsText(taken.terms));
  return rows;
}

void convmlir::explainAsText(const ExplainReport &report) {
  const Plan &plan = *report.plan;
  const ChoiceReport &choice = report.choice;
  llvm::outs() << formatRow("problem", plan.problem)
               << formatRow("target", plan.target) << chipRow(plan)
               << scheduleRow(plan) << formatRow("chosen", chosenText(report))
               << takenRows(report);
  if (!choice.whyNoWgmma.empty())
    llvm::outs() << formatRow("wgmma", "not taken: " + choice.whyNoWgmma);
  for (const FormChoice &form : choice.forms) {
    llvm::outs() << formatRow("form", formText(form));
    if (!form.terms.empty())
      llvm::outs() << formatRow("time", termsText(form.terms));
  }
  llvm::outs().flush();
}

static void writeTerms(llvm::json::OStream &json,
                       const std::vector<TimeTerm> &terms) {
  json.attributeArray("terms", [&] {
    for (const TimeTerm &term : terms)
      json.object([&] {
        json.attribute("name", term.name);
        json.attribute("share", term.share);
      });
  });
}

static void writeTaken(llvm::json::OStream &json, const TakenChoice &taken) {
  json.attributeObject("taken", [&] {
    json.attribute("form", taken.form);
    json.attribute("schedule", taken.schedule);
    if (taken.rank > 0)
      json.attribute("rank", int64_t(taken.rank));
    if (taken.relativeTime)
      json.attribute("relative_time", *taken.relativeTime);
    writeTerms(json, taken.terms);
  });
}

static void writeRecord(llvm::json::OStream &json, const TunedReport &record) {
  json.attributeObject("record", [&] {
    json.attribute("file", record.file);
    json.attribute("device", record.device);
    json.attribute("date", record.date);
    json.attribute("median_us", record.medianUs);
  });
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
    writeTerms(json, form.terms);
  });
}

void convmlir::explainAsJson(const ExplainReport &report) {
  const Plan &plan = *report.plan;
  const ChoiceReport &choice = report.choice;
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("problem", plan.problem);
    json.attribute("target", plan.target);
    json.attribute("multiprocessors", plan.multiprocessors);
    json.attribute("schedule", plan.schedule);
    json.attribute("chosen", chosenText(report));
    if (report.record)
      writeRecord(json, *report.record);
    if (choice.taken)
      writeTaken(json, *choice.taken);
    json.attribute("why_no_wgmma", choice.whyNoWgmma);
    json.attributeArray("forms", [&] {
      for (const FormChoice &form : choice.forms)
        writeForm(json, form);
    });
  });
  llvm::outs() << '\n';
  llvm::outs().flush();
}
