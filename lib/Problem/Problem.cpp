//===- Problem.cpp - one convolution to compile and run -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a problem's fields. Output: whether they are well formed, and the
// tensors it takes and gives. The text form is in ProblemParser.cpp and
// ProblemPrinter.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"
#include "Names.h"

#include <algorithm>

using namespace convmlir;

const char *convmlir::toString(TensorLayout layout) {
  return layout == TensorLayout::NHWC ? "nhwc" : "nchw";
}

const std::vector<std::string> &convmlir::inputTypes() {
  static const std::vector<std::string> types{"f16", "bf16", "tf32", "f32",
                                              "f64", "s8",   "e4m3", "e5m2"};
  return types;
}

std::vector<std::string> convmlir::resultTypes(const std::string &type) {
  if (type == "f16" || type == "bf16")
    return {type, "f32"};
  if (type == "f32" || type == "tf32")
    return {"f32", "f16", "bf16"};
  if (type == "f64")
    return {"f64"};
  if (type == "s8")
    return {"s32", "s8", "f32"};
  if (type == "e4m3" || type == "e5m2")
    return {"f32", "f16", "bf16", "e4m3", "e5m2"};
  return {};
}

std::vector<std::string> convmlir::secondTypes(const std::string &type) {
  if (type == "e4m3")
    return {"e5m2"};
  if (type == "e5m2")
    return {"e4m3"};
  return {};
}

std::vector<std::string> convmlir::biasTypes(const std::string &type) {
  if (accumulationType(type) != "f32")
    return {};
  return {"f16", "bf16"};
}

std::string convmlir::accumulationType(const std::string &type) {
  return type == "f64" ? "f64" : type == "s8" ? "s32" : "f32";
}

int64_t TensorSpec::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

static Status checkEpilogue(ConvKind kind, const Epilogue &epilogue) {
  if (!epilogue.any())
    return {};
  auto unexpected = [&](const char *what) {
    return Error{"epilogue=" + toString(epilogue) + ": " + what};
  };
  bool isAlone = !epilogue.scale && !epilogue.bias && !epilogue.residual;
  if (epilogue.biasGradient && kind != ConvKind::Wgrad)
    return unexpected("only wgrad has the gradient of a bias");
  switch (kind) {
  case ConvKind::Forward:
    if (epilogue.derivative)
      return unexpected("only dgrad has the derivative of an activation, not "
                        "forward");
    return {};
  case ConvKind::Dgrad:
    if (epilogue.derivative && !isAlone)
      return unexpected("the derivative of an activation has no other steps "
                        "beside it");
    return {};
  case ConvKind::Wgrad:
    if (epilogue.changesResult())
      return unexpected("wgrad has the gradient of a bias, dbias, and nothing "
                        "else");
    return {};
  }
  return {};
}

static Status checkBiasType(const Problem &problem) {
  if (problem.biasType.empty())
    return {};
  std::string given = "bias-type=" + problem.biasType + ": expected ";
  if (!problem.epilogue.hasChannels())
    return Error{given + "an epilogue with scale, bias or dbias"};
  std::vector<std::string> types = biasTypes(problem.type);
  if (contains(types, problem.biasType))
    return {};
  Problem plain = problem;
  plain.biasType.clear();
  types.insert(types.begin(), plain.channelType());
  return Error{given + (types.size() > 1 ? "one of " : "") + join(types) +
               " for type=" + problem.type};
}

static Status checkSecondType(const Problem &problem) {
  if (problem.secondType.empty())
    return {};
  std::vector<std::string> types = secondTypes(problem.type);
  if (contains(types, problem.secondType))
    return {};
  types.insert(types.begin(), problem.type);
  return Error{"second-type=" + problem.secondType + ": expected " +
               (types.size() > 1 ? "one of " : "") + join(types) +
               " for type=" + problem.type +
               "; the only inputs of two types are e4m3 and e5m2, in either "
               "order"};
}

Status Problem::check() const {
  if (Status status = geometry.check(); !status)
    return status;
  if (!contains(inputTypes(), type))
    return Error{"type=" + type + ": expected one of " + join(inputTypes())};
  if (Status status = checkSecondType(*this); !status)
    return status;
  if (!contains(resultTypes(type), outType))
    return Error{"out-type=" + outType + ": expected one of " +
                 join(resultTypes(type)) + " for type=" + type};
  if (Status status = checkEpilogue(kind, epilogue); !status)
    return status;
  return checkBiasType(*this);
}

std::string Problem::epilogueType() const {
  std::string sums = accumulationType(type);
  return sums == "s32" && epilogue.needsFloat() ? "f32" : sums;
}

std::string Problem::secondInputType() const {
  return secondType.empty() ? type : secondType;
}

std::string Problem::channelType() const {
  if (!biasType.empty())
    return biasType;
  return epilogue.scale ? epilogueType() : accumulationType(type);
}

/// [outer, extents..., channels] or [outer, channels, extents...].
static std::vector<int64_t> shapeOf(const Problem &problem, int64_t outer,
                                    const Spatial &extents, int64_t channels) {
  std::vector<int64_t> shape(extents.begin(),
                             extents.begin() + problem.geometry.spatialRank);
  shape.insert(problem.layout == TensorLayout::NHWC ? shape.end()
                                                    : shape.begin(),
               channels);
  shape.insert(shape.begin(), outer);
  return shape;
}

namespace {
/// The three tensors of a convolution, as shapes.
struct Shapes {
  std::vector<int64_t> x, w, y;

  explicit Shapes(const Problem &p) {
    const ConvGeometry &g = p.geometry;
    x = shapeOf(p, g.n, g.input, g.c);
    w = shapeOf(p, g.k, g.filter, g.c / g.groups);
    y = shapeOf(p, g.n, g.outputs(), g.k);
  }
};
} // namespace

/// Those of the epilogue, for a result of that shape.
static void addSteps(const Problem &problem, int64_t channels,
                     const std::vector<int64_t> &shape,
                     std::vector<TensorSpec> &list) {
  const Epilogue &epilogue = problem.epilogue;
  if (epilogue.scale)
    list.push_back({"scale", {channels}, problem.channelType()});
  if (epilogue.bias)
    list.push_back({"bias", {channels}, problem.channelType()});
  if (epilogue.residual)
    list.push_back({"residual", shape, problem.outType});
}

/// The tensors that the products are made of, and those of the epilogue.
static std::vector<TensorSpec> operands(const Problem &problem) {
  const std::string &first = problem.type;
  std::string second = problem.secondInputType();
  Shapes shapes(problem);
  switch (problem.kind) {
  case ConvKind::Dgrad: {
    std::vector<TensorSpec> list{{"dy", shapes.y, first},
                                 {"w", shapes.w, second}};
    if (problem.epilogue.derivative)
      list.push_back({"act", shapes.x, second});
    addSteps(problem, problem.geometry.c, shapes.x, list);
    return list;
  }
  case ConvKind::Wgrad:
    return {{"x", shapes.x, first}, {"dy", shapes.y, second}};
  case ConvKind::Forward:
    break;
  }
  std::vector<TensorSpec> list{{"x", shapes.x, first}, {"w", shapes.w, second}};
  addSteps(problem, problem.geometry.k, shapes.y, list);
  return list;
}

std::vector<TensorSpec> Problem::arguments() const {
  std::vector<TensorSpec> list = operands(*this);
  if (!accumulate)
    return list;
  list.push_back(result());
  list.back().name += "0";
  return list;
}

std::vector<TensorSpec> Problem::results() const {
  std::vector<TensorSpec> list{result()};
  if (epilogue.biasGradient)
    list.push_back({"db", {geometry.k}, channelType()});
  return list;
}

TensorSpec Problem::result() const {
  Shapes shapes(*this);
  switch (kind) {
  case ConvKind::Forward:
    return {"y", shapes.y, outType};
  case ConvKind::Dgrad:
    return {"dx", shapes.x, outType};
  case ConvKind::Wgrad:
    return {"dw", shapes.w, outType};
  }
  return {};
}
