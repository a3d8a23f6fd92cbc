//===- GemmShapeTest.cpp - the parts of a shape ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parts of a shape an operation fills, and with what.
//
//===----------------------------------------------------------------------===//

#include "ScheduledProblem.h"

#include "conv/Schedule/Schedule.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Three images of 14x14 with 24 channels, and 40 filters of 3x3.
class GemmShapeTest : public ::testing::Test {
protected:
  static constexpr int64_t kImages = 3, kC = 24, kExtent = 14, kK = 40;
  static constexpr int64_t kPixels = kImages * kExtent * kExtent;

  GemmShape getShape(llvm::StringRef kind,
                     Algorithm algorithm = Algorithm::ImplicitGemm,
                     ArrayRef<int64_t> fold = {}, bool kMajor = false) {
    problem.emplace(context, kind, kImages, kC, kExtent, kK);
    return getGemmShape(problem->op, algorithm, /*merge=*/1, MmaKind::Wgmma,
                        fold, kMajor);
  }

  MLIRContext context;
  std::optional<ScheduledProblem> problem;
};

TEST_F(GemmShapeTest, ExtentsOfForwardAndDgradAreSwapped) {
  GemmShape forward = getShape("forward"), dgrad = getShape("dgrad");
  for (const GemmShape *shape : {&forward, &dgrad}) {
    ASSERT_EQ(shape->phases.size(), 1u);
    EXPECT_EQ(shape->phases.front().m, kPixels);
    EXPECT_EQ(shape->phases.front().taps, 9);
    EXPECT_EQ(shape->groups, 1);
    EXPECT_EQ(shape->elementBytes, 2);
    EXPECT_EQ(shape->getResults(), kPixels * shape->n);
  }
  EXPECT_EQ(forward.n, kK);
  EXPECT_EQ(forward.channels, kC);
  EXPECT_EQ(dgrad.n, kC);
  EXPECT_EQ(dgrad.channels, kK);
}

TEST_F(GemmShapeTest, WgradHasTapsOfItsResultAndReducesPixels) {
  GemmShape shape = getShape("wgrad");
  EXPECT_EQ(shape.phases.front().m, kK);
  EXPECT_EQ(shape.n, kC);
  EXPECT_EQ(shape.channels, kPixels);
  EXPECT_EQ(shape.wgrad.resultTaps, 9);
  EXPECT_TRUE(shape.wgrad.reducesRows);
  EXPECT_FALSE(shape.wgrad.isKMajor);
  EXPECT_EQ(shape.getResults(), kK * kC * 9);
}

TEST_F(GemmShapeTest, OthersHaveNothingOfWgrad) {
  for (const char *kind : {"forward", "dgrad"}) {
    GemmShape shape = getShape(kind);
    EXPECT_EQ(shape.wgrad.resultTaps, 1) << kind;
    EXPECT_FALSE(shape.wgrad.reducesRows) << kind;
    EXPECT_FALSE(shape.wgrad.sumsRows) << kind;
    EXPECT_FALSE(shape.wgrad.hasPartsOfTaps) << kind;
  }
}

TEST_F(GemmShapeTest, KMajorWgradHasImagesInThePlaceOfTaps) {
  GemmShape shape = getShape("wgrad", Algorithm::ImplicitGemm, /*fold=*/{},
                             /*kMajor=*/true);
  EXPECT_TRUE(shape.wgrad.isKMajor);
  EXPECT_EQ(shape.phases.front().taps, kImages);
  EXPECT_EQ(shape.channels, kPixels / kImages);
  EXPECT_TRUE(shape.hasImages());
  EXPECT_FALSE(shape.a.isMnMajor);
  EXPECT_TRUE(shape.b.isMnMajor);
}

TEST_F(GemmShapeTest, OperandsLieAlongGemmKAsTheDirectionHasThem) {
  GemmShape forward = getShape("forward");
  EXPECT_FALSE(forward.a.isMnMajor);
  EXPECT_FALSE(forward.b.isMnMajor);
  EXPECT_FALSE(getShape("dgrad").a.isMnMajor);
  EXPECT_TRUE(getShape("dgrad").b.isMnMajor);
  GemmShape wgrad = getShape("wgrad");
  EXPECT_TRUE(wgrad.a.isMnMajor);
  EXPECT_TRUE(wgrad.b.isMnMajor);
  EXPECT_FALSE(wgrad.a.isTransposed);
  EXPECT_FALSE(wgrad.b.isTransposed);
  EXPECT_EQ(wgrad.gathered.transposedBytes, 0);
}

TEST_F(GemmShapeTest, MemoryHasTheTensorsOfTheOperation) {
  GemmShape shape = getShape("forward");
  EXPECT_EQ(shape.memory.readBytes, 2 * (kPixels * kC + kK * 9 * kC));
  EXPECT_EQ(shape.memory.writtenBytes, 2 * kPixels * kK);
  EXPECT_EQ(shape.epilogue.resultBytes, 2);
  EXPECT_EQ(shape.epilogue.readResults, 0);
  EXPECT_FALSE(shape.stored.isTransposed);
  EXPECT_TRUE(shape.isPlain());
}

TEST_F(GemmShapeTest, ImplicitGemmHasAWindow) {
  GemmShape shape = getShape("forward");
  ASSERT_TRUE(shape.views.window);
  EXPECT_EQ(shape.views.window->numTaps(), 9);
  EXPECT_EQ(shape.views.window->numRows(), kPixels);
  EXPECT_FALSE(shape.views.cells);
}

TEST_F(GemmShapeTest, ExplicitIm2colHasOneDimensionOfTapsAndChannels) {
  GemmShape shape = getShape("forward", Algorithm::Im2col);
  EXPECT_EQ(shape.phases.front().taps, 1);
  EXPECT_EQ(shape.channels, 9 * kC);
  EXPECT_FALSE(shape.views.window);
  GemmShape wgrad = getShape("wgrad", Algorithm::Im2col);
  EXPECT_EQ(wgrad.wgrad.resultTaps, 1);
  EXPECT_EQ(wgrad.n, 9 * kC);
}

TEST_F(GemmShapeTest, TheVariantIsWhatTheScheduleRegroups) {
  EXPECT_TRUE(getShape("forward").variant.fold.empty());
  GemmShape shape = getShape("forward", Algorithm::ImplicitGemm, {1, 3});
  EXPECT_EQ(ArrayRef<int64_t>(shape.variant.fold), ArrayRef<int64_t>({1, 3}));
  EXPECT_EQ(shape.phases.front().taps, 3);
  EXPECT_GE(shape.channels, 3 * kC);
}

} // namespace
