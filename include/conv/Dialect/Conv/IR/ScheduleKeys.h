//===- ScheduleKeys.h - keys of schedules and their texts -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the attribute, the text of `--schedule` and tuning records have in
// common: the list of keys as data, how a value is read and printed, and what
// values may be. One spelling is printed,
//
//   algorithm=implicit_gemm tile=128x64x32 warps=2x2 ... split-k=1
//
// and the other is read as well: `split = 2, tile = [128, 64, 32]`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_SCHEDULEKEYS_H
#define CONV_DIALECT_CONV_IR_SCHEDULEKEYS_H

#include "conv/Dialect/Conv/IR/ScheduleFields.h"

#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace mlir::conv {

enum class ScheduleKey {
#define CONV_SCHEDULE_KEY(Field, Key, ...) Key,
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
};

enum class KeyPresence { Required, Shown, Optional };
enum class KeyScope { Kernel, Operands, Tma, Wgmma, Sync };

/// A row of ScheduleKeys.def.
struct ScheduleKeyInfo {
  ScheduleKey key;
  llvm::StringLiteral name, otherName;
  KeyPresence presence;
  KeyScope scope;
  bool isFlag; ///< Whether its values are `true` and `false`.

  bool isOfHopper() const {
    return scope == KeyScope::Tma || scope == KeyScope::Wgmma;
  }
};

/// In their order.
llvm::ArrayRef<ScheduleKeyInfo> getScheduleKeys();

/// The key of this name, in either spelling; null for no key.
const ScheduleKeyInfo *findScheduleKey(llvm::StringRef name);

/// Says which key is meant by a name of none, and which there are.
std::string getUnknownKeyText(llvm::StringRef name);

/// What an option says of itself whose text names keys.
inline constexpr llvm::StringLiteral kScheduleOptionHelp =
    "keys that replace the chosen schedule's (docs/Schedules.md):"
#define CONV_SCHEDULE_KEY(Field, Key, Name, ...) " " Name
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
    ;

/// What is written behind a key: numbers, or a word.
struct ScheduleValue {
  ScheduleNumbers numbers;
  llvm::StringRef word;
};

/// "128x64x32", "[128, 64, 32]" or a word.
ScheduleValue readScheduleValue(llvm::StringRef text);

/// Sets a field; false for a value of another kind.
bool setScheduleField(ScheduleFields &fields, ScheduleKey key,
                      const ScheduleValue &value);

void resetScheduleField(ScheduleFields &fields, ScheduleKey key);

bool isDefault(const ScheduleFields &fields, ScheduleKey key);

/// What values a key has: "three positive numbers, as in 128x128x32".
std::string getExpectedValues(ScheduleKey key);

/// The words that are a value of a key; none for one that has numbers only.
llvm::SmallVector<llvm::StringRef> getValueWords(ScheduleKey key);

/// Why no schedule has such a value; empty if one can.
std::string whyInvalid(const ScheduleFields &fields, ScheduleKey key);

/// One key and its value: "tail=even".
std::string getFieldText(const ScheduleFields &fields, ScheduleKey key);

/// The complete text: the required keys, and others that are not the default.
std::string getScheduleText(const ScheduleFields &fields);

/// `key=value` of a text, or what is in the place of one.
struct ScheduleWord {
  llvm::StringRef text, name, value;
  const ScheduleKeyInfo *key; ///< Null for no key.
};

/// The words of a text, in either spelling.
llvm::SmallVector<ScheduleWord> splitScheduleText(llvm::StringRef text);

/// The value of a key in such a text; nothing where it has none.
std::optional<llvm::StringRef> findScheduleValue(llvm::StringRef text,
                                                 ScheduleKey key);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_SCHEDULEKEYS_H
