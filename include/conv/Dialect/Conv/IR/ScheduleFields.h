//===- ScheduleFields.h - the values of a schedule's keys -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a ScheduleAttr holds: a field for each key of ScheduleKeys.def, with its
// default. A schedule is made from the fields that differ,
//
//   ScheduleAttr::get(context, {.tile = {128, 64, 32}, .warps = {2, 2}, ...})
//
// in the order of the list.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SCHEDULEFIELDS_H
#define CONV_DIALECT_CONV_IR_SCHEDULEFIELDS_H

#include "conv/Dialect/Conv/IR/ConvEnums.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <limits>
#include <type_traits>

namespace mlir::conv {

/// `tail=even`, as a number of parts.
inline constexpr int64_t kEvenTail = std::numeric_limits<int64_t>::min();
inline constexpr llvm::StringLiteral kEvenTailName = "even";

using ScheduleNumbers = llvm::SmallVector<int64_t, 3>;

/// The type of each kind of values.
namespace schedule_kind {
using Algorithm = ::mlir::conv::Algorithm;
using Copy = CopyKind;
using Mma = MmaKind;
using Reading = ReadingKind;
using Tile = ScheduleNumbers;    ///< Three numbers: gemm-m, gemm-n, gemm-k.
using Pair = ScheduleNumbers;    ///< Two: along gemm-m and gemm-n.
using Cluster = ScheduleNumbers; ///< The same, or none where both are one.
using Taps = ScheduleNumbers;    ///< One of each dimension, or none.
using Number = int64_t;          ///< Positive.
using Rows = int64_t;            ///< Positive, or 0 for all.
using Parts = int64_t;           ///< Positive, or kEvenTail.
using Flag = bool;
} // namespace schedule_kind

struct ScheduleFields {
#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, Default, ...)     \
  schedule_kind::Kind Field = Default;
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"

  bool operator==(const ScheduleFields &) const = default;
};

/// As getters return a field, and `with` functions take it.
template <typename Type>
using ScheduleView =
    std::conditional_t<std::is_same_v<Type, ScheduleNumbers>,
                       llvm::ArrayRef<int64_t>, Type>;

inline llvm::hash_code hash_value(const ScheduleFields &fields) {
  llvm::hash_code code(0);
#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, ...)              \
  code = llvm::hash_combine(                                                   \
      code, ScheduleView<schedule_kind::Kind>(fields.Field));
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
  return code;
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SCHEDULEFIELDS_H
