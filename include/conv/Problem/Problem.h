//===- Problem.h - one convolution to compile and run -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution problem as the command line, the plan and the fuzzer name it:
// the op, its geometry, element types, layout and epilogue. docs/Problem.md has
// the grammar of its text form,
//
//   forward n=1 c=64 h=56 w=56 k=64 r=3 s=3 stride=1 pad=1 dilation=1 groups=1
//   type=bf16
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PROBLEM_PROBLEM_H
#define CONV_PROBLEM_PROBLEM_H

#include "conv/Geometry/ConvGeometry.h"
#include "conv/Problem/Epilogue.h"
#include "conv/Support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace convmlir {

/// Memory order of all tensors of a convolution, in every rank: channels last
/// (x N,D,H,W,C; filter K,T,R,S,C/G) or first (x N,C,D,H,W; K,C/G,T,R,S).
enum class TensorLayout { NHWC, NCHW };

/// "nhwc" or "nchw".
const char *toString(TensorLayout layout);

/// A tensor of a problem: its name in messages ("x", "dw"), extents in memory
/// order, and element type.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  std::string type;

  int64_t numElements() const;
  bool operator==(const TensorSpec &) const = default;
};

struct Problem {
  ConvKind kind = ConvKind::Forward;
  ConvGeometry geometry;
  std::string type = "bf16";    ///< Of both inputs; see elementTypeNames().
  std::string outType = "bf16"; ///< Of the result; see resultTypes().
  /// Of the second input; empty: that of both. See secondTypes().
  std::string secondType;
  /// Of scale, bias and db; empty: the type of the sums. See biasTypes().
  std::string biasType;
  TensorLayout layout = TensorLayout::NHWC;
  Epilogue epilogue;
  bool accumulate = false; ///< The result is added to an argument.

  /// The geometry's rules, then those on types and epilogue.
  Status check() const;

  /// The type in which the epilogue computes and sums are rounded from: the
  /// accumulation type, or f32 where it is s32 and the epilogue needs floats.
  std::string epilogueType() const;

  /// The arguments in order: forward x, w [, scale] [, bias] [, residual];
  /// dgrad dy, w, then these or act; wgrad x, dy; then, where it accumulates,
  /// what the result begins with (y0, dx0, dw0). Scale and bias have
  /// channelType(), residual and beginning the result's type and shape, act has
  /// the shape of dx and, as what goes forward, the type of w.
  std::vector<TensorSpec> arguments() const;
  /// y, dx or dw.
  TensorSpec result() const;
  /// That, and of a wgrad with the gradient of a bias db, in channelType().
  std::vector<TensorSpec> results() const;
  /// The type of the second argument: secondType, or, where it is empty, type.
  std::string secondInputType() const;
  /// The type of scale, bias and db: biasType, or, where it is empty, the
  /// accumulation type, or f32 where that is s32 and there is a scale.
  std::string channelType() const;

  bool operator==(const Problem &) const = default;
};

/// The element types that inputs can have: f16 bf16 tf32 f32 f64 s8 e4m3 e5m2.
const std::vector<std::string> &inputTypes();
/// The result types an input type allows, the default first: a type's own; s32
/// for s8, f32 for tf32 and the 8-bit floats. Empty for an unknown type.
std::vector<std::string> resultTypes(const std::string &type);
/// The types that the second input may have beside that of the first: of an
/// 8-bit float the other one, else none.
std::vector<std::string> secondTypes(const std::string &type);
/// The types of scale, bias and db that an input type allows beside the type of
/// the sums: f16 and bf16 where sums are f32, else none.
std::vector<std::string> biasTypes(const std::string &type);
/// What sums are kept in: f64 for f64, s32 for s8, else f32.
std::string accumulationType(const std::string &type);

/// Parses and checks the text form. The error names the key, its value and what
/// was expected.
Result<Problem> parseProblem(std::string_view text);

/// The text form of a problem: every key that a problem of this rank has in the
/// order of the grammar; second-type, out-type, layout, epilogue, bias-type,
/// accumulate, flip and input-dilation only where they are not the default.
/// parseProblem() of it gives the problem back.
std::string toString(const Problem &problem);

} // namespace convmlir

#endif // CONV_PROBLEM_PROBLEM_H
