//===- ConvolutionRoles.cpp - which tensor is x, w and y ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionRoles.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvKind;
using convmlir::Error;
using convmlir::Result;

/// A dimension of an operand: the loop that indexes it or, behind all loops,
/// the window.
using Axis = unsigned;
using Axes = SmallVector<Axis, 2>;

ConvKind ConvolutionRoles::kind() const {
  if (x == 2)
    return ConvKind::Dgrad;
  return w == 2 ? ConvKind::Wgrad : ConvKind::Forward;
}

unsigned ConvolutionRoles::operandOf(TensorRole role) const {
  switch (role) {
  case TensorRole::Input:
    return x;
  case TensorRole::Filter:
    return w;
  case TensorRole::Output:
    return y;
  }
  llvm_unreachable("unknown role");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Loops that index images alone: the first is the batch. The others are
/// positions of a filter with one tap, while there are dimensions for them.
static void placePositions(const SumOfProducts &sum,
                           const ConvolutionRoles &roles,
                           ConvolutionParts &parts) {
  size_t free = convmlir::kMaxSpatialRank - parts.windows.size();
  unsigned other = sum.wide == roles.x ? roles.y : roles.x;
  while (parts.batch.size() > 1 && free-- > 0) {
    unsigned loop = parts.batch[1];
    parts.batch.erase(parts.batch.begin() + 1);
    SlidingDim window;
    window.dim = llvm::find(sum.loops[sum.wide], std::optional(loop)) -
                 sum.loops[sum.wide].begin();
    window.loops[other] = loop;
    parts.windows.push_back(window);
  }
  llvm::sort(parts.windows, [](const SlidingDim &a, const SlidingDim &b) {
    return a.dim < b.dim;
  });
}

Result<ConvolutionParts> conv::readParts(const SumOfProducts &sum,
                                         const ConvolutionRoles &roles) {
  if (sum.windows.size() > size_t(convmlir::kMaxSpatialRank))
    return Error{"it has " + std::to_string(sum.windows.size()) +
                 " window dimensions; a convolution has at most " +
                 std::to_string(convmlir::kMaxSpatialRank)};
  ConvolutionParts parts;
  parts.windows.assign(sum.windows.begin(), sum.windows.end());
  for (unsigned operand : {roles.x, roles.y})
    for (std::optional<unsigned> loop : sum.loops[operand]) {
      if (!loop)
        continue;
      bool inX = sum.hasLoop(roles.x, *loop), inW = sum.hasLoop(roles.w, *loop),
           inY = sum.hasLoop(roles.y, *loop);
      if (operand == roles.y && (inX || !inW))
        continue;
      if (inX + inW + inY == 1)
        continue; // Of a window.
      (inX && inW && inY ? parts.group
       : inX && inW      ? parts.inputChannel
       : inX             ? parts.batch
                         : parts.outputChannel)
          .push_back(*loop);
    }
  placePositions(sum, roles, parts);
  return parts;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The axes of an operand's dimensions.
static SmallVector<Axis> getAxes(const SumOfProducts &sum, unsigned operand) {
  SmallVector<Axis> axes;
  for (auto [dim, loop] : llvm::enumerate(sum.loops[operand]))
    axes.push_back(loop ? *loop : sum.extents.size() + dim);
  return axes;
}

/// What an operand has of a window.
static Axes getWindowAxes(const SumOfProducts &sum, const SlidingDim &window,
                          unsigned operand) {
  if (operand == sum.wide)
    return {getAxes(sum, operand)[window.dim]};
  if (std::optional<unsigned> loop = window.loops[operand])
    return {*loop};
  return {};
}

/// The axes of each dimension of a role's tensor in conv, outermost first.
static SmallVector<Axes> getTargets(const SumOfProducts &sum,
                                    const ConvolutionParts &parts,
                                    const ConvolutionRoles &roles,
                                    Layout layout, TensorRole role) {
  int rank = parts.windows.size();
  SmallVector<Axes> targets(rank + 2);
  Axes &outer = targets[kOuterDim];
  Axes &channels = targets[getChannelDim(layout, rank)];
  llvm::append_range(role == TensorRole::Filter ? outer : channels,
                     parts.group);
  llvm::append_range(outer, role == TensorRole::Filter ? parts.outputChannel
                                                       : parts.batch);
  llvm::append_range(channels, role == TensorRole::Output ? parts.outputChannel
                                                          : parts.inputChannel);
  for (auto [d, window] : llvm::enumerate(parts.windows))
    targets[getSpatialDim(layout, d)] =
        getWindowAxes(sum, window, roles.operandOf(role));
  return targets;
}

/// How a tensor whose dimensions are `axes` gets those of `targets`.
static OperandForm getForm(ArrayRef<int64_t> shape, ArrayRef<Axis> axes,
                           ArrayRef<Axes> targets) {
  OperandForm form;
  for (const Axes &target : targets) {
    int64_t extent = 1;
    for (Axis axis : target) {
      int64_t dim = llvm::find(axes, axis) - axes.begin();
      form.permutation.push_back(dim);
      extent *= shape[dim];
    }
    form.shape.push_back(extent);
    if (!target.empty())
      form.collapsed.push_back(extent);
  }
  return form;
}

std::array<OperandForm, 3>
conv::getForms(const SumOfProducts &sum, const ConvolutionParts &parts,
               const ConvolutionRoles &roles,
               const std::array<ArrayRef<int64_t>, 3> &shapes, Layout layout) {
  std::array<OperandForm, 3> forms;
  for (TensorRole role :
       {TensorRole::Input, TensorRole::Filter, TensorRole::Output}) {
    unsigned operand = roles.operandOf(role);
    forms[static_cast<unsigned>(role)] =
        getForm(shapes[operand], getAxes(sum, operand),
                getTargets(sum, parts, roles, layout, role));
  }
  return forms;
}

static bool hasChannelsFirst(const SumOfProducts &sum,
                             const ConvolutionParts &parts,
                             const ConvolutionRoles &roles) {
  SmallVector<Axis> axes = getAxes(sum, roles.x);
  auto positionOf = [&](Axis axis) {
    return llvm::find(axes, axis) - axes.begin();
  };
  Axes window = getWindowAxes(sum, parts.windows.front(), roles.x);
  return !window.empty() &&
         llvm::any_of(llvm::concat<const unsigned>(parts.group,
                                                   parts.inputChannel),
                      [&](unsigned loop) {
                        return positionOf(loop) < positionOf(window.front());
                      });
}

Layout conv::chooseLayout(const SumOfProducts &sum,
                          const ConvolutionParts &parts,
                          const ConvolutionRoles &roles,
                          const std::array<ArrayRef<int64_t>, 3> &shapes) {
  auto count = [&](Layout layout) {
    return llvm::count_if(
        getForms(sum, parts, roles, shapes, layout),
        [](const OperandForm &form) { return form.isMoved(); });
  };
  auto first = count(Layout::NCHW), last = count(Layout::NHWC);
  bool takesFirst = first < last ||
                    (first == last && hasChannelsFirst(sum, parts, roles));
  return takesFirst ? Layout::NCHW : Layout::NHWC;
}
