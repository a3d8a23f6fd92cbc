//===- PlanJson.cpp - JSON header of plan files ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanJson.h"

#include "JsonReader.h"

#include <bit>

namespace convmlir {

using nlohmann::json;

//===----------------------------------------------------------------------===//
// Names of enumerators
//===----------------------------------------------------------------------===//

static constexpr BufferRole allRoles[] = {
    BufferRole::Argument, BufferRole::Result, BufferRole::Workspace,
    BufferRole::Constant};
static constexpr ImageKind allKinds[] = {ImageKind::Cubin, ImageKind::Ptx,
                                         ImageKind::Nvvm};

/// The enumerator of that name; the reader's failure lists the names.
template <typename Enum, size_t count>
static Enum readName(const JsonReader &reader, const Enum (&all)[count]) {
  std::string name = reader.string(), names;
  for (Enum value : all) {
    if (name == toString(value))
      return value;
    names += (names.empty() ? "" : ", ") + std::string(toString(value));
  }
  reader.fail("expected one of " + names + ", got '" + name + "'");
  return all[0];
}

/// An enumerator stored by the value that the driver API gives it.
template <typename Enum>
static Enum readCode(const JsonReader &reader, Enum last) {
  int64_t code = reader.integer();
  if (code >= 0 && code <= static_cast<int64_t>(last))
    return static_cast<Enum>(code);
  reader.fail("expected 0 to " + std::to_string(static_cast<int>(last)) +
              ", got " + std::to_string(code));
  return Enum{};
}

//===----------------------------------------------------------------------===//
// Kernel arguments
//===----------------------------------------------------------------------===//

static json toJson(const TensorMap &map) {
  bool tiled = map.mode == TensorMap::Mode::Tiled;
  json value = {{"kind", tiled ? "tiled" : "im2col"},
                {"type", toString(map.type)},
                {"buffer", map.buffer},
                {"byte_offset", map.byteOffset},
                {"extents", map.extents},
                {"byte_strides", map.byteStrides},
                {"element_strides", map.elementStrides},
                {"swizzle", map.swizzle},
                {"interleave", map.interleave},
                {"l2_promotion", map.l2Promotion},
                {"fill", map.fill}};
  if (tiled) {
    value["box"] = map.box;
    return value;
  }
  value["lower_corner"] = map.lowerCorner;
  value["upper_corner"] = map.upperCorner;
  value["channels_per_pixel"] = map.channelsPerPixel;
  value["pixels_per_column"] = map.pixelsPerColumn;
  return value;
}

static TensorMap readTensorMap(const JsonReader &reader, bool tiled) {
  TensorMap map;
  map.mode = tiled ? TensorMap::Mode::Tiled : TensorMap::Mode::Im2col;
  map.type = readName(reader["type"], allElementTypes);
  map.buffer = reader["buffer"].integer();
  map.byteOffset = reader["byte_offset"].integer();
  map.extents = reader["extents"].integers();
  map.byteStrides = reader["byte_strides"].integers();
  map.elementStrides = reader["element_strides"].integers();
  map.swizzle = readCode(reader["swizzle"], TensorMapSwizzle::B128);
  map.interleave = readCode(reader["interleave"], TensorMapInterleave::B32);
  map.l2Promotion =
      readCode(reader["l2_promotion"], TensorMapL2Promotion::B256);
  map.fill = readCode(reader["fill"], TensorMapFill::NanRequestZeroFma);
  if (tiled) {
    map.box = reader["box"].integers();
    return map;
  }
  map.lowerCorner = reader["lower_corner"].integers();
  map.upperCorner = reader["upper_corner"].integers();
  map.channelsPerPixel = reader["channels_per_pixel"].integer();
  map.pixelsPerColumn = reader["pixels_per_column"].integer();
  return map;
}

// Floating-point scalars are stored as the integer of their bits: JSON has no
// NaN, and a kernel must get exactly what the compiler wrote.
namespace {
struct ArgumentWriter {
  json operator()(const BufferArgument &argument) const {
    return {{"kind", "buffer"},
            {"buffer", argument.buffer},
            {"byte_offset", argument.byteOffset}};
  }
  json operator()(int32_t value) const { return scalar("i32", value); }
  json operator()(int64_t value) const { return scalar("i64", value); }
  json operator()(float value) const {
    return scalar("f32", std::bit_cast<int32_t>(value));
  }
  json operator()(double value) const {
    return scalar("f64", std::bit_cast<int64_t>(value));
  }
  json operator()(const TensorMap &map) const { return toJson(map); }

private:
  static json scalar(const char *kind, int64_t bits) {
    return {{"kind", kind}, {"bits", bits}};
  }
};
} // namespace

static int32_t readBits32(const JsonReader &reader) {
  int64_t bits = reader.integer();
  if (bits < INT32_MIN || bits > INT32_MAX)
    reader.fail("expected a signed 32-bit integer, got " +
                std::to_string(bits));
  return static_cast<int32_t>(bits);
}

static KernelArgument readArgument(const JsonReader &reader) {
  std::string kind = reader["kind"].string();
  if (kind == "buffer")
    return BufferArgument{reader["buffer"].integer(),
                          reader["byte_offset"].integer()};
  if (kind == "tiled" || kind == "im2col")
    return readTensorMap(reader, kind == "tiled");
  if (kind == "i32")
    return readBits32(reader["bits"]);
  if (kind == "i64")
    return reader["bits"].integer();
  if (kind == "f32")
    return std::bit_cast<float>(readBits32(reader["bits"]));
  if (kind == "f64")
    return std::bit_cast<double>(reader["bits"].integer());
  reader["kind"].fail("expected one of buffer, i32, i64, f32, f64, tiled, "
                      "im2col, got '" +
                      kind + "'");
  return int32_t(0);
}

//===----------------------------------------------------------------------===//
// Buffers, images, launches
//===----------------------------------------------------------------------===//

static json toJson(const PlanBuffer &buffer) {
  return {{"name", buffer.name},         {"role", toString(buffer.role)},
          {"position", buffer.position}, {"type", toString(buffer.type)},
          {"shape", buffer.shape},       {"bytes", buffer.bytes()}};
}

static PlanBuffer readBuffer(const JsonReader &reader) {
  PlanBuffer buffer;
  buffer.name = reader["name"].string();
  buffer.role = readName(reader["role"], allRoles);
  buffer.position = reader["position"].integer();
  buffer.type = readName(reader["type"], allElementTypes);
  buffer.shape = reader["shape"].integers();
  int64_t bytes = reader["bytes"].integer();
  if (byteCount(buffer.shape, buffer.type) != bytes)
    reader["bytes"].fail(std::to_string(bytes) + " is not the size of shape " +
                         toString(buffer.shape) + " of " +
                         toString(buffer.type));
  return buffer;
}

static json toJson(const PlanLaunch &launch) {
  json arguments = json::array();
  for (const KernelArgument &argument : launch.arguments)
    arguments.push_back(std::visit(ArgumentWriter(), argument));
  return {{"kernel", launch.kernel},
          {"images", launch.images},
          {"grid", launch.grid},
          {"block", launch.block},
          {"cluster", launch.cluster},
          {"waits", launch.waits},
          {"dynamic_shared_bytes", launch.dynamicSharedBytes},
          {"static_shared_bytes", launch.staticSharedBytes},
          {"registers", launch.registers},
          {"arguments", std::move(arguments)}};
}

static Dim3 readDim3(const JsonReader &reader) {
  std::vector<int64_t> values = reader.integers();
  if (values.size() == 3)
    return {values[0], values[1], values[2]};
  reader.fail("expected 3 integers, got " + std::to_string(values.size()));
  return {1, 1, 1};
}

static PlanLaunch readLaunch(const JsonReader &reader) {
  PlanLaunch launch;
  launch.kernel = reader["kernel"].string();
  launch.images = reader["images"].integers();
  launch.grid = readDim3(reader["grid"]);
  launch.block = readDim3(reader["block"]);
  launch.cluster = readDim3(reader["cluster"]);
  launch.waits = reader["waits"].boolean();
  launch.dynamicSharedBytes = reader["dynamic_shared_bytes"].integer();
  launch.staticSharedBytes = reader["static_shared_bytes"].integer();
  launch.registers = reader["registers"].integer();
  for (const JsonReader &argument : reader["arguments"].elements())
    launch.arguments.push_back(readArgument(argument));
  return launch;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

std::string planToJson(const Plan &plan) {
  json value = {{"target", plan.target},
                {"multiprocessors", plan.multiprocessors},
                {"problem", plan.problem},
                {"entry", plan.entry},
                {"schedule", plan.schedule},
                {"precision", plan.precision},
                {"order", plan.order},
                {"remarks", plan.remarks},
                {"deterministic", plan.deterministic},
                {"compile_ms", plan.compileMs},
                {"flops", plan.flops},
                {"least_bytes", plan.leastBytes},
                {"operand_type", toString(plan.operandType)},
                {"workspace_bytes", plan.workspaceBytes()},
                {"buffers", json::array()},
                {"images", json::array()},
                {"launches", json::array()}};
  for (const PlanBuffer &buffer : plan.buffers)
    value["buffers"].push_back(toJson(buffer));
  for (const PlanImage &image : plan.images)
    value["images"].push_back(
        {{"kind", toString(image.kind)}, {"bytes", image.data.size()}});
  for (const PlanLaunch &launch : plan.launches)
    value["launches"].push_back(toJson(launch));
  return value.dump(1, ' ', false, json::error_handler_t::replace);
}

/// Takes the next `size` bytes of the data.
static Bytes take(std::span<const uint8_t> &data, int64_t size,
                  const JsonReader &reader) {
  if (size < 0 || static_cast<uint64_t>(size) > data.size()) {
    reader.fail(std::to_string(size) + " bytes of data are expected, " +
                std::to_string(data.size()) + " are left");
    return {};
  }
  Bytes taken(data.begin(), data.begin() + size);
  data = data.subspan(static_cast<size_t>(size));
  return taken;
}

static void readImages(const JsonReader &reader, Plan &plan,
                       std::span<const uint8_t> &data) {
  for (const JsonReader &image : reader.elements())
    plan.images.push_back(
        {readName(image["kind"], allKinds),
         take(data, image["bytes"].integer(), image["bytes"])});
}

static void readBuffers(const JsonReader &reader, Plan &plan,
                        std::span<const uint8_t> &data) {
  for (const JsonReader &element : reader.elements()) {
    PlanBuffer buffer = readBuffer(element);
    if (buffer.role == BufferRole::Constant)
      buffer.data = take(data, buffer.bytes(), element["bytes"]);
    plan.buffers.push_back(std::move(buffer));
  }
}

Result<Plan> planFromJson(std::string_view header,
                          std::span<const uint8_t> data) {
  json document = json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Error{"the header is not JSON"};
  std::string failure;
  JsonReader reader(document, "", failure);
  Plan plan;
  plan.target = reader["target"].string();
  // Older plans do not say it.
  if (document.is_object() && document.contains("multiprocessors"))
    plan.multiprocessors = reader["multiprocessors"].integer();
  plan.problem = reader["problem"].string();
  plan.entry = reader["entry"].string();
  plan.schedule = reader["schedule"].string();
  plan.precision = reader["precision"].string();
  plan.order = reader["order"].string();
  for (const JsonReader &remark : reader["remarks"].elements())
    plan.remarks.push_back(remark.string());
  plan.deterministic = reader["deterministic"].boolean();
  plan.compileMs = reader["compile_ms"].number();
  plan.flops = reader["flops"].integer();
  plan.leastBytes = reader["least_bytes"].integer();
  plan.operandType = readName(reader["operand_type"], allElementTypes);
  readImages(reader["images"], plan, data);
  readBuffers(reader["buffers"], plan, data);
  for (const JsonReader &launch : reader["launches"].elements())
    plan.launches.push_back(readLaunch(launch));
  if (failure.empty() && !data.empty())
    reader.fail(std::to_string(data.size()) +
                " bytes of data belong to no image or constant");
  if (!failure.empty())
    return Error{failure};
  return plan;
}

} // namespace convmlir
