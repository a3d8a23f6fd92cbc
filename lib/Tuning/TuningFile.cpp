//===- TuningFile.cpp - measured schedules as text ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Tuning/TuningFile.h"
#include "JsonReader.h"
#include "conv/Chip/Chip.h"
#include "conv/Runtime/FileIO.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <set>
#include <tuple>

using nlohmann::json;

namespace convmlir {

static constexpr const char *formatName = "conv-mlir-tuning";

std::string tuningKey(const Problem &problem) {
  Problem key = problem;
  // A factor for each channel is read as a bias is.
  key.epilogue.bias |= key.epilogue.scale;
  key.epilogue.scale = false;
  key.epilogue.activation = Activation::None;
  key.epilogue.low = key.epilogue.high = 0;
  key.epilogue.residual &= key.kind == ConvKind::Forward;
  key.epilogue.derivative = key.epilogue.biasGradient = false;
  key.biasType.clear(); // A few bytes of each channel.
  return toString(key);
}

std::string tuningFamily(const Problem &problem) {
  Problem family = problem;
  if (family.type == "f16")
    family.type = "bf16";
  family.outType = resultTypes(family.type).front();
  family.epilogue = {};
  family.biasType.clear();
  family.accumulate = false;
  return toString(family);
}

static std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm date = {};
  char text[11];
  gmtime_r(&now, &date);
  return std::string(text, std::strftime(text, sizeof text, "%F", &date));
}

TuningRecord makeTuningRecord(const Problem &problem, std::string target,
                              std::string schedule, std::string device,
                              double medianUs, int64_t multiprocessors) {
  TuningRecord record;
  std::optional<ChipInfo> chip = lookupChip(target);
  if (!chip || chip->multiprocessors != multiprocessors)
    record.multiprocessors = multiprocessors;
  record.problem = tuningKey(problem);
  record.target = std::move(target);
  record.schedule = std::move(schedule);
  record.medianUs = medianUs;
  record.device = std::move(device);
  record.date = today();
  record.version = CONV_MLIR_VERSION;
  return record;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The last key, which most records do not have.
static constexpr const char *kMultiprocessors = "multiprocessors";

static const std::vector<std::string> &recordKeys() {
  static const std::vector<std::string> keys = {
      "problem", "target", "schedule",  "median_us",
      "device",  "date",   "conv_mlir", kMultiprocessors};
  return keys;
}

/// A key that this version does not know may say that the rest means something
/// else.
static std::string whyStale(const json &object) {
  for (const auto &[key, value] : object.items())
    if (std::ranges::count(recordKeys(), key) == 0)
      return "unknown key '" + key + "'";
  return "";
}

/// "sm_90a": of which version of conv-mlir is not asked.
static bool isTarget(std::string_view text) {
  if (!text.starts_with("sm_"))
    return false;
  text.remove_prefix(3);
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view suffix = text.substr(digits);
  return digits > 0 && (suffix.empty() || suffix == "a" || suffix == "f");
}

namespace {
/// What is wrong with a member of a record; nothing where all is right.
struct Flaw {
  const char *key = nullptr;
  std::string message;
};
} // namespace

/// JSON has nothing else.
static bool isUtf8(const std::string &text) {
  try {
    return !json(text).dump().empty();
  } catch (const json::type_error &) {
    return false;
  }
}

static Flaw findFlaw(const TuningRecord &record) {
  for (auto [key, text] : {std::pair("problem", &record.problem),
                           std::pair("target", &record.target),
                           std::pair("schedule", &record.schedule),
                           std::pair("device", &record.device)})
    if (!isUtf8(*text))
      return {key, "expected text in UTF-8"};
  if (Result<Problem> problem = parseProblem(record.problem); !problem)
    return {"problem", problem.error()};
  if (!isTarget(record.target))
    return {"target", "expected an architecture such as sm_90a, got '" +
                          record.target + "'"};
  if (record.schedule.find_first_not_of(" ,") == std::string::npos)
    return {"schedule",
            "expected keys, as in stages=3, got '" + record.schedule + "'"};
  if (record.multiprocessors < 0 ||
      record.multiprocessors > kMostMultiprocessors)
    return {kMultiprocessors,
            "expected 1 to " + std::to_string(kMostMultiprocessors) + ", got " +
                std::to_string(record.multiprocessors)};
  if (!(record.medianUs > 0 && std::isfinite(record.medianUs)))
    return {"median_us", "expected a positive number, got " +
                             std::to_string(record.medianUs)};
  return {};
}

/// What there is one record of in a file.
static auto keyOf(const TuningRecord &record) {
  return std::tie(record.problem, record.target, record.device,
                  record.multiprocessors);
}

/// What another version wrote is kept as it is; all else has to be right.
static TuningRecord readRecord(const JsonReader &reader, const json &object) {
  TuningRecord record;
  record.problem = reader["problem"].string();
  record.target = reader["target"].string();
  record.schedule = reader["schedule"].string();
  record.medianUs = reader["median_us"].number();
  record.device = reader["device"].string();
  record.date = reader["date"].string();
  record.version = reader["conv_mlir"].string();
  if (object.is_object() && object.contains(kMultiprocessors))
    record.multiprocessors = reader[kMultiprocessors].integer();
  if (object.is_object())
    record.stale = whyStale(object);
  if (!record.stale.empty())
    record.text = object.dump();
  else if (Flaw flaw = findFlaw(record); flaw.key)
    reader[flaw.key].fail(flaw.message);
  if (Result<Problem> problem = parseProblem(record.problem))
    record.problem = tuningKey(*problem);
  return record;
}

static std::vector<TuningRecord> readRecords(const JsonReader &reader,
                                             const json &document,
                                             const std::string &failure) {
  std::vector<TuningRecord> records;
  std::set<std::tuple<std::string, std::string, std::string, int64_t>> keys;
  for (const JsonReader &element : reader.elements()) {
    records.push_back(readRecord(element, document["records"][records.size()]));
    const TuningRecord &record = records.back();
    if (!keys.insert(keyOf(record)).second)
      element.fail("expected each key once, got '" + record.problem + "' for " +
                   record.target +
                   (record.device.empty() ? "" : " on " + record.device) +
                   " twice");
    if (!failure.empty())
      break;
  }
  return records;
}

/// "LINE:COLUMN" of a byte.
static std::string placeOf(std::string_view text, size_t byte) {
  std::string_view before = text.substr(0, byte);
  auto line = 1 + std::ranges::count(before, '\n');
  size_t start = before.rfind('\n') + 1; // 0 in the first line.
  return std::to_string(line) + ":" + std::to_string(byte - start + 1);
}

/// Where the text stops to be JSON.
static Error notJson(std::string_view text, size_t byte) {
  return {":" + placeOf(text, byte) +
          ": expected a tuning file, but it is not JSON"};
}

/// The error follows the file's name. JSON has no byte 0: a parser takes that
/// as the end.
static Result<json> parseJson(std::string_view text) {
  std::string_view whole = text.substr(0, text.find('\0'));
  try {
    json document = json::parse(whole);
    if (whole.size() == text.size())
      return document;
    return notJson(text, whole.size());
  } catch (const json::parse_error &error) {
    return notJson(text, error.byte - 1);
  } catch (const json::out_of_range &) { // It has no place.
    return Error{": expected a tuning file, but it has a number that no "
                 "double holds"};
  }
}

Result<TuningFile> TuningFile::parse(std::string_view text,
                                     const std::string &name) {
  Result<json> parsed = parseJson(text);
  if (!parsed)
    return Error{name + parsed.error()};
  const json &document = *parsed;
  std::string failure;
  JsonReader reader(document, "", failure);
  std::string format = reader["format"].string();
  if (failure.empty() && format != formatName)
    reader["format"].fail("expected '" + std::string(formatName) + "', got '" +
                          format + "'");
  TuningFile file;
  file.formatVersion = reader["version"].integer();
  if (failure.empty() && file.formatVersion == tuningFormatVersion)
    file.entries = readRecords(reader["records"], document, failure);
  if (!failure.empty())
    return Error{name + ": not a tuning file: " + failure};
  return file;
}

Result<TuningFile> TuningFile::read(const std::string &path) {
  Result<Bytes> content = readFile(path);
  if (!content)
    return content.takeError();
  return parse(
      {reinterpret_cast<const char *>(content->data()), content->size()}, path);
}

void TuningFile::add(TuningRecord record) {
  auto same = std::ranges::find_if(entries, [&](const TuningRecord &old) {
    return keyOf(old) == keyOf(record);
  });
  if (same == entries.end())
    entries.push_back(std::move(record));
  else
    *same = std::move(record);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Two digits, unless that would be nothing. The locale of the program has no
/// part in it: one with decimal commas would make another JSON of it.
static std::string printTime(double microseconds) {
  constexpr double least = 0.01;
  std::array<char, 512> text; // The largest number has 309 digits.
  auto format = microseconds < least ? std::chars_format::general
                                     : std::chars_format::fixed;
  auto end = std::to_chars(text.data(), text.data() + text.size(), microseconds,
                           format, 2);
  return std::string(text.data(), end.ptr);
}

/// Keys in the order of recordKeys(), which is how people read them.
static std::string printRecord(const TuningRecord &record) {
  if (!record.text.empty())
    return record.text;
  const std::string values[] = {
      json(record.problem).dump(),  json(record.target).dump(),
      json(record.schedule).dump(), printTime(record.medianUs),
      json(record.device).dump(),   json(record.date).dump(),
      json(record.version).dump(),  json(record.multiprocessors).dump()};
  size_t count = recordKeys().size() - (record.multiprocessors == 0 ? 1 : 0);
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", \"" : "{\"") + recordKeys()[i] + "\": " + values[i];
  return text + "}";
}

std::string TuningFile::print() const {
  std::string text = "{\n \"format\": \"" + std::string(formatName) +
                     "\",\n \"version\": " + std::to_string(formatVersion) +
                     ",\n \"records\": [";
  for (size_t i = 0; i < entries.size(); ++i)
    text += (i ? ",\n  " : "\n  ") + printRecord(entries[i]);
  return text + "\n ]\n}\n";
}

/// The file to add to; an empty one where there is none yet.
static Result<TuningFile> openForAdding(const std::string &path) {
  std::error_code code;
  if (std::filesystem::status(path, code).type() ==
      std::filesystem::file_type::not_found)
    return TuningFile();
  Result<TuningFile> file = TuningFile::read(path);
  if (file && file->version() != tuningFormatVersion)
    return Error{path + ": expected format version " +
                 std::to_string(tuningFormatVersion) + ", got " +
                 std::to_string(file->version()) + ": nothing is added"};
  return file;
}

Status checkTuningFile(const std::string &path) {
  Result<TuningFile> file = openForAdding(path);
  return file ? Status() : Status(file.takeError());
}

Status addTuningRecord(const std::string &path, TuningRecord record) {
  if (Flaw flaw = findFlaw(record); flaw.key)
    return Error{std::string("tuning record: ") + flaw.key + ": " +
                 flaw.message};
  Result<TuningFile> file = openForAdding(path);
  if (!file)
    return file.takeError();
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code code;
  if (!folder.empty())
    std::filesystem::create_directories(folder, code);
  if (code)
    return Error{"cannot create the folder " + folder.string() + ": " +
                 code.message()};
  file->add(std::move(record));
  std::string text = file->print();
  return writeFileAtomically(
      path, {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

} // namespace convmlir
