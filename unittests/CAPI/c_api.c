/*===- c_api.c - the C API in C -------------------------------------------===*\
|*                                                                            *|
|* Part of the conv-mlir project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Compiles a convolution, runs it on the emulator and compares a few sums.   *|
|* C11, and nothing but the API: exit status 0 where all is as expected.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "conv-c/Cache.h"
#include "conv-c/Compiler.h"
#include "conv-c/Tuning.h"
#include "conv-c/Cuda.h"
#include "conv-c/Jax.h"
#include "conv-c/Plan.h"
#include "conv-c/Problem.h"
#include "conv-c/Support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "%s: %s\n", what, convmlir_last_error());
  exit(1);
}

/* The bits of 1, 2 and 18 in f16. */
enum { ONE = 0x3c00, TWO = 0x4000, EIGHTEEN = 0x4c80 };

static void fillWith(uint16_t *values, size_t count, uint16_t bits) {
  for (size_t i = 0; i < count; ++i)
    values[i] = bits;
}

int main(void) {
  static const char line[] = "forward c=9 h=2 w=3 k=8 r=1 s=1 type=f16";
  convmlir_problem problem = {.size = sizeof problem};
  expect(convmlir_problem_parse(line, &problem) == CONVMLIR_OK, "parse");
  expect(problem.op == CONVMLIR_FORWARD && problem.output[1] == 3,
         "the problem's numbers");

  convmlir_compile_options options = {
      .size = sizeof options, .target = "sm_80", .emulator_only = 1};
  convmlir_plan *plan = NULL;
  expect(convmlir_compile_problem(line, &options, &plan) == CONVMLIR_OK,
         "compile");
  convmlir_plan_info info = {.size = sizeof info};
  expect(convmlir_plan_describe(plan, &info) == CONVMLIR_OK, "describe");
  expect(info.operands == 3 && info.arguments == 2 && info.launches == 1,
         "the plan's counts");

  uint16_t x[2 * 3 * 9], w[8 * 9], y[2 * 3 * 8];
  void *operands[] = {x, w, y};
  fillWith(x, sizeof x / sizeof *x, ONE);
  fillWith(w, sizeof w / sizeof *w, TWO);
  expect(convmlir_emulate(plan, operands, 3) == CONVMLIR_OK, "emulate");
  for (size_t i = 0; i < sizeof y / sizeof *y; ++i)
    expect(y[i] == EIGHTEEN, "a sum");
  convmlir_plan_destroy(plan);

  expect(convmlir_problem_parse("backward", &problem) == CONVMLIR_BAD_INPUT &&
             strstr(convmlir_last_error(), "forward") != NULL,
         "an error");
  return 0;
}
