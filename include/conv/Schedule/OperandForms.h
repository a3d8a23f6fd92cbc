//===- OperandForms.h - one operation as many schedules see it --*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: an operation, and schedules of it, one after the other. Output: what
// each multiplies, and why TMA cannot copy its tiles. An operation has up to
// 4096 stride phases, and a ranking some hundred candidates that differ in
// tiles: what they share is derived once.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_OPERANDFORMS_H
#define CONV_SCHEDULE_OPERANDFORMS_H

#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Schedule/Schedule.h"

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace mlir::conv {

class OperandForms {
public:
  explicit OperandForms(ConvOpInterface op) : op(op) {}

  /// What the schedule multiplies. It must be possible.
  const GemmShape &getGemmShape(ScheduleAttr schedule);

  /// Why TMA cannot copy the operand tiles; empty if it can.
  std::string whyNoTma(ScheduleAttr schedule);

  /// How often the phases of the operation were put into matrices.
  int64_t countDerivations() const { return derivations; }

private:
  /// The views of A and of B, by phase.
  using Views = std::array<std::vector<convmlir::MatrixView>, 2>;
  /// Operand, rows, columns, and groups that end columns and rows.
  using Tile = std::tuple<bool, int64_t, int64_t, int64_t, int64_t>;
  struct Form {
    GemmShape gemm;
    std::unique_ptr<Views> views;
    std::map<Tile, std::string> answers;
  };
  /// What of a schedule decides the form.
  using Key =
      std::tuple<Algorithm, MmaKind, int64_t, std::vector<int64_t>, bool, bool>;

  Form &getForm(ScheduleAttr schedule);
  const Views &getViews(ScheduleAttr schedule);
  std::string whyNoMap(ScheduleAttr schedule, const Tile &tile);
  std::string whyNoTile(ScheduleAttr schedule, bool isA);

  ConvOpInterface op;
  std::map<Key, Form> forms;
  int64_t derivations = 0;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_OPERANDFORMS_H
