//===- ScheduleKeys.cpp - keys of schedules and their texts ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: texts. Output: fields of a schedule, and the reverse. What differs
// between keys is in ScheduleKeys.def, and what differs between kinds of values
// in a class for each kind, with
//
//   getExpected()  what values it has, for a message;
//   set()          takes a value, unless it is of another kind;
//   getText()      prints one;
//   whyInvalid()   says behind "'key' of a schedule" what is wrong with one.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ScheduleKeys.h"
#include "conv/Dialect/Conv/IR/ScheduleLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::conv;

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// `expected` is what is said of small ones.
static std::string whyOutOfRange(ArrayRef<int64_t> numbers,
                                 StringRef expected = "must be positive") {
  for (int64_t number : numbers) {
    if (number > kLargestScheduleNumber)
      return ("must be at most " + Twine(kLargestScheduleNumber) +
              ", but got " + Twine(number))
          .str();
    if (number < 1)
      return (expected + ", but got " + Twine(number)).str();
  }
  return "";
}

static std::string getNumberText(int64_t number) {
  return std::to_string(number);
}

static std::string whyOtherSize(ArrayRef<int64_t> numbers, size_t size,
                                StringRef entries) {
  if (numbers.size() == size)
    return "";
  return ("has " + Twine(size) + " entries (" + entries + "), not " +
          Twine(numbers.size()))
      .str();
}

namespace {
/// An enum, by the functions that its definition has made.
template <typename Enum> struct EnumKind {
  static SmallVector<StringRef> getWords() {
    SmallVector<StringRef> names;
    for (unsigned i = 0; i <= getMaxValue(Enum()); ++i)
      names.push_back(getName(static_cast<Enum>(i)));
    return names;
  }
  static std::string getExpected() {
    SmallVector<StringRef> names = getWords();
    StringRef last = names.pop_back_val();
    return llvm::join(names, ", ") + " or " + last.str();
  }
  static bool set(Enum &field, const ScheduleValue &value) {
    for (unsigned i = 0; i <= getMaxValue(Enum()); ++i)
      if (getName(static_cast<Enum>(i)) == value.word) {
        field = static_cast<Enum>(i);
        return true;
      }
    return false;
  }
  static std::string getText(Enum field) { return getName(field).str(); }
  static std::string whyInvalid(Enum) { return ""; }

private:
  static StringRef getName(Algorithm value) {
    return stringifyAlgorithm(value);
  }
  static StringRef getName(CopyKind value) { return stringifyCopyKind(value); }
  static StringRef getName(MmaKind value) { return stringifyMmaKind(value); }
  static StringRef getName(ReadingKind value) {
    return stringifyReadingKind(value);
  }
  static unsigned getMaxValue(Algorithm) { return getMaxEnumValForAlgorithm(); }
  static unsigned getMaxValue(CopyKind) { return getMaxEnumValForCopyKind(); }
  static unsigned getMaxValue(MmaKind) { return getMaxEnumValForMmaKind(); }
  static unsigned getMaxValue(ReadingKind) {
    return getMaxEnumValForReadingKind();
  }
};

/// Numbers along dimensions.
struct NumbersKind {
  static SmallVector<StringRef> getWords() { return {}; }
  static bool set(ScheduleNumbers &field, const ScheduleValue &value) {
    field = value.numbers;
    return value.word.empty();
  }
  static std::string getText(ArrayRef<int64_t> field) {
    return llvm::join(llvm::map_range(field, getNumberText), "x");
  }
};

struct TileKind : NumbersKind {
  static std::string getExpected() {
    return "three positive numbers, as in 128x128x32";
  }
  static std::string whyInvalid(ArrayRef<int64_t> field) {
    std::string why = whyOtherSize(field, 3, "gemm-m, gemm-n, gemm-k");
    return why.empty() ? whyOutOfRange(field) : why;
  }
};

struct PairKind : NumbersKind {
  static std::string getExpected() { return "two positive numbers, as in 2x2"; }
  static std::string whyInvalid(ArrayRef<int64_t> field) {
    std::string why = whyOtherSize(field, 2, "along gemm-m and gemm-n");
    return why.empty() ? whyOutOfRange(field) : why;
  }
};

struct ClusterKind : NumbersKind {
  static std::string getExpected() { return "two positive numbers, as in 2x1"; }
  static bool set(ScheduleNumbers &field, const ScheduleValue &value) {
    bool isSet = NumbersKind::set(field, value);
    if (field.size() == 2 && field[0] == 1 && field[1] == 1)
      field.clear();
    return isSet;
  }
  static std::string whyInvalid(ArrayRef<int64_t> field) {
    return field.empty() ? "" : PairKind::whyInvalid(field);
  }
};

struct TapsKind : NumbersKind {
  static SmallVector<StringRef> getWords() { return {"false"}; }
  static std::string getExpected() {
    return "a positive number for each spatial dimension, as in 2x2, or false";
  }
  static bool set(ScheduleNumbers &field, const ScheduleValue &value) {
    return NumbersKind::set(field, value) || value.word == "false";
  }
  static std::string whyInvalid(ArrayRef<int64_t> field) {
    return whyOutOfRange(field);
  }
};

struct NumberKind {
  static SmallVector<StringRef> getWords() { return {}; }
  static std::string getExpected() { return "a positive number"; }
  static bool set(int64_t &field, const ScheduleValue &value) {
    if (value.numbers.size() != 1)
      return false;
    field = value.numbers.front();
    return true;
  }
  static std::string getText(int64_t field) { return std::to_string(field); }
  static std::string whyInvalid(int64_t field) { return whyOutOfRange(field); }
};

struct RowsKind : NumberKind {
  static std::string whyInvalid(int64_t field) {
    return field == 0 ? "" : whyOutOfRange(field, "must not be negative");
  }
};

struct PartsKind : NumberKind {
  static SmallVector<StringRef> getWords() { return {kEvenTailName}; }
  static std::string getExpected() { return "a positive number or even"; }
  static bool set(int64_t &field, const ScheduleValue &value) {
    if (value.word != kEvenTailName)
      return NumberKind::set(field, value);
    field = kEvenTail;
    return true;
  }
  static std::string getText(int64_t field) {
    return field == kEvenTail ? kEvenTailName.str() : std::to_string(field);
  }
  static std::string whyInvalid(int64_t field) {
    if (field == kEvenTail)
      return "";
    return whyOutOfRange(field, "must be positive or 'even'");
  }
};

struct FlagKind {
  static SmallVector<StringRef> getWords() { return {"true", "false"}; }
  static std::string getExpected() { return "true or false"; }
  static bool set(bool &field, const ScheduleValue &value) {
    field = value.word == "true";
    return field || value.word == "false";
  }
  static std::string getText(bool field) { return field ? "true" : "false"; }
  static std::string whyInvalid(bool) { return ""; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static constexpr ScheduleKeyInfo kKeys[] = {
#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, Default,          \
                          Presence, Scope, ...)                                \
  {ScheduleKey::Key, Name,                                                     \
   OtherName,        KeyPresence::Presence,                                    \
   KeyScope::Scope,  std::is_same_v<schedule_kind::Kind, bool>},
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
};

ArrayRef<ScheduleKeyInfo> conv::getScheduleKeys() { return kKeys; }

const ScheduleKeyInfo *conv::findScheduleKey(StringRef name) {
  for (const ScheduleKeyInfo &info : kKeys)
    if (name == info.name || name == info.otherName)
      return &info;
  return nullptr;
}

std::string conv::getUnknownKeyText(StringRef name) {
  auto distance = [&](const ScheduleKeyInfo &info) {
    return std::min(name.edit_distance_insensitive(info.name),
                    name.edit_distance_insensitive(info.otherName));
  };
  const ScheduleKeyInfo &nearest = *llvm::min_element(
      kKeys, [&](const ScheduleKeyInfo &a, const ScheduleKeyInfo &b) {
        return distance(a) < distance(b);
      });
  std::string keys = llvm::join(
      llvm::map_range(kKeys,
                      [](const ScheduleKeyInfo &info) { return info.name; }),
      ", ");
  return ("unknown key '" + name + "', did you mean '" + nearest.name +
          "'? The keys are " + keys)
      .str();
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
/// The class of each kind in ScheduleFields.h.
namespace kind {
using Algorithm = EnumKind<conv::Algorithm>;
using Copy = EnumKind<CopyKind>;
using Mma = EnumKind<MmaKind>;
using Reading = EnumKind<ReadingKind>;
using Tile = TileKind;
using Pair = PairKind;
using Cluster = ClusterKind;
using Taps = TapsKind;
using Number = NumberKind;
using Rows = RowsKind;
using Parts = PartsKind;
using Flag = FlagKind;
} // namespace kind
} // namespace

/// Calls `visit` with the class of a key's kind and with its field.
template <typename Fields, typename Visitor>
static auto visitField(Fields &fields, ScheduleKey key, Visitor visit) {
  switch (key) {
#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, ...)              \
  case ScheduleKey::Key:                                                       \
    return visit(kind::Kind(), fields.Field);
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
  }
  llvm_unreachable("a key of the list");
}

bool conv::setScheduleField(ScheduleFields &fields, ScheduleKey key,
                            const ScheduleValue &value) {
  return visitField(fields, key, [&](auto kind, auto &field) {
    return kind.set(field, value);
  });
}

void conv::resetScheduleField(ScheduleFields &fields, ScheduleKey key) {
  ScheduleFields defaults;
  switch (key) {
#define CONV_SCHEDULE_KEY(Field, Key, ...)                                     \
  case ScheduleKey::Key:                                                       \
    fields.Field = defaults.Field;                                             \
    return;
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
  }
}

bool conv::isDefault(const ScheduleFields &fields, ScheduleKey key) {
  ScheduleFields other = fields;
  resetScheduleField(other, key);
  return other == fields;
}

std::string conv::getExpectedValues(ScheduleKey key) {
  ScheduleFields none;
  return visitField(none, key,
                    [](auto kind, auto &) { return kind.getExpected(); });
}

SmallVector<StringRef> conv::getValueWords(ScheduleKey key) {
  ScheduleFields none;
  return visitField(none, key,
                    [](auto kind, auto &) { return kind.getWords(); });
}

std::string conv::whyInvalid(const ScheduleFields &fields, ScheduleKey key) {
  return visitField(fields, key, [](auto kind, const auto &field) {
    return kind.whyInvalid(field);
  });
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string conv::getFieldText(const ScheduleFields &fields, ScheduleKey key) {
  StringRef name = kKeys[static_cast<size_t>(key)].name;
  return name.str() + "=" +
         visitField(fields, key, [](auto kind, const auto &field) {
           return kind.getText(field);
         });
}

std::string conv::getScheduleText(const ScheduleFields &fields) {
  SmallVector<std::string> words;
  for (const ScheduleKeyInfo &info : kKeys)
    if (info.presence != KeyPresence::Optional || !isDefault(fields, info.key))
      words.push_back(getFieldText(fields, info.key));
  return llvm::join(words, " ");
}

ScheduleValue conv::readScheduleValue(StringRef text) {
  bool isList = text.starts_with("[") && text.ends_with("]");
  StringRef inner = isList ? text.drop_front().drop_back() : text;
  SmallVector<StringRef> parts;
  inner.split(parts, isList ? ',' : 'x');
  ScheduleValue value;
  for (StringRef part : parts)
    if (part.trim().getAsInteger(10, value.numbers.emplace_back()))
      return {{}, text};
  return value;
}

/// Where the value ends that is in front of `text`.
static size_t findEndOfValue(StringRef text) {
  size_t end = text.starts_with("[") ? text.find(']') + 1 : 0;
  return end != 0 ? end : std::min(text.find_first_of(" ,\t\n"), text.size());
}

SmallVector<ScheduleWord> conv::splitScheduleText(StringRef text) {
  constexpr StringLiteral blanks = " \t\n";
  SmallVector<ScheduleWord> words;
  while (!(text = text.ltrim(" ,\t\n")).empty()) {
    StringRef start = text;
    StringRef name = text.take_front(text.find_first_of(" ,=\t\n"));
    text = text.drop_front(name.size());
    StringRef value;
    if (StringRef rest = text.ltrim(blanks); rest.consume_front("=")) {
      rest = rest.ltrim(blanks);
      value = rest.take_front(findEndOfValue(rest));
      text = rest.drop_front(value.size());
    }
    words.push_back({start.drop_back(text.size()).rtrim(blanks), name, value,
                     findScheduleKey(name)});
  }
  return words;
}

std::optional<StringRef> conv::findScheduleValue(StringRef text,
                                                 ScheduleKey key) {
  for (const ScheduleWord &word : splitScheduleText(text))
    if (word.key && word.key->key == key)
      return word.value;
  return std::nullopt;
}
