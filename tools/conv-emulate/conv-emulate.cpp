//===- conv-emulate.cpp - runs one kernel on the emulator -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small developer's tool: compiles the kernels of a file at the nvvm level,
// launches one of them on buffers that the command line describes, and prints
// what came out. The lit tests of the emulator use it.
//
// Exit status: 0 done, 1 a result is wrong, 2 bad usage or input, 3 a fault of
// the kernel (its message is on standard error).
//
//===----------------------------------------------------------------------===//

#include "KernelArgument.h"
#include "ResultChecks.h"
#include "conv/Emulator/Emulator.h"
#include "conv/Support/Message.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <ctime>

using namespace convmlir;
namespace cl = llvm::cl;

namespace {

enum ExitCode { Done = 0, Wrong = 1, BadInput = 2, KernelFault = 3 };

enum class Modes { Late, Early, Both };

struct Options {
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("FILE.mlir, or - for standard input")};
  cl::opt<std::string> kernel{"kernel", cl::desc("Kernel to launch"),
                              cl::Required};
  cl::list<unsigned> grid{"grid", cl::CommaSeparated,
                          cl::desc("Workgroups: X[,Y[,Z]]")};
  cl::list<unsigned> block{"block", cl::CommaSeparated,
                           cl::desc("Threads of a workgroup: X[,Y[,Z]]")};
  cl::list<unsigned> cluster{"cluster", cl::CommaSeparated,
                             cl::desc("Workgroups of a cluster: X[,Y[,Z]]")};
  cl::opt<bool> waits{"waits",
                      cl::desc("The kernel begins before those in front end")};
  cl::opt<unsigned> shared{"smem", cl::desc("Dynamic shared memory in bytes")};
  cl::list<std::string> arguments{
      "arg", cl::desc("Argument: TYPE:COUNT:FILL, TYPE=VALUE, null, or a "
                      "tensor map (see TensorMapArgument.h)")};
  cl::opt<Modes> mode{
      "mode", cl::desc("When asynchronous copies land"), cl::init(Modes::Late),
      cl::values(clEnumValN(Modes::Late, "late", "as late as possible"),
                 clEnumValN(Modes::Early, "early", "at once"),
                 clEnumValN(Modes::Both, "both", "run with both"))};
  cl::opt<uint64_t> seed{"seed", cl::desc("First seed of the schedule")};
  cl::opt<unsigned> seeds{"seeds", cl::desc("Seeds to run"), cl::init(1)};
  cl::opt<bool> poison{"poison",
                       cl::desc("Invalid ldmatrix rows read NaN, no fault")};
  cl::opt<bool> race{"race", cl::desc("Detect races"), cl::init(true)};
  cl::opt<uint64_t> spinLimit{"spin-limit",
                              cl::desc("Idle loop iterations before a fault")};
  cl::opt<unsigned> threads{"host-threads", cl::desc("Host threads"),
                            cl::init(1)};
  cl::opt<bool> optimize{"O1", cl::desc("Optimise the host code")};
  cl::opt<bool> sums{"sums", cl::desc("Print sums over each buffer")};
  cl::list<unsigned> print{"print", cl::CommaSeparated,
                           cl::desc("Print the elements of these buffers")};
  cl::opt<bool> counters{"counters", cl::desc("Print the counters")};
  cl::opt<bool> speed{"speed",
                      cl::desc("Print multiply-adds per second of CPU time")};
  cl::list<unsigned> gemm{
      "gemm", cl::CommaSeparated,
      cl::desc("M,N,K: argument 2 must be argument 0 (MxK) times the transpose "
               "of argument 1 (NxK), exactly")};
  cl::opt<bool> aMn{"a-mn", cl::desc("Argument 0 of --gemm is KxM")};
  cl::opt<bool> bMn{"b-mn", cl::desc("Argument 1 of --gemm is KxN")};
  cl::list<unsigned> forward{
      "forward", cl::CommaSeparated,
      cl::desc("N,H,W,C,K,R,S,PADDING,STRIDE: argument 2 (NPQK) must be the "
               "convolution of argument 0 (NHWC) with argument 1 (KRSC), "
               "exactly")};
};

} // namespace

static int fail(const std::string &message, ExitCode code) {
  llvm::errs() << "conv-emulate: " << shortenMessage(message) << '\n';
  return code;
}

static std::array<uint32_t, 3> extents(const cl::list<unsigned> &values) {
  std::array<uint32_t, 3> result{1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(values.size(), 3); ++i)
    result[i] = values[i];
  return result;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void printCounters(const EmulatorCounters &c) {
  llvm::outs() << "mma flops " << c.mmaFlops << ", instructions "
               << c.mmaInstructions << ", wgmma " << c.wgmmaInstructions << '\n'
               << "global load bytes " << c.globalLoadBytes << ", sectors "
               << c.globalLoadSectors << '\n'
               << "global store bytes " << c.globalStoreBytes << ", sectors "
               << c.globalStoreSectors << '\n'
               << "bulk load bytes " << c.bulkLoadBytes << ", store bytes "
               << c.bulkStoreBytes << '\n'
               << "shared wavefronts " << c.sharedWavefronts << ", conflicts "
               << c.sharedBankConflicts << '\n'
               << "barriers " << c.barriers << '\n';
}

static void printReport(const Options &options, const LaunchReport &report,
                        double cpuSeconds) {
  if (report.poisonedReads)
    llvm::outs() << report.poisonedReads
                 << " poisoned reads, the first: " << report.firstPoisonedRead
                 << '\n';
  if (options.counters)
    printCounters(report.counters);
  if (options.speed)
    llvm::outs() << llvm::formatv("{0:f2} G multiply-adds per CPU second\n",
                                  double(report.counters.mmaFlops) / 2e9 /
                                      cpuSeconds);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

class Session {
public:
  explicit Session(const Options &options) : options(options) {}

  int run();

private:
  Status prepareArguments();
  int launch(AsyncMode mode, uint64_t seed);
  int checkResults();
  Status checkOptions() const;
  GemmProblem gemmProblem() const;
  ForwardProblem forwardProblem() const;

  const Options &options;
  std::unique_ptr<EmulatedModule> module;
  EmulatorMemory memory;
  std::vector<KernelArgument> arguments;
};

} // namespace

Status Session::checkOptions() const {
  if (!options.gemm.empty() &&
      (options.gemm.size() != 3 || arguments.size() < 3))
    return Error{"--gemm=M,N,K needs three numbers and three buffers"};
  if (!options.forward.empty() &&
      (options.forward.size() != 9 || arguments.size() < 3))
    return Error{"--forward needs nine numbers and three buffers"};
  return {};
}

GemmProblem Session::gemmProblem() const {
  return {options.gemm[0], options.gemm[1], options.gemm[2], options.aMn,
          options.bMn};
}

ForwardProblem Session::forwardProblem() const {
  const auto &f = options.forward;
  return {f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]};
}

Status Session::prepareArguments() {
  for (const std::string &text : options.arguments) {
    Result<KernelArgument> argument = KernelArgument::parse(text);
    if (!argument)
      return argument.takeError();
    if (Status status = argument->allocate(memory, arguments); !status)
      return status;
    arguments.push_back(*argument);
  }
  if (Status status = checkOptions(); !status)
    return status;
  for (const EmulatedKernelInfo &kernel : module->kernels())
    if (kernel.name == options.kernel &&
        kernel.argumentBytes.size() != arguments.size())
      return Error{"kernel '" + kernel.name + "' has " +
                   std::to_string(kernel.argumentBytes.size()) +
                   " arguments, " + std::to_string(arguments.size()) +
                   " are given"};
  return {};
}

int Session::checkResults() {
  if (options.sums)
    printSums(arguments);
  for (unsigned index : options.print)
    if (Status status = printElements(arguments, index); !status)
      return fail(status.error(), BadInput);
  bool right = true;
  if (!options.gemm.empty())
    right = checkGemm(arguments, gemmProblem());
  if (!options.forward.empty())
    right &= checkForward(arguments, forwardProblem());
  return right ? Done : Wrong;
}

int Session::launch(AsyncMode mode, uint64_t seed) {
  LaunchGeometry geometry;
  geometry.grid = extents(options.grid);
  geometry.block = extents(options.block);
  geometry.cluster = extents(options.cluster);
  geometry.dynamicSharedBytes = options.shared;
  geometry.waits = options.waits;
  LaunchOptions how;
  how.asyncMode = mode;
  how.seed = seed;
  how.invalidOperands =
      options.poison ? InvalidOperands::Poison : InvalidOperands::Fault;
  how.detectRaces = options.race;
  how.hostThreads = options.threads;
  if (options.spinLimit)
    how.spinLimit = options.spinLimit;
  std::vector<void *> addresses;
  for (KernelArgument &argument : arguments) {
    argument.fill();
    addresses.push_back(argument.address());
  }
  std::clock_t start = std::clock();
  Result<LaunchReport> report = module->launch(
      std::string(options.kernel), geometry, addresses.data(), memory, how);
  double cpuSeconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  if (!report)
    return fail(report.error(), BadInput);
  if (!report->fault.empty())
    return fail(report->fault, KernelFault);
  printReport(options, *report, cpuSeconds);
  return checkResults();
}

int Session::run() {
  auto input = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!input)
    return fail(options.file + ": " + input.getError().message(), BadInput);
  EmulatorCompileOptions how;
  how.optimize = options.optimize;
  auto compiled = compileForEmulator(std::string_view((*input)->getBuffer()),
                                     std::string(options.file), how);
  if (!compiled)
    return fail(compiled.error(), BadInput);
  module = std::move(*compiled);
  if (Status status = prepareArguments(); !status)
    return fail(status.error(), BadInput);
  for (uint64_t i = 0; i < options.seeds; ++i) {
    uint64_t seed = options.seed + i;
    if (options.mode != Modes::Early)
      if (int code = launch(AsyncMode::Late, seed))
        return code;
    if (options.mode != Modes::Late)
      if (int code = launch(AsyncMode::Early, seed))
        return code;
  }
  return Done;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // --help is of this tool: what LLVM's libraries registered is hidden.
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      option->setHiddenFlag(cl::ReallyHidden);
  Options options;
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs one GPU kernel on the CPU, with checks.\n");
  int code = Session(options).run();
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  // A stream that still has an error when the program ends aborts it.
  llvm::outs().clear_error();
  return fail("standard output cannot be written", BadInput);
}
