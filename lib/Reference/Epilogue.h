//===- Epilogue.h - what follows the sums -----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue of a problem on one element of its result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_REFERENCE_EPILOGUE_H
#define CONV_LIB_REFERENCE_EPILOGUE_H

#include "Loops.h"
#include "conv/Reference/Reference.h"

namespace convmlir {

/// activation(old + scale[k] * sum + bias[k] + residual), or
/// activation'(act) * (old + sum), as far as the problem has them.
template <typename T> class ReferenceEpilogue {
public:
  ReferenceEpilogue(const Problem &problem, const Loops &loops,
                    const ReferenceArguments<T> &arguments)
      : steps(problem.epilogue), channels(loops.k),
        channelStride(TensorIndices(loops, problem.layout).y.channel) {
    size_t next = 2;
    if (problem.epilogue.scale)
      scale = arguments[next++];
    if (problem.epilogue.bias)
      bias = arguments[next++];
    if (problem.epilogue.residual)
      residual = arguments[next++];
    if (problem.epilogue.derivative)
      act = arguments[next];
    if (problem.accumulate)
      old = arguments.back();
  }

  /// `position` is the element's in the memory order of the result.
  double operator()(double sum, int64_t position) const {
    int64_t channel = position / channelStride % channels;
    if (!scale.empty())
      sum *= static_cast<double>(scale[channel]);
    if (!bias.empty())
      sum += static_cast<double>(bias[channel]);
    if (!residual.empty())
      sum += static_cast<double>(residual[position]);
    if (!old.empty())
      sum += static_cast<double>(old[position]);
    if (!act.empty())
      return steps.differentiate(sum, static_cast<double>(act[position]));
    return steps.activate(sum);
  }

private:
  Epilogue steps;
  int64_t channels, channelStride;
  std::span<const T> scale, bias, residual, act, old;
};

} // namespace convmlir

#endif // CONV_LIB_REFERENCE_EPILOGUE_H
