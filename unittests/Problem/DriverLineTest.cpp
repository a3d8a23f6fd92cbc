//===- DriverLineTest.cpp - convolutions as MIOpenDriver has them ---------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of MIOpenDriver with the problem that each means, and with the message
// that names the flag which means something else.
//
//===----------------------------------------------------------------------===//

#include "conv/Problem/Problem.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace convmlir;

namespace {

struct Case {
  const char *line;
  const char *expected; ///< The problem, or the beginning of the message.
};

const std::vector<Case> meanings{
    {"./bin/MIOpenDriver convbfp16 -n 256 -c 1024 -H 14 -W 15 -k 2048 -y 1 -x "
     "1 -p 0 -q 0 -u 2 -v 3 -l 1 -j 1 -m conv -g 1 -F 1 -t 1",
     "forward n=256 c=1024 h=14 w=15 k=2048 r=1 s=1 stride=2x3 pad=0 "
     "dilation=1 groups=1 type=bf16 layout=nchw"},
    {"MIOpenDriver convfp16 -n 8 -c 64 -H 9 -W 11 -k 96 -y 3 -x 2 -p 1 -q 0 -u "
     "2 -v 1 -l 1 -j 2 -g 4 -F 2 -I NHWC -O NHWC -f NHWC -V 0 -i 5",
     "dgrad n=8 c=64 h=9 w=11 k=96 r=3 s=2 stride=2x1 pad=1x0 dilation=1x2 "
     "groups=4 type=f16"},
    {"convint8 -n 1 -c 16 -H 9 -W 11 -k 8 -F 1",
     "forward n=1 c=16 h=9 w=11 k=8 r=3 s=3 stride=1 pad=0 dilation=1 groups=1 "
     "type=s8 layout=nchw"},
    // A line of a log.
    {"MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 1 -c "
     "16 -H 9 -W 11 -k 8 -F 2",
     "dgrad n=1 c=16 h=9 w=11 k=8 r=3 s=3 stride=1 pad=0 dilation=1 groups=1 "
     "type=f32 layout=nchw"},
    // What is not given has the driver's default.
    {"conv -F 4", "wgrad n=100 c=3 h=32 w=32 k=32 r=3 s=3 stride=1 pad=0 "
                  "dilation=1 groups=1 type=f32 layout=nchw"},
    {"conv --spatial_dim 3 -n 2 -c 8 -! 5 -H 9 -W 11 -k 12 -@ 1 -y 3 -x 2 -# 1 "
     "-u 2 -v 3 -$ 0 -p 1 -q 2 -^ 1 -l 1 -j 2 -F 1 --in_layout NDHWC "
     "--out_layout=NDHWC --fil_layout NDHWC",
     "forward n=2 c=8 d=5 h=9 w=11 k=12 t=1 r=3 s=2 stride=1x2x3 pad=0x1x2 "
     "dilation=1x1x2 groups=1 type=f32"},
    {"conv -_ 3 --in_d 5 --fil_d 1 --conv_stride_d 2 --pad_d 1 --dilation_d 1 "
     "-F 1",
     "forward n=100 c=3 d=5 h=32 w=32 k=32 t=1 r=3 s=3 stride=2x1x1 pad=1x0x0 "
     "dilation=1 groups=1 type=f32 layout=nchw"},
    // A transposed convolution reads what a convolution gives.
    {"conv -m trans -n 2 -c 24 -H 5 -W 6 -k 16 -y 3 -x 4 -u 2 -v 3 -p 1 -q 0 "
     "-Y 1 -X 2 -F 1",
     "dgrad n=2 c=16 h=10 w=21 k=24 r=3 s=4 stride=2x3 pad=1x0 dilation=1 "
     "groups=1 type=f32 layout=nchw"},
    {"conv -m trans -n 2 -c 24 -H 5 -W 6 -k 16 -y 3 -x 4 -F 2",
     "forward n=2 c=16 h=7 w=9 k=24 r=3 s=4 stride=1 pad=0 dilation=1 groups=1 "
     "type=f32 layout=nchw"},
    {"conv -m trans -n 2 -c 24 -H 5 -W 6 -k 16 -y 3 -x 4 -F 4",
     "wgrad n=2 c=16 h=7 w=9 k=24 r=3 s=4 stride=1 pad=0 dilation=1 groups=1 "
     "type=f32 layout=nchw"},
};

TEST(DriverLine, Means) {
  for (const Case &tested : meanings) {
    Result<Problem> problem = parseProblem(tested.line);
    ASSERT_TRUE(problem) << tested.line << ": " << problem.error();
    EXPECT_EQ(toString(*problem), tested.expected) << tested.line;
  }
}

TEST(DriverLine, GivesAsManyPositionsAsItReads) {
  // Output paddings below the stride change the result alone.
  for (int64_t more : {0, 1, 2}) {
    Result<Problem> problem =
        parseProblem("conv -m trans -c 2 -H 7 -W 6 -k 3 -u 3 -v 3 -p 1 -q 1 -F "
                     "1 -Y " +
                     std::to_string(more));
    ASSERT_TRUE(problem) << problem.error();
    EXPECT_EQ(problem->geometry.output(0), 7);
    EXPECT_EQ(problem->geometry.input[0], 19 + more);
  }
}

const std::vector<Case> refusals{
    {"MIOpenDriver",
     "'': expected conv, convfp16, convbfp16 or convint8 behind "
     "MIOpenDriver"},
    {"MIOpenDriver pool -F 1", "'pool': expected conv, convfp16"},
    {"MIOpen(HIP): Command [LogCmdBNorm] ./bin/MIOpenDriver bnorm -F 1",
     "'bnorm': expected conv, convfp16"},
    {"MIOpen(HIP): Info [get_device_name]", "'MIOpen(HIP):': expected forward"},
    {"MIOpenDriver convfp8 -F 1", "'convfp8': expected conv, convfp16"},
    {"conv -n 1 -c 4",
     "-F: is not given, which means several operations: write "
     "a line for each, with -F 1 (forward), -F 2"},
    {"conv -F 0", "-F 0: means several operations: write a line for each"},
    {"conv -F 3", "-F 3: means several operations"},
    {"conv --forw 6", "--forw 6: means several operations"},
    {"conv -F 1 -Q 3", "-Q: unknown flag of MIOpenDriver's convolutions"},
    {"conv -F 1 --batch 3", "--batch: unknown flag"},
    {"conv -F 1 -n256", "-n256: unknown flag"},
    {"conv -F 1 256", "'256': expected a flag of MIOpenDriver, such as -n 256"},
    {"conv -F 1 -n", "-n: expected a value behind it"},
    {"conv -F 1 -n x", "-n x: expected a whole number from 0 to 1073741823"},
    {"conv -F 1 -n -4", "-n -4: expected a whole number from 0"},
    {"conv -F 1 -H 1073741824", "-H 1073741824: expected a whole number"},
    {"conv -F 1 -n 2 --batchsize 3",
     "--batchsize 3: given twice, first as -n 2"},
    {"conv -F 1 -m transpose", "-m transpose: expected conv or trans"},
    {"conv -F 1 -r 1", "-r 1: expected 0: padding is with zeros"},
    {"conv -F 1 -Z 1", "-Z 1: expected 0"},
    {"conv -F 1 -L 4", "-L 4: expected 1"},
    {"conv -F 1 -b 1", "-b 1: expected 0: a bias is epilogue=bias"},
    {"conv -F 1 -z same", "-z same: expected default: write the padding as -p"},
    {"conv -F 1 -e weights.bin", "-e weights.bin: files of data are given by "
                                 "--input of conv-run"},
    {"conv -F 1 -_ 4", "-_ 4: expected 2 or 3 dimensions"},
    {"conv -F 1 -! 8", "-! 8: is for --spatial_dim 3"},
    {"conv -F 1 -$ 0", "-$ 0: is for --spatial_dim 3"},
    {"conv -F 1 -Y 1", "-Y 1: is for -m trans"},
    {"conv -F 1 -m trans -u 2 -Y 2", "-Y 2: expected less than the stride, 2"},
    {"conv -F 1 -I CHWN", "-I CHWN: expected NCHW or NHWC"},
    {"conv -F 1 -I NCDHW", "-I NCDHW: expected NCHW or NHWC"},
    {"conv -F 1 -_ 3 -O NHWC", "-O NHWC: expected NCDHW or NDHWC"},
    {"conv -F 1 -I NHWC", "-I NHWC beside -O NCHW: expected one layout"},
    {"conv -F 1 -I NHWC -O NHWC -f NCHW", "-I NHWC beside -f NCHW"},
    // The rules of convolutions are those of every line.
    {"conv -F 1 -H 2 -y 5", "conv-c12: filter extent R (5)"},
    {"conv -F 1 -c 4 -g 3", "conv-c5: groups (3)"},
    {"conv -F 1 -u 0", "conv-c"},
    {"conv -F 1 -m trans -H 1 -y 1 -p 3", "conv-c"},
    {"conv -F 1 -m trans -H 1073741823 -u 1073741823", "conv-c"},
};

TEST(DriverLine, IsRefusedByTheFlag) {
  for (const Case &tested : refusals) {
    Result<Problem> problem = parseProblem(tested.line);
    ASSERT_FALSE(problem) << tested.line << ": " << toString(*problem);
    EXPECT_TRUE(problem.error().starts_with(tested.expected))
        << tested.line << ": " << problem.error();
  }
}

} // namespace
