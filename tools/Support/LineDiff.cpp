//===- LineDiff.cpp - which lines of two texts are the same ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines that each text has once are anchors: the longest list of them that is
// in order in both (patience). Between anchors the longest common list of lines
// is taken, as long as that is little work.
//
//===----------------------------------------------------------------------===//

#include "LineDiff.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>

namespace convmlir {

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

static bool isOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#';
}

std::string withoutNames(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    if (line[i] == '%')
      while (i + 1 < line.size() && isOfName(line[i + 1]))
        ++i;
  }
  return text;
}

namespace {
using Lines = std::vector<std::string>;

/// A range of lines of both texts.
struct Block {
  size_t left, leftEnd, right, rightEnd;
};

struct Pair {
  size_t left, right;
};

class Differ {
public:
  Differ(const Lines &left, const Lines &right) : left(left), right(right) {}

  std::vector<DiffRow> run() {
    diff({0, left.size(), 0, right.size()});
    return std::move(rows);
  }

private:
  void diff(Block block);
  void diffWithoutEnds(const Block &block);
  std::vector<Pair> findAnchors(const Block &block) const;
  void diffByTable(const Block &block);
  void addOneSided(const Block &block);

  const Lines &left, &right;
  std::vector<DiffRow> rows;
};
} // namespace

/// All lines of the block differ.
void Differ::addOneSided(const Block &block) {
  for (size_t i = block.left; i < block.leftEnd; ++i)
    rows.push_back({i, std::nullopt});
  for (size_t j = block.right; j < block.rightEnd; ++j)
    rows.push_back({std::nullopt, j});
}

/// What both begin and end with is the same.
void Differ::diff(Block block) {
  for (; block.left < block.leftEnd && block.right < block.rightEnd &&
         left[block.left] == right[block.right];
       ++block.left, ++block.right)
    rows.push_back({block.left, block.right});
  size_t same = 0;
  while (block.left < block.leftEnd - same &&
         block.right < block.rightEnd - same &&
         left[block.leftEnd - same - 1] == right[block.rightEnd - same - 1])
    ++same;
  block.leftEnd -= same;
  block.rightEnd -= same;
  diffWithoutEnds(block);
  for (size_t i = 0; i < same; ++i)
    rows.push_back({block.leftEnd + i, block.rightEnd + i});
}

void Differ::diffWithoutEnds(const Block &block) {
  constexpr size_t mostCells = size_t(1) << 22;
  size_t height = block.leftEnd - block.left,
         width = block.rightEnd - block.right;
  if (height == 0 || width == 0)
    return addOneSided(block);
  if (height <= mostCells / width)
    return diffByTable(block);
  std::vector<Pair> anchors = findAnchors(block);
  if (anchors.empty())
    return addOneSided(block);
  Block part = block;
  for (const Pair &anchor : anchors) {
    diff({part.left, anchor.left, part.right, anchor.right});
    rows.push_back({anchor.left, anchor.right});
    part.left = anchor.left + 1;
    part.right = anchor.right + 1;
  }
  diff(part);
}

/// The longest list of pairs whose places in the right text ascend; those in
/// the left one do already.
static std::vector<Pair> longestAscending(const std::vector<Pair> &pairs) {
  std::vector<size_t> ends, before(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto place =
        std::partition_point(ends.begin(), ends.end(), [&](size_t end) {
          return pairs[end].right < pairs[i].right;
        });
    before[i] = place == ends.begin() ? i : *std::prev(place);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  std::vector<Pair> list(ends.size());
  size_t at = ends.empty() ? 0 : ends.back();
  for (size_t i = ends.size(); i-- > 0; at = before[at])
    list[i] = pairs[at];
  return list;
}

std::vector<Pair> Differ::findAnchors(const Block &block) const {
  struct Places {
    size_t lefts = 0, rights = 0, right = 0;
  };
  std::map<std::string_view, Places> places;
  for (size_t i = block.left; i < block.leftEnd; ++i)
    ++places[left[i]].lefts;
  for (size_t j = block.right; j < block.rightEnd; ++j) {
    Places &of = places[right[j]];
    ++of.rights;
    of.right = j;
  }
  std::vector<Pair> pairs;
  for (size_t i = block.left; i < block.leftEnd; ++i)
    if (const Places &of = places[left[i]]; of.lefts == 1 && of.rights == 1)
      pairs.push_back({i, of.right});
  return longestAscending(pairs);
}

/// lengths[i][j]: of the longest common list of the lines from i and j on.
void Differ::diffByTable(const Block &block) {
  size_t height = block.leftEnd - block.left,
         width = block.rightEnd - block.right;
  std::vector<uint32_t> lengths((height + 1) * (width + 1));
  auto at = [&](size_t i, size_t j) -> uint32_t & {
    return lengths[i * (width + 1) + j];
  };
  auto isSame = [&](size_t i, size_t j) {
    return left[block.left + i] == right[block.right + j];
  };
  for (size_t i = height; i-- > 0;)
    for (size_t j = width; j-- > 0;)
      at(i, j) = isSame(i, j) ? at(i + 1, j + 1) + 1
                              : std::max(at(i + 1, j), at(i, j + 1));
  size_t i = 0, j = 0;
  while (i < height && j < width) {
    if (isSame(i, j))
      rows.push_back({block.left + i++, block.right + j++});
    else if (at(i + 1, j) >= at(i, j + 1))
      rows.push_back({block.left + i++, std::nullopt});
    else
      rows.push_back({std::nullopt, block.right + j++});
  }
  addOneSided({block.left + i, block.leftEnd, block.right + j, block.rightEnd});
}

std::vector<DiffRow> diffLines(const Lines &left, const Lines &right) {
  return Differ(left, right).run();
}

} // namespace convmlir
