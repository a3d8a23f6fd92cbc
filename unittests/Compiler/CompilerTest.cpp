//===- CompilerTest.cpp - from problems and modules to plans --------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "conv/Compiler/SourceModule.h"
#include "conv/Reference/Reference.h"
#include "conv/Runtime/PlanFile.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace convmlir;

static Problem problemOf(const std::string &text) {
  Result<Problem> problem = parseProblem(text);
  EXPECT_TRUE(static_cast<bool>(problem)) << text;
  return problem ? *problem : Problem();
}

static std::unique_ptr<SourceModule> moduleOf(const std::string &text) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problemOf(text));
  EXPECT_TRUE(static_cast<bool>(source)) << text;
  return source ? std::move(*source) : nullptr;
}

static CompileOptions withoutTarget() {
  CompileOptions options;
  options.targetCode = false;
  return options;
}

/// Small integers that differ from place to place.
static std::vector<double> integers(int64_t count, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>((i * 7 + seed * 5 + i / 11) % 5 - 2));
  return values;
}

/// The IR of a problem means what the problem does.
TEST(SourceModule, meansTheProblem) {
  for (const char *text :
       {"forward n=2 c=6 h=4 w=5 k=4 r=3 s=2 pad=1 groups=2 type=f64",
        "forward n=1 c=3 w=7 k=4 s=3 type=f32 layout=nchw "
        "epilogue=bias,residual,relu",
        "forward c=2 d=2 h=3 w=3 k=3 t=1 r=2 s=2 type=s8 epilogue=relu",
        "dgrad n=2 c=3 h=5 w=6 k=4 r=3 s=3 stride=2 pad=1 type=f32",
        "wgrad n=2 c=3 h=5 w=6 k=4 r=3 s=3 stride=2 pad=1 type=f32",
        "forward c=3 h=4 w=4 k=5 r=1 s=1 type=bf16 epilogue=bias",
        "forward c=3 h=4 w=4 k=5 r=2 s=1 type=tf32 epilogue=relu",
        "forward c=3 h=4 w=4 k=5 r=1 s=1 epilogue=scale,bias bias-type=f16",
        "dgrad c=3 h=4 w=5 k=2 r=2 s=1 stride=2 type=f32 epilogue=bias,relu",
        "dgrad c=3 h=4 w=5 k=2 r=1 s=1 type=f32 layout=nchw "
        "epilogue=scale,bias,residual",
        "forward c=3 h=4 w=4 k=5 r=1 s=1 type=s8 out-type=f32 "
        "epilogue=bias,residual"}) {
    Problem problem = problemOf(text);
    std::unique_ptr<SourceModule> source = moduleOf(text);
    std::vector<std::vector<double>> values;
    for (const TensorSpec &spec : problem.arguments())
      values.push_back(integers(spec.numElements(), values.size() + 1));
    ReferenceArguments<double> arguments(values.begin(), values.end());
    Result<std::vector<double>> expected =
        computeReference<double>(problem, arguments);
    ASSERT_TRUE(static_cast<bool>(expected)) << text;
    Result<std::vector<ReferenceTensor>> found = source->evaluate(values);
    ASSERT_TRUE(static_cast<bool>(found)) << text << ": " << found.error();
    EXPECT_EQ(found->front().values, *expected) << text;
  }
}

/// A module whose entry adds 1, and other functions.
static std::string besideOthers(const std::string &others) {
  return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %e = tensor.empty() : tensor<4xf32>\n"
         "  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) "
         "-> tensor<4xf32>\n"
         "  return %y : tensor<4xf32>\n}\n" +
         others;
}

static std::string calling(const std::string &name, const std::string &other) {
  return "func.func private @" + name +
         "(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %y = call @" +
         other +
         "(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
         "  return %y : tensor<4xf32>\n}\n";
}

/// What the entry does not lead to is not compiled, though others name it.
TEST(SourceModule, hasItsEntryOnly) {
  std::string others;
  for (const char *names : {"ab", "bc", "ca", "dd"})
    others += calling({names[0]}, {names[1]});
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(besideOthers(others), "test.mlir", "main");
  ASSERT_TRUE(static_cast<bool>(source)) << source.error();
  CompileOptions options;
  options.target = "sm_80";
  Result<std::string> text = emitModule(**source, Form::F0, options);
  ASSERT_TRUE(static_cast<bool>(text)) << text.error();
  EXPECT_EQ(text->find("private"), std::string::npos) << *text;
}

/// Brackets in strings and comments, arrows and comparisons are none.
TEST(SourceModule, countsBracketsOnly) {
  std::string many(300, '<'), text = "// " + many + "\n";
  text += "module {} loc(\"" + many + "\\\"" + many + "\")\n";
  for (int i = 0; i < 300; ++i)
    text += "#s" + std::to_string(i) + " = affine_set<(d) : (d <= 1)>\n";
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(besideOthers(text), "test.mlir", "main");
  EXPECT_TRUE(static_cast<bool>(source)) << source.error();
}

/// What the reference makes of %a and %b, which have `type`, in a body that
/// gives %r of `resultType`.
static double evaluateBody(const std::string &body, double a, double b,
                           const std::string &type,
                           const std::string &resultType) {
  std::string in = "tensor<1x" + type + ">";
  std::string out = "tensor<1x" + resultType + ">";
  std::string text = "func.func @f(%x: " + in + ", %y: " + in + ") -> " + out +
                     " {\n  %e = tensor.empty() : " + out +
                     "\n  %m = linalg.map ins(%x, %y : " + in + ", " + in +
                     ") outs(%e : " + out + ") (%a: " + type + ", %b: " + type +
                     ", %old: " + resultType + ") {\n" + body +
                     "\n linalg.yield %r : " + resultType +
                     "\n  }\n  return %m : " + out + "\n}\n";
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(text, "body", "");
  EXPECT_TRUE(static_cast<bool>(source)) << source.error() << "\n" << text;
  if (!source)
    return NAN;
  Status status = (*source)->checkReference();
  EXPECT_TRUE(static_cast<bool>(status)) << status.error();
  Result<std::vector<ReferenceTensor>> found =
      (*source)->evaluate({{a}, {b}});
  EXPECT_TRUE(static_cast<bool>(found)) << found.error();
  return found ? found->front().values.front() : NAN;
}

/// A sum of one product, whose import is a convolution or not.
static std::string oneProduct(const std::string &type, const std::string &wide,
                              const std::string &body) {
  std::string in = "tensor<1x1x1x" + type + ">";
  std::string out = "tensor<1x1x1x" + wide + ">";
  return "func.func @f(%x: " + in + ", %w: " + in + ", %i: " + out + ") -> " +
         out +
         " {\n  %y = linalg.generic {indexing_maps = ["
         "affine_map<(n, q, k, s, c) -> (n, q + s, c)>, "
         "affine_map<(n, q, k, s, c) -> (k, s, c)>, "
         "affine_map<(n, q, k, s, c) -> (n, q, k)>], iterator_types = "
         "[\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
         "\"reduction\"]} ins(%x, %w : " +
         in + ", " + in + ") outs(%i : " + out + ") {\n  ^bb0(%a: " + type +
         ", %b: " + type + ", %o: " + wide + "):\n" + body +
         "\n    linalg.yield %s : " + wide + "\n  } -> " + out +
         "\n  return %y : " + out + "\n}\n";
}

static double evaluateProduct(const std::string &text, Precision precision,
                              double a, double b, double init) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromText(text, "product", "", precision);
  EXPECT_TRUE(static_cast<bool>(source)) << source.error();
  if (!source)
    return NAN;
  Result<std::vector<ReferenceTensor>> found =
      (*source)->evaluate({{a}, {b}, {init}});
  EXPECT_TRUE(static_cast<bool>(found)) << found.error();
  return found ? found->front().values.front() : NAN;
}

TEST(SourceModule, meansTheTextThatWasGiven) {
  std::string integers = oneProduct("i8", "i32",
                                    "%p = arith.muli %a, %b : i8\n"
                                    "%n = arith.extsi %p : i8 to i32\n"
                                    "%s = arith.addi %o, %n : i32");
  std::string floats = oneProduct("f16", "f32",
                                  "%p = arith.mulf %a, %b : f16\n"
                                  "%n = arith.extf %p : f16 to f32\n"
                                  "%s = arith.addf %o, %n : f32");
  EXPECT_EQ(evaluateProduct(integers, Precision::More, 16, 16, 1), 1);
  EXPECT_EQ(evaluateProduct(integers, Precision::Text, 16, 17, 1), 17);
  EXPECT_EQ(evaluateProduct(floats, Precision::More, 1000, 1000, 1), 1000001);
  EXPECT_EQ(evaluateProduct(floats, Precision::Text, 1000, 1000, 1), INFINITY);
  EXPECT_EQ(evaluateProduct(floats, Precision::Text, 3, 1000, 1), 3001);
}

TEST(SourceModule, knowsIntegersOf64Bits) {
  // 2^31 - 1 times itself has no place in f64.
  std::string text = oneProduct(
      "i32", "i32",
      "%aw = arith.extsi %a : i32 to i64\n%bw = arith.extsi %b : i32 to i64\n"
      "%p = arith.muli %aw, %bw : i64\n%n = arith.trunci %p : i64 to i32\n"
      "%s = arith.addi %o, %n : i32");
  EXPECT_EQ(evaluateProduct(text, Precision::More, 2147483647, 2147483647, 0),
            1);
}

TEST(SourceModule, knowsIntegers) {
  struct {
    const char *operation;
    double x, y, expected;
    const char *type = "i8";
  } cases[] = {{"arith.addi", 127, 1, -128},
               {"arith.subi", -128, 1, 127},
               {"arith.muli", 100, 3, 44},
               {"arith.muli", 123456789, 1001, -973805795, "i32"},
               {"arith.divsi", -7, 2, -3},
               {"arith.remsi", -7, 2, -1},
               {"arith.ceildivsi", -7, 2, -3},
               {"arith.ceildivsi", 7, 2, 4},
               {"arith.floordivsi", -7, 2, -4},
               {"arith.floordivsi", 7, 2, 3},
               {"arith.divui", -1, 2, 127},
               {"arith.remui", -1, 16, 15},
               {"arith.ceildivui", -1, 2, -128},
               {"arith.andi", -2, 7, 6},
               {"arith.ori", -128, 1, -127},
               {"arith.xori", -1, 5, -6},
               {"arith.shli", 65, 1, -126},
               {"arith.shrsi", -5, 1, -3},
               {"arith.shrui", -5, 1, 125},
               {"arith.shrui", -1, 28, 15, "i32"},
               {"arith.maxsi", -1, 1, 1},
               {"arith.minsi", -1, 1, -1},
               {"arith.maxui", -1, 1, -1},
               {"arith.minui", -1, 1, 1}};
  for (const auto &[operation, x, y, expected, type] : cases)
    EXPECT_EQ(
        evaluateBody(std::string("%r = ") + operation + " %a, %b : " + type, x,
                     y, type, type),
        expected)
        << operation << " of " << x << " and " << y;
}

TEST(SourceModule, knowsBitsOfIntegers) {
  struct {
    const char *operation;
    double x, expected;
  } cases[] = {{"absi", -5, 5}, {"absi", -128, -128}, {"ctpop", -1, 8},
               {"ctlz", 1, 7},  {"ctlz", 0, 8},       {"cttz", 8, 3},
               {"cttz", 0, 8}};
  for (const auto &[operation, x, expected] : cases)
    EXPECT_EQ(evaluateBody(std::string("%r = math.") + operation + " %a : i8",
                           x, 0, "i8", "i8"),
              expected)
        << operation << " of " << x;
}

TEST(SourceModule, comparesIntegers) {
  struct {
    const char *predicate;
    double x, y, expected;
  } cases[] = {{"eq", -1, -1, 1}, {"eq", -1, 1, 0},  {"ne", -1, 1, 1},
               {"slt", -1, 1, 1}, {"sle", 1, 1, 1},  {"sgt", -1, 1, 0},
               {"sge", 1, -1, 1}, {"ult", -1, 1, 0}, {"ule", -1, -1, 1},
               {"ugt", -1, 1, 1}, {"uge", 1, -1, 0}};
  for (const auto &[predicate, x, y, expected] : cases)
    EXPECT_EQ(evaluateBody(std::string("%c = arith.cmpi ") + predicate +
                               ", %a, %b : i8\n%r = arith.extui %c : i1 to i8",
                           x, y, "i8", "i8"),
              expected)
        << predicate << " of " << x << " and " << y;
}

TEST(SourceModule, convertsIntegers) {
  struct {
    const char *body;
    double x, expected;
    const char *type, *resultType;
  } cases[] = {
      {"%r = arith.extui %a : i8 to i32", -1, 255, "i8", "i32"},
      {"%r = arith.extsi %a : i8 to i32", -1, -1, "i8", "i32"},
      {"%r = arith.uitofp %a : i8 to f32", -1, 255, "i8", "f32"},
      {"%r = arith.fptoui %a : f32 to i8", 200.75, -56, "f32", "i8"},
      {"%c = arith.trunci %a : i8 to i1\n%r = arith.extsi %c : i1 to i8", -3,
       -1, "i8", "i8"},
      {"%c = arith.trunci %a : i8 to i1\n%d = arith.addi %c, %c : i1\n"
       "%r = arith.extui %d : i1 to i8",
       1, 0, "i8", "i8"},
      {"%t = arith.constant true\n%c = arith.cmpi eq, %a, %a : i8\n"
       "%d = arith.cmpi eq, %c, %t : i1\n%r = arith.extui %d : i1 to i8",
       5, 1, "i8", "i8"}};
  for (const auto &[body, x, expected, type, resultType] : cases)
    EXPECT_EQ(evaluateBody(body, x, 0, type, resultType), expected) << body;
}

/// A quotient by zero is nothing to compare with, nor is what follows of it.
TEST(SourceModule, keepsWhatIsUndefined) {
  for (const char *operation :
       {"divsi", "remsi", "ceildivsi", "floordivsi", "divui", "remui"})
    EXPECT_TRUE(std::isnan(
        evaluateBody(std::string("%q = arith.") + operation +
                         " %a, %b : i32\n%r = arith.addi %q, %a : i32",
                     5, 0, "i32", "i32")))
        << operation;
  EXPECT_TRUE(std::isnan(
      evaluateBody("%r = arith.fptoui %a : f32 to i8", -1, 0, "f32", "i8")));
  EXPECT_TRUE(std::isnan(
      evaluateBody("%r = arith.shli %a, %b : i8", 1, 8, "i8", "i8")));
  EXPECT_TRUE(std::isnan(
      evaluateBody("%r = arith.divsi %a, %b : i8", -128, -1, "i8", "i8")));
}

/// tf32 lies in memory as f32; the operation says how it is multiplied.
TEST(SourceModule, readsTF32Back) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=3 h=4 w=4 k=5 r=1 s=1 type=tf32");
  EXPECT_EQ(source->convolutions().front().type, "tf32");
  EXPECT_EQ(source->arguments().front().type, "tf32");
  EXPECT_EQ(source->results().front().type, "f32");
}

TEST(Compiler, plansHaveEveryBuffer) {
  std::string text = "forward n=2 c=20 h=7 w=9 k=33 r=3 s=3 stride=1 pad=1 "
                     "dilation=1 groups=1 type=f16 epilogue=bias,residual";
  std::unique_ptr<SourceModule> source = moduleOf(text);
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  EXPECT_EQ(plan->problem, text);
  EXPECT_EQ(plan->target, "sm_80");
  EXPECT_TRUE(plan->deterministic);
  std::vector<std::string> names;
  for (const PlanBuffer &buffer : plan->buffers)
    names.push_back(describe(buffer));
  EXPECT_EQ(names, (std::vector<std::string>{
                       "x (argument 0)", "w (argument 1)", "bias (argument 2)",
                       "residual (argument 3)", "y (result 0)"}));
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_GT(plan->launches[0].dynamicSharedBytes, 0);
  EXPECT_EQ(plan->launches[0].arguments.size(), 5u);
  ASSERT_EQ(plan->images.size(), 1u);
  EXPECT_EQ(plan->images[0].kind, ImageKind::Nvvm);
}

TEST(Compiler, plansSurviveTheirFile) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  Result<Bytes> bytes = serialisePlan(*plan);
  ASSERT_TRUE(static_cast<bool>(bytes)) << bytes.error();
  Result<Plan> read = parsePlan(*bytes, "plan");
  ASSERT_TRUE(static_cast<bool>(read)) << read.error();
  EXPECT_EQ(read->launches[0].kernel, plan->launches[0].kernel);
  EXPECT_EQ(read->images[0].data, plan->images[0].data);
}

/// Kernels with a ring wait for those in front, plain ones do not: here the
/// transposition of x and dy is in front of the products.
TEST(Compiler, kernelsWaitFromSm90On) {
  for (auto [target, waits] :
       {std::pair("sm_89", false), {"sm_90", true}, {"sm_90a", true}}) {
    SCOPED_TRACE(target);
    std::unique_ptr<SourceModule> source = moduleOf(
        "wgrad n=8 c=64 h=15 w=15 k=64 r=3 s=3 pad=1 type=bf16 layout=nchw");
    CompileOptions options = withoutTarget();
    options.target = target;
    Result<Plan> plan = compile(*source, options);
    ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
    ASSERT_GE(plan->launches.size(), 2u);
    EXPECT_EQ(plan->launches[0].dynamicSharedBytes, 0);
    EXPECT_FALSE(plan->launches[0].waits);
    for (const PlanLaunch &launch : plan->launches)
      EXPECT_EQ(launch.waits, waits && launch.dynamicSharedBytes > 0)
          << launch.kernel;
    EXPECT_GT(plan->launches[1].dynamicSharedBytes, 0);
  }
}

TEST(Compiler, emptyBatchLaunchesNothing) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward n=0 c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Plan> plan = compile(*source, withoutTarget());
  ASSERT_TRUE(static_cast<bool>(plan)) << plan.error();
  EXPECT_TRUE(plan->launches.empty());
  EXPECT_TRUE(plan->images.empty());
}

TEST(Compiler, saysWhichScheduleCannotRun) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  CompileOptions options = withoutTarget();
  options.schedule = "tile=256x256x64 warps=4x4 stages=8";
  Result<Plan> plan = compile(*source, options);
  ASSERT_FALSE(static_cast<bool>(plan));
  EXPECT_NE(plan.error().find("shared memory"), std::string::npos);
}

TEST(Compiler, cubinNeedsPtxas) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  Result<Bytes> cubin = emitCubin(*source, CompileOptions());
  ASSERT_FALSE(static_cast<bool>(cubin));
  EXPECT_NE(cubin.error().find("ptxas"), std::string::npos);
}

TEST(Compiler, saysWhichStepItIsAt) {
  std::unique_ptr<SourceModule> source =
      moduleOf("forward c=8 h=4 w=4 k=8 r=1 s=1");
  CompileOptions options;
  options.target = "sm_80";
  std::string steps;
  options.onStep = [&](const std::string &name) { steps += name + "; "; };
  ASSERT_TRUE(emitModule(*source, Form::F8, options));
  EXPECT_EQ(steps, "lowering; ");
  for (auto emit : {emitLlvm, emitPtx}) {
    steps.clear();
    ASSERT_TRUE(emit(*source, options));
    EXPECT_EQ(steps, "lowering; generating PTX; ");
  }
}

TEST(Compiler, formsHaveNames) {
  EXPECT_EQ(parseForm("f0"), Form::F0);
  EXPECT_EQ(parseForm("f8"), Form::F8);
  EXPECT_EQ(parseForm("f5"), Form::F5);
  EXPECT_FALSE(parseForm("f9"));
  EXPECT_FALSE(parseForm(""));
}
