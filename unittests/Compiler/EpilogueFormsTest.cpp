//===- EpilogueFormsTest.cpp - what may follow a convolution --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever elementwise operation follows a convolution, in its kernel or in one
// of its own: the schedule that is chosen without knowing code generation has
// to have a kernel.
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Compiler/SourceModule.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

/// An operand of an elementwise operation: which dimensions index it, and its
/// extents.
struct Operand {
  const char *map;
  const char *type;
};

/// A convolution 16 -> 24 of 8x10 positions, in one layout.
struct Layer {
  const char *op;
  const char *x, *w, *y;
  const char *suffix;
  std::vector<Operand> operands;
};

} // namespace

static const Layer kLayers[] = {
    {"forward",
     "2x8x10x16xbf16",
     "24x3x3x16xbf16",
     "2x8x10x24",
     "",
     {{"", "f32"},
      {"d3", "24xf32"},
      {"d0, d3", "2x24xf32"},
      {"d1, d2", "8x10xf32"},
      {"d2", "10xf32"},
      {"d0, d1, d2", "2x8x10xf32"},
      {"0, 0, 0, d3", "1x1x1x24xf32"},
      {"d0, d3, d1, d2", "2x24x8x10xf32"},
      {"d0, d1, d2, d3", "2x8x10x24xf32"}}},
    {"forward",
     "2x16x8x10xbf16",
     "24x16x3x3xbf16",
     "2x24x8x10",
     "layout nchw",
     {{"", "f32"},
      {"d1", "24xf32"},
      {"d0, d1", "2x24xf32"},
      {"d2, d3", "8x10xf32"},
      {"d3", "10xf32"},
      {"d0, d2, d3", "2x8x10xf32"},
      {"0, d1, 0, 0", "1x24x1x1xf32"},
      {"d0, d2, d3, d1", "2x8x10x24xf32"},
      {"d0, d1, d2, d3", "2x24x8x10xf32"}}},
    {"dgrad",
     "2x8x10x16xbf16",
     "16x3x3x24xbf16",
     "2x8x10x24",
     "",
     {{"d3", "24xf32"}, {"d0, d3", "2x24xf32"}, {"d1, d2", "8x10xf32"}}},
    {"dgrad",
     "2x16x8x10xbf16",
     "16x24x3x3xbf16",
     "2x24x8x10",
     "layout nchw",
     {{"d1", "24xf32"}, {"d0, d1", "2x24xf32"}, {"d2, d3", "8x10xf32"}}},
};

/// The layer, times such an operand, as bf16.
static std::string moduleOf(const Layer &layer, const Operand &operand) {
  auto tensor = [](const std::string &shape) {
    return "tensor<" + shape + ">";
  };
  std::string x = tensor(layer.x), w = tensor(layer.w), shape = layer.y;
  std::string sums = tensor(shape + "xf32"), result = tensor(shape + "xbf16");
  std::string factor = tensor(operand.type);
  std::string all = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>";
  std::string map =
      std::string("affine_map<(d0, d1, d2, d3) -> (") + operand.map + ")>";
  return "func.func @f(%x: " + x + ", %w: " + w + ", %s: " + factor + ") -> " +
         result + " {\n  %e = tensor.empty() : " + sums + "\n  %y = conv." +
         layer.op + " ins(%x, %w : " + x + ", " + w + ") outs(%e : " + sums +
         ") pad [1, 1] " + layer.suffix + " -> " + sums +
         "\n  %o = tensor.empty() : " + result +
         "\n  %r = linalg.generic {indexing_maps = [" + all + ", " + map +
         ", " + all +
         "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
         "\"parallel\"]} ins(%y, %s : " +
         sums + ", " + factor + ") outs(%o : " + result +
         ") {\n  ^bb0(%a: f32, %b: f32, %old: bf16):\n"
         "    %0 = arith.mulf %a, %b : f32\n"
         "    %1 = arith.truncf %0 : f32 to bf16\n"
         "    linalg.yield %1 : bf16\n  } -> " +
         result + "\n  return %r : " + result + "\n}\n";
}

TEST(EpilogueForms, allHaveKernels) {
  for (const Layer &layer : kLayers)
    for (const Operand &operand : layer.operands)
      for (const char *target : {"sm_80", "sm_90a"}) {
        std::string text = moduleOf(layer, operand);
        Result<std::unique_ptr<SourceModule>> source =
            SourceModule::fromText(text, "epilogue", "");
        ASSERT_TRUE(static_cast<bool>(source)) << source.error() << text;
        CompileOptions options;
        options.target = target;
        options.targetCode = false;
        Result<Plan> plan = compile(**source, options);
        EXPECT_TRUE(static_cast<bool>(plan))
            << target << ": " << plan.error() << "\n"
            << text;
      }
}
