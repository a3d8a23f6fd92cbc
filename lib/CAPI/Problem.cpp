//===- Problem.cpp - problem lines in C -----------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"
#include "Handles.h"
#include "conv-c/Problem.h"
#include "conv/Reference/Compare.h"

using namespace convmlir;
using namespace convmlir::capi;

static void copy(const Spatial &from, int64_t (&to)[3]) {
  std::copy(from.begin(), from.end(), to);
}

static convmlir_problem toC(const Problem &problem) {
  const ConvGeometry &geometry = problem.geometry;
  ElementType type = *parseElementType(problem.type);
  ElementType outType = *parseElementType(problem.outType);
  convmlir_problem c{};
  c.op = static_cast<int32_t>(problem.kind);
  c.spatial_rank = geometry.spatialRank;
  c.n = geometry.n;
  c.c = geometry.c;
  c.k = geometry.k;
  c.groups = geometry.groups;
  copy(geometry.input, c.input);
  copy(geometry.filter, c.filter);
  copy(geometry.outputs(), c.output);
  copy(geometry.stride, c.stride);
  copy(geometry.padLow, c.pad_low);
  copy(geometry.padHigh, c.pad_high);
  copy(geometry.dilation, c.dilation);
  copy(geometry.inputDilation, c.input_dilation);
  c.type = toString(type);
  c.out_type = toString(outType);
  c.channels_last = problem.layout == TensorLayout::NHWC;
  c.bias = problem.epilogue.bias;
  c.residual = problem.epilogue.residual;
  c.relu = problem.epilogue.activation == Activation::Relu &&
           !problem.epilogue.derivative;
  c.scale = problem.epilogue.scale;
  c.activation = toString(problem.epilogue.activation);
  c.clip_low = problem.epilogue.low;
  c.clip_high = problem.epilogue.high;
  c.derivative = problem.epilogue.derivative;
  c.bias_gradient = problem.epilogue.biasGradient;
  c.bias_type = toString(*parseElementType(problem.channelType()));
  c.second_type = toString(*parseElementType(problem.secondInputType()));
  c.accumulate = problem.accumulate;
  c.flip = geometry.flip;
  c.flops = geometry.flops();
  c.least_bytes =
      geometry.leastBytes(problem.kind, byteSize(type), byteSize(outType));
  c.tolerance = tolerance(problem);
  return c;
}

static_assert(CONVMLIR_FORWARD == static_cast<int>(ConvKind::Forward) &&
              CONVMLIR_DGRAD == static_cast<int>(ConvKind::Dgrad) &&
              CONVMLIR_WGRAD == static_cast<int>(ConvKind::Wgrad));

convmlir_status convmlir_problem_parse(const char *text,
                                       convmlir_problem *problem) {
  return guardedWithFloats([&] {
    if (!text)
      return missing("text");
    Result<Problem> parsed = parseProblem(text);
    if (!parsed)
      return badInput(parsed.error());
    return fill(problem, toC(*parsed), "problem");
  });
}
