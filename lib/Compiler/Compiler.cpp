//===- Compiler.cpp - from a function to a plan ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/Compiler.h"
#include "Code/Lowering.h"
#include "Plan/PlanWork.h"
#include "conv/Compiler/KernelCode.h"
#include "conv/Compiler/PlanBuilder.h"
#include "conv/Compiler/PtxAssembler.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/Origin.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <chrono>
#include <set>

using namespace mlir;
using namespace convmlir;

static void step(const CompileOptions &options, const std::string &name) {
  if (options.onStep)
    options.onStep(name);
}

static Bytes toBytes(StringRef text) { return Bytes(text.begin(), text.end()); }

/// The kernels of a module of form F8; null where every launch was empty.
static Result<gpu::GPUModuleOp> kernelsOf(ModuleOp module) {
  SmallVector<gpu::GPUModuleOp> all(module.getOps<gpu::GPUModuleOp>());
  if (all.size() > 1)
    return conv::errorAt(all[1].getLoc(),
                         "expected all kernels in one gpu.module, but there "
                         "are @" +
                             all[0].getName() + " and @" + all[1].getName());
  return all.empty() ? gpu::GPUModuleOp() : all.front();
}

//===----------------------------------------------------------------------===//
// Stages before the plan
//===----------------------------------------------------------------------===//

Result<std::string> convmlir::emitModule(const SourceModule &source, Form form,
                                         const CompileOptions &options) {
  step(options, "lowering");
  Result<OwningOpRef<ModuleOp>> module = lower(source, form, options);
  if (!module)
    return module.takeError();
  if (form != Form::F0)
    conv::setOrigin(**module, getDefinition(source));
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  stream << '\n';
  return text;
}

static Result<conv::TargetCode> targetCodeOf(const SourceModule &source,
                                             const CompileOptions &options) {
  step(options, "lowering");
  Result<OwningOpRef<ModuleOp>> module = lower(source, Form::F8, options);
  if (!module)
    return module.takeError();
  Result<gpu::GPUModuleOp> kernels = kernelsOf(**module);
  if (!kernels)
    return kernels.takeError();
  if (!*kernels)
    return Error{source.description() + ": there is no kernel to emit"};
  step(options, "generating PTX");
  return conv::generateTargetCode(*kernels, options.target);
}

Result<std::string> convmlir::emitLlvm(const SourceModule &source,
                                       const CompileOptions &options) {
  Result<conv::TargetCode> code = targetCodeOf(source, options);
  return code ? Result<std::string>(std::move(code->llvm))
              : Result<std::string>(code.takeError());
}

Result<std::string> convmlir::emitPtx(const SourceModule &source,
                                      const CompileOptions &options) {
  Result<conv::TargetCode> code = targetCodeOf(source, options);
  return code ? Result<std::string>(std::move(code->ptx))
              : Result<std::string>(code.takeError());
}

Result<Bytes> convmlir::emitCubin(const SourceModule &source,
                                  const CompileOptions &options) {
  if (options.ptxas.empty())
    return Error{"a cubin needs ptxas of a CUDA toolkit: expected it in "
                 "--cuda-path, CUDA_HOME, PATH or /usr/local/cuda, found none"};
  Result<conv::TargetCode> code = targetCodeOf(source, options);
  if (!code)
    return code.takeError();
  step(options, "running ptxas");
  Result<AssembledPtx> assembled =
      assemblePtx(options.ptxas, code->ptx, options.target, options.ptxasLimit);
  return assembled ? Result<Bytes>(std::move(assembled->cubin))
                   : Result<Bytes>(assembled.takeError());
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// What becomes of the sums, where they are not the result. Empty: they are.
static std::string describeResult(const Problem &problem) {
  const std::string &out = problem.outType;
  std::string sums = accumulationType(problem.type);
  std::string epilogue = problem.epilogueType();
  std::string text;
  if (epilogue != sums)
    text = ", which is rounded to " + epilogue + " for the epilogue";
  if (out == epilogue)
    return text;
  text += text.empty() ? ", which is " : ", then ";
  if (out == "s8")
    return text +
           (epilogue == sums ? ""
                             : "rounded to the nearest integer, to "
                               "an even one between two, and ") +
           "saturated to " + out;
  bool saturates = out == "e4m3" || out == "e5m2";
  return text + "rounded once to " + out + (saturates ? " and saturated" : "");
}

/// The same of one convolution of a module or of a problem line.
static std::string describePrecision(const Problem &problem, bool isLine,
                                     const Plan &plan) {
  bool isOfOneType = problem.secondType.empty();
  std::string text = (isOfOneType ? problem.type + " products"
                                  : "products of " + problem.type + " and " +
                                        problem.secondType) +
                     " are summed in " + accumulationType(problem.type);
  if (problem.type == "s8")
    text += ", modulo 2^32";
  if (problem.type == "tf32")
    text = "f32 inputs are rounded to tf32, and " + text;
  bool isFloat8 = problem.type == "e4m3" || problem.type == "e5m2";
  if (isFloat8 && plan.schedule.find("mma=wgmma") != std::string::npos)
    text += " (those of a block of gemm-k first, with 14 significant bits)";
  return isLine ? text + describeResult(problem) : text;
}

/// "bf16 products are summed in f32, which is rounded once to bf16".
static std::string describePrecision(const SourceModule &source,
                                     const Plan &plan) {
  if (source.convolutions().empty())
    return "every operation in the type that it is written in";
  std::set<std::string> statements;
  for (const Problem &problem : source.convolutions())
    statements.insert(
        describePrecision(problem, source.problem().has_value(), plan));
  std::string text = llvm::join(statements, "; ");
  if (source.gainsPrecision())
    text += "; where the text has a narrower type for products or sums, this "
            "is more precise (--precision=text is not)";
  if (plan.schedule.find("merge=") != std::string::npos)
    text += "; groups are merged, so that an infinity or NaN of one makes NaN "
            "in others";
  return text;
}

static void addImage(Plan &plan, ImageKind kind, Bytes data) {
  int64_t index = plan.images.size();
  plan.images.push_back({kind, std::move(data)});
  for (PlanLaunch &launch : plan.launches)
    launch.images.push_back(index);
}

static void addResources(Plan &plan,
                         const std::vector<KernelResources> &kernels) {
  llvm::StringMap<const KernelResources *> ofKernel;
  for (const KernelResources &kernel : kernels)
    ofKernel[kernel.kernel] = &kernel;
  for (PlanLaunch &launch : plan.launches)
    if (const KernelResources *found = ofKernel.lookup(launch.kernel)) {
      launch.registers = found->registers;
      launch.staticSharedBytes = found->staticSharedBytes;
    }
}

static Status reportFlaws(const AssembledPtx &assembled,
                          const CompileOptions &options) {
  if (std::string flaws = describeFlaws(assembled);
      options.refuseFlaws && !flaws.empty())
    return Error{"ptxas: " + flaws};
  if (options.onWarning)
    for (const std::string &loss : assembled.losses)
      options.onWarning("ptxas: " + loss);
  return {};
}

/// The cubin comes first; PTX serves GPUs newer than the target.
static Status addTargetImages(Plan &plan, gpu::GPUModuleOp kernels,
                              const CompileOptions &options) {
  step(options, "generating PTX");
  Result<conv::TargetCode> code =
      conv::generateTargetCode(kernels, options.target);
  if (!code)
    return code.takeError();
  if (!options.ptxas.empty()) {
    step(options, "running ptxas");
    Result<AssembledPtx> assembled = assemblePtx(
        options.ptxas, code->ptx, options.target, options.ptxasLimit);
    if (!assembled)
      return assembled.takeError();
    if (Status status = reportFlaws(*assembled, options); !status)
      return status;
    addResources(plan, assembled->kernels);
    addImage(plan, ImageKind::Cubin, std::move(assembled->cubin));
  }
  addImage(plan, ImageKind::Ptx, toBytes(code->ptx));
  return {};
}

static conv::SignatureNames namesOf(const SourceModule &source) {
  conv::SignatureNames names;
  for (const TensorSpec &spec : source.arguments())
    names.arguments.push_back(spec.name);
  for (const TensorSpec &spec : source.results())
    names.results.push_back(spec.name);
  return names;
}

static bool isEmpty(const TensorSpec &spec) { return spec.numElements() == 0; }

/// The plan of a function whose results have no elements: nothing to launch.
static Plan emptyPlan(const SourceModule &source) {
  Plan plan;
  plan.entry = source.impl().entry.getName().str();
  plan.remarks = source.remarks();
  auto add = [&](const std::vector<TensorSpec> &specs, BufferRole role) {
    for (auto [i, spec] : llvm::enumerate(specs))
      plan.buffers.push_back({spec.name,
                              role,
                              static_cast<int64_t>(i),
                              *parseElementType(spec.type),
                              spec.shape,
                              {}});
  };
  add(source.arguments(), BufferRole::Argument);
  add(source.results(), BufferRole::Result);
  return plan;
}

/// The IR has f32 where the problem has numbers of tf32, which lie in memory
/// alike.
static void restoreTypes(Plan &plan, const SourceModule &source) {
  for (PlanBuffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Argument)
      buffer.type = *parseElementType(source.arguments()[buffer.position].type);
}

/// Schedules were chosen for it; this is what the plan has in the end.
static Status checkWorkspace(const Plan &plan, const CompileOptions &options) {
  int64_t bytes = plan.workspaceBytes();
  if (!options.maxWorkspace || bytes <= *options.maxWorkspace)
    return {};
  return Error{
      "the kernels need " + std::to_string(bytes) + " bytes of workspace, " +
      std::to_string(bytes - *options.maxWorkspace) +
      " more than max-workspace=" + std::to_string(*options.maxWorkspace) +
      " allows"};
}

/// Buffers, launches and code.
static Result<Plan> lowerToPlan(const SourceModule &source,
                                const CompileOptions &options) {
  step(options, "lowering");
  std::vector<std::string> remarks;
  llvm::StringSet<> seen;
  auto addOnce = [&](const std::string &remark) {
    if (seen.insert(remark).second)
      remarks.push_back(remark);
  };
  llvm::for_each(source.remarks(), addOnce);
  Result<OwningOpRef<ModuleOp>> module =
      lower(source, Form::F8, options, addOnce);
  if (!module)
    return module.takeError();
  auto host =
      (*module)->lookupSymbol<func::FuncOp>(source.impl().entry.getName());
  Result<Plan> plan = conv::buildPlan(host, namesOf(source));
  if (!plan)
    return plan;
  if (Status status = checkWorkspace(*plan, options); !status)
    return status.takeError();
  plan->multiprocessors = conv::getChip(host).multiprocessors;
  plan->remarks = std::move(remarks);
  restoreTypes(*plan, source);
  if (plan->launches.empty())
    return plan;
  Result<gpu::GPUModuleOp> kernels = kernelsOf(**module);
  if (!kernels)
    return kernels.takeError();
  if (options.targetCode)
    if (Status status = addTargetImages(*plan, *kernels, options); !status)
      return status.takeError();
  addImage(*plan, ImageKind::Nvvm, toBytes(conv::printKernels(*kernels)));
  return plan;
}

Status convmlir::canImplement(const Problem &problem,
                              const CompileOptions &options) {
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(problem);
  if (!source)
    return source.takeError();
  if (llvm::all_of((*source)->results(), isEmpty))
    return {};
  Result<OwningOpRef<ModuleOp>> module = lower(**source, Form::F1, options);
  return module ? Status() : Status(module.takeError());
}

Result<Plan> convmlir::compile(const SourceModule &source,
                               const CompileOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  Result<Plan> plan = llvm::all_of(source.results(), isEmpty)
                          ? Result<Plan>(emptyPlan(source))
                          : lowerToPlan(source, options);
  if (!plan)
    return plan;
  plan->target = options.target;
  plan->problem = source.description();
  plan->precision = describePrecision(source, *plan);
  plan->deterministic = true;
  addWork(*plan, source);
  std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - begin;
  plan->compileMs = spent.count();
  if (Status status = validate(*plan); !status)
    return Error{(source.impl().form == Form::F0
                      ? "the compiler made an invalid plan: "
                      : source.description() + ": cannot run: ") +
                 status.error()};
  return plan;
}
