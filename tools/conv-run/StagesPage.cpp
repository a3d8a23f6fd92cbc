//===- StagesPage.cpp - neighbouring stages side by side ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output: one page of HTML, without scripts. Each step is a section with the
// stage in front of it on the left and the one behind it on the right. Lines
// that are the same but for their indentation and the numbers of values stand
// in one row, long runs of them folded.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "Support/LineDiff.h"

#include "llvm/ADT/StringRef.h"

namespace convmlir {

static const char *const head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.4 sans-serif; margin: 1em; color: #222; background: #fff; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
td { vertical-align: top; padding: 0 .5em; font: 12px/1.4 monospace;
     white-space: pre-wrap; overflow-wrap: anywhere; }
td.n { width: 3em; text-align: right; color: #888; }
tr.changed td.l, tr.left td.l { background: #ffe3e0; }
tr.changed td.r, tr.right td.r { background: #dff5df; }
summary { cursor: pointer; }
details.fold > summary { color: #666; font: 12px/1.6 monospace; }
section { margin: 2em 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.4 monospace; }
</style>
)";

static std::string escape(std::string_view text) {
  std::string escaped;
  for (char c : text)
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  return escaped;
}

namespace {
using Lines = std::vector<std::string_view>;

/// Two stages as rows of a table.
class SideBySide {
public:
  SideBySide(const Lines &left, const Lines &right)
      : left(left), right(right) {}

  std::string show(const std::vector<DiffRow> &rows);

private:
  void addSame(const std::vector<DiffRow> &rows, size_t begin, size_t end);
  void addChanged(const std::vector<DiffRow> &rows, size_t begin, size_t end);
  void addRow(const char *kind, const DiffRow &row);
  void addCell(const Lines &lines, const std::optional<size_t> &place,
               char side);

  const Lines &left, &right;
  std::string html;
};
} // namespace

void SideBySide::addCell(const Lines &lines, const std::optional<size_t> &place,
                         char side) {
  html += "<td class=n>" + (place ? std::to_string(*place + 1) : "");
  html += std::string("<td class=") + side + ">";
  html += place ? escape(lines[*place]) : "";
}

void SideBySide::addRow(const char *kind, const DiffRow &row) {
  html += std::string("<tr class=") + kind + ">";
  addCell(left, row.left, 'l');
  addCell(right, row.right, 'r');
  html += "\n";
}

void SideBySide::addSame(const std::vector<DiffRow> &rows, size_t begin,
                         size_t end) {
  constexpr size_t around = 3, fewest = 4 * around;
  bool folds = end - begin > fewest;
  for (size_t i = begin; i < end; ++i) {
    if (folds && i == begin + around)
      html += "</table><details class=fold><summary>… " +
              std::to_string(end - begin - 2 * around) +
              " equal lines</summary><table>\n";
    if (folds && i == end - around)
      html += "</table></details><table>\n";
    addRow("same", rows[i]);
  }
}

/// What went on the left stands beside what came on the right.
void SideBySide::addChanged(const std::vector<DiffRow> &rows, size_t begin,
                            size_t end) {
  std::vector<size_t> gone, come;
  for (size_t i = begin; i < end; ++i)
    rows[i].left ? gone.push_back(*rows[i].left)
                 : come.push_back(*rows[i].right);
  for (size_t i = 0; i < std::max(gone.size(), come.size()); ++i) {
    DiffRow row;
    if (i < gone.size())
      row.left = gone[i];
    if (i < come.size())
      row.right = come[i];
    addRow(row.isSame() ? "changed" : row.left ? "left" : "right", row);
  }
}

std::string SideBySide::show(const std::vector<DiffRow> &rows) {
  html = "<table>\n";
  for (size_t begin = 0, end; begin < rows.size(); begin = end) {
    bool isSame = rows[begin].isSame();
    for (end = begin; end < rows.size() && rows[end].isSame() == isSame;)
      ++end;
    isSame ? addSame(rows, begin, end) : addChanged(rows, begin, end);
  }
  return html + "</table>\n";
}

static std::vector<std::string> keysOf(const Lines &lines) {
  std::vector<std::string> keys;
  for (std::string_view line : lines)
    keys.push_back(withoutNames(line));
  return keys;
}

/// Of two languages no line is the same: nothing is marked.
static std::string showUnmarked(const Lines &left, const Lines &right) {
  std::string html = "<table>\n";
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    auto cell = [&](const Lines &lines, char side) {
      bool has = i < lines.size();
      html += "<td class=n>" + (has ? std::to_string(i + 1) : "") +
              "<td class=" + side + ">" + (has ? escape(lines[i]) : "");
    };
    html += "<tr>";
    cell(left, 'l');
    cell(right, 'r');
    html += "\n";
  }
  return html + "</table>\n";
}

static bool isMlir(const Stage &stage) {
  return llvm::StringRef(stage.file).ends_with(".mlir");
}

static std::string showStages(const Stage &before, const Stage &after) {
  Lines left = splitLines(before.text), right = splitLines(after.text);
  if (!isMlir(before) || !isMlir(after))
    return showUnmarked(left, right);
  return SideBySide(left, right).show(diffLines(keysOf(left), keysOf(right)));
}

static std::string anchorOf(const Stage &before, const Stage &after) {
  auto stem = [](const Stage &stage) {
    llvm::StringRef file = stage.file;
    return (isMlir(stage) ? file.rsplit('.').first : file.rsplit('.').second)
        .str();
  };
  return stem(before) + "-" + stem(after);
}

static std::string section(const Stage &before, const Stage &after) {
  std::string html = "<section id=" + anchorOf(before, after) + ">\n<h2>" +
                     escape(before.name) + " → " + escape(after.name) +
                     "</h2>\n<p>" + escape(after.step) + "</p>\n";
  if (!after.passes.empty())
    html += "<details><summary>passes</summary><pre>" + escape(after.passes) +
            "</pre></details>\n";
  html += "<p><a href=" + before.file + ">" + before.file +
          "</a>, <a href=" + after.file + ">" + after.file + "</a></p>\n";
  return html + showStages(before, after) + "</section>\n";
}

static std::string navigation(const std::vector<Stage> &stages) {
  std::string html = "<nav><ul>\n";
  for (size_t i = 1; i < stages.size(); ++i)
    html += "<li><a href=#" + anchorOf(stages[i - 1], stages[i]) + ">" +
            escape(stages[i - 1].name) + " → " + escape(stages[i].name) +
            "</a>\n";
  return html + "</ul></nav>\n";
}

static std::string countersTable(const std::vector<DeviceCounter> &counters) {
  if (counters.empty())
    return "";
  std::string html = "<h2>Counters of one run</h2>\n<table>\n";
  for (const DeviceCounter &counter : counters)
    html += "<tr><td>" + escape(counter.name) + "<td>" +
            std::to_string(counter.value) + "\n";
  return html + "</table>\n";
}

std::string stagesPage(const StageReport &report) {
  std::string title = escape(report.problem) + ", " + escape(report.target);
  std::string html = head;
  html += "<title>" + title + "</title>\n</head>\n<body>\n<h1>" + title +
          "</h1>\n<pre>" + escape(report.schedule) + "</pre>\n";
  for (const std::string &missing : report.missing)
    html += "<p>Not here: " + escape(missing) + "</p>\n";
  html += navigation(report.stages) + countersTable(report.counters);
  for (size_t i = 1; i < report.stages.size(); ++i)
    html += section(report.stages[i - 1], report.stages[i]);
  return html + "</body>\n</html>\n";
}

} // namespace convmlir
