//===- ProcessStateTest.cpp - the process is left as it was ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessState.h"
#include "Handle.h"
#include "conv-c/Problem.h"
#include "conv-c/Tuning.h"

#include <atomic>
#include <cfloat>
#include <cmath>
#include <sys/stat.h>
#include <thread>

using namespace convmlir::test;

namespace fs = std::filesystem;

namespace {

constexpr const char *line = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=f32";

class CProcessState : public testing::Test {
protected:
  CProcessState() {
    std::string pattern = testing::TempDir() + "conv-state-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~CProcessState() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  /// A ptxas of shell.
  std::string script(const std::string &body) const {
    std::ofstream(path("ptxas")) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path("ptxas"), fs::perms::owner_all);
    return path("ptxas");
  }

  std::string folder;
};

/// Every element of the result, of inputs of one value each.
std::vector<float> emulate(const PlanHandle &plan, float x, float w) {
  std::vector<float> xs(5 * 4 * 16, x), ws(8 * 16, w), ys(5 * 4 * 8);
  void *operands[] = {xs.data(), ws.data(), ys.data()};
  EXPECT_EQ(convmlir_emulate(plan.get(), operands, 3), CONVMLIR_OK)
      << convmlir_last_error();
  return ys;
}

TEST_F(CProcessState, savingInThreadsKeepsTheMask) {
  PlanHandle plan = compileForEmulator(line);
  mode_t before = ::umask(S_IWGRP | S_IRWXO);
  std::string mask = readUmask();
  std::atomic<bool> ends = false;
  std::atomic<int> changes = 0;
  std::thread watcher([&] {
    while (!ends)
      changes += readUmask() != mask;
  });
  std::vector<std::thread> savers;
  for (int i = 0; i < 8; ++i)
    savers.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round)
        EXPECT_EQ(
            convmlir_plan_write(plan.get(), path(std::to_string(i)).c_str()),
            CONVMLIR_OK)
            << convmlir_last_error();
    });
  for (std::thread &saver : savers)
    saver.join();
  ends = true;
  watcher.join();
  EXPECT_EQ(::umask(before), S_IWGRP | S_IRWXO);
  EXPECT_EQ(changes, 0);
  for (int i = 0; i < 8; ++i) {
    struct stat info;
    ASSERT_EQ(::stat(path(std::to_string(i)).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
  }
}

TEST_F(CProcessState, everyCallLeavesIt) {
  PlanHandle plan = compileForEmulator(line);
  std::string ptxas = script("echo 'ptxas fatal : no'; exit 1");
  std::vector<std::string> before = readProcessState();

  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  options.ptxas = ptxas.c_str();
  convmlir_plan *other = nullptr;
  EXPECT_EQ(convmlir_compile_problem(line, &options, &other),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(findChanges(before), "") << "a compilation and ptxas";
  options.ptxas = nullptr;
  EXPECT_EQ(convmlir_compile_module("func", 4, "bad.mlir", &options, &other),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(findChanges(before), "") << "a module that is wrong";
  emulate(plan, 1, 2);
  EXPECT_EQ(findChanges(before), "") << "the emulator";
  EXPECT_EQ(convmlir_plan_write(plan.get(), path("x.plan").c_str()),
            CONVMLIR_OK);
  EXPECT_EQ(convmlir_plan_write(plan.get(), path("no/x.plan").c_str()),
            CONVMLIR_BAD_INPUT);
  EXPECT_EQ(convmlir_plan_read(path("x.plan").c_str(), &other), CONVMLIR_OK);
  convmlir_plan_destroy(other);
  EXPECT_EQ(findChanges(before), "") << "plan files";
  EXPECT_EQ(convmlir_add_tuning_record(path("records.json").c_str(), line,
                                       "sm_80", "stages=3", "GPU", 7.5),
            CONVMLIR_OK)
      << convmlir_last_error();
  EXPECT_EQ(findChanges(before), "") << "tuning files";
}

TEST_F(CProcessState, floatsOfTheCallerDoNotMatter) {
  PlanHandle plan = compileForEmulator(line);
  // Denormal products, and sums that round.
  float tiny = FLT_MIN / 8, third = 1.0f / 3;
  std::vector<float> denormals = emulate(plan, tiny, 0.5f);
  std::vector<float> thirds = emulate(plan, third, third);
  EXPECT_EQ(denormals[0], tiny * 8);

  std::fenv_t usual;
  std::fegetenv(&usual);
  std::fesetround(FE_UPWARD);
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
#ifdef __SSE__
  _mm_setcsr(_mm_getcsr() | 0x8040); // Flush to zero, denormals are zeros.
#endif
  std::vector<std::string> before = readProcessState();
  std::vector<float> again = emulate(plan, tiny, 0.5f);
  std::vector<float> thirdsAgain = emulate(plan, third, third);
  std::string changes = findChanges(before);
  std::fesetenv(&usual);
  EXPECT_EQ(changes, "");
  EXPECT_EQ(again, denormals);
  EXPECT_EQ(thirdsAgain, thirds);
}

TEST_F(CProcessState, childrenAreNobodysBusiness) {
  static std::atomic<int> seen = 0;
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ++seen; };
  sigaction(SIGCHLD, &action, &before);
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  std::string ptxas = script("echo 'ptxas fatal : the end'; exit 7");
  options.ptxas = ptxas.c_str();
  convmlir_plan *plan = nullptr;
  auto message = [&] {
    EXPECT_EQ(convmlir_compile_problem(line, &options, &plan),
              CONVMLIR_BAD_INPUT);
    return std::string(convmlir_last_error());
  };
  EXPECT_NE(message().find("status 7: ptxas fatal : the end"),
            std::string::npos);
  EXPECT_EQ(seen, 0);
  // Children that are never waited for keep no status either.
  action.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &action, nullptr);
  EXPECT_NE(message().find("status 7: ptxas fatal : the end"),
            std::string::npos);
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(CProcessState, fileSizeLimitIsAnError) {
  PlanHandle plan = compileForEmulator(line);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = {512, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  convmlir_status status =
      convmlir_plan_write(plan.get(), path("x.plan").c_str());
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status, CONVMLIR_BAD_INPUT);
  EXPECT_NE(std::string(convmlir_last_error()).find("File too large"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(CProcessState, timeoutOfPtxas) {
  convmlir_compile_options options{};
  options.size = sizeof options;
  options.target = "sm_80";
  std::string ptxas = script("sleep 1000");
  options.ptxas = ptxas.c_str();
  options.ptxas_timeout_s = 1;
  convmlir_plan *plan = nullptr;
  EXPECT_EQ(convmlir_compile_problem(line, &options, &plan),
            CONVMLIR_BAD_INPUT);
  EXPECT_NE(std::string(convmlir_last_error()).find("after 1 s"),
            std::string::npos)
      << convmlir_last_error();
  for (double wrong : {-1.0, 0.5, 1e9, DBL_MAX, std::nan("")}) {
    options.ptxas_timeout_s = wrong;
    EXPECT_EQ(convmlir_compile_problem(line, &options, &plan),
              CONVMLIR_BAD_INPUT);
    EXPECT_TRUE(std::string(convmlir_last_error())
                    .starts_with("ptxas_timeout_s: expected 1 to 1000000"))
        << convmlir_last_error();
  }
}

} // namespace
