//===- Compiler.cpp - compilation in C ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Compiler.h"
#include "Handles.h"
#include "Options.h"
#include "conv/Compiler/EmulatorDevice.h"
#include "conv/Compiler/ParserGuard.h"
#include "conv/Compiler/PtxAssembler.h"
#include "conv/Runtime/Executor.h"

#include <cstdlib>

using namespace convmlir;
using namespace convmlir::capi;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static convmlir_status compileTo(convmlir_plan **plan,
                                 Result<std::unique_ptr<SourceModule>> source,
                                 const convmlir_compile_options &given) {
  if (!source)
    return badInput(source.error());
  TuningRecordsReader reader;
  Result<CompileOptions> options = toOptions(given, reader);
  if (!options)
    return badInput(options.error());
  return give(compile(**source, *options), plan);
}

convmlir_status
convmlir_compile_problem(const char *problem,
                         const convmlir_compile_options *options,
                         convmlir_plan **plan) {
  return guardedWithFloats([&] {
    if (!problem || !plan)
      return missing(problem ? "plan" : "problem");
    Result<convmlir_compile_options> read = readOptions(options);
    if (!read)
      return badInput(read.error());
    Result<Problem> parsed = parseProblem(problem);
    if (!parsed)
      return badInput(parsed.error());
    return compileTo(plan, SourceModule::fromProblem(*parsed), *read);
  });
}

static Status canImplement(const char *problem,
                           const convmlir_compile_options *given) {
  Result<convmlir_compile_options> read = readOptions(given);
  if (!read)
    return read.takeError();
  Result<Problem> parsed = parseProblem(problem);
  if (!parsed)
    return parsed.takeError();
  TuningRecordsReader reader;
  Result<CompileOptions> options = toOptions(*read, reader);
  return options ? convmlir::canImplement(*parsed, *options)
                 : Status(options.takeError());
}

convmlir_status convmlir_can_implement(const char *problem,
                                       const convmlir_compile_options *options,
                                       char **why) {
  return guardedWithFloats([&] {
    if (!problem || !why)
      return missing(problem ? "why" : "problem");
    Status status = canImplement(problem, options);
    *why = status ? nullptr : strdup(status.error().c_str());
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_compile_module(const char *module, size_t size,
                                        const char *name,
                                        const convmlir_compile_options *options,
                                        convmlir_plan **plan) {
  return guardedWithFloats([&] {
    if (!module || !name || !plan)
      return missing(!module ? "module" : !name ? "name" : "plan");
    Result<convmlir_compile_options> read = readOptions(options);
    if (!read)
      return badInput(read.error());
    Result<Precision> precision = readPrecision(*read);
    if (!precision)
      return badInput(precision.error());
    std::string_view text(module, size);
    if (Status status = checkParser(text, name); !status)
      return badInput(status.error());
    return compileTo(
        plan,
        SourceModule::fromText(text, name, orEmpty(read->entry), *precision),
        *read);
  });
}

const char *convmlir_targets(void) {
  static const std::string names = [] {
    std::string joined;
    for (const std::string &target : supportedTargets())
      joined += (joined.empty() ? "" : ", ") + target;
    return joined;
  }();
  return names.c_str();
}

convmlir_status convmlir_find_ptxas(const char *cuda_path,
                                    const char *cuda_home,
                                    const char *search_path, char **path) {
  return guarded([&] {
    if (!path)
      return missing("path");
    Result<std::string> found = findPtxas(
        {orEmpty(cuda_path), orEmpty(cuda_home), orEmpty(search_path)});
    if (!found)
      return badInput(found.error());
    *path = found->empty() ? nullptr : strdup(found->c_str());
    return CONVMLIR_OK;
  });
}

//===----------------------------------------------------------------------===//
// The emulator
//===----------------------------------------------------------------------===//

static Status setArgument(Executor &executor, const PlanBuffer &buffer,
                          const void *data) {
  Result<Tensor> tensor = Tensor::create(buffer.type, buffer.shape);
  if (!tensor)
    return tensor.takeError();
  if (!tensor->bytes().empty())
    std::memcpy(tensor->bytes().data(), data, tensor->bytes().size());
  return executor.setArgument(buffer.position, *tensor);
}

static Status readResult(const Executor &executor, const PlanBuffer &buffer,
                         void *data) {
  Result<Tensor> tensor = executor.result(buffer.position);
  if (!tensor)
    return tensor.takeError();
  if (!tensor->bytes().empty())
    std::memcpy(data, tensor->bytes().data(), tensor->bytes().size());
  return {};
}

static Status run(Executor &executor, const convmlir_plan &handle,
                  void *const *operands) {
  const Plan &plan = *handle.plan;
  auto forEach = [&](BufferRole role, auto action) -> Status {
    for (size_t i = 0; i < handle.operands.size(); ++i) {
      size_t index = static_cast<size_t>(handle.operands[i]);
      if (plan.buffers[index].role != role)
        continue;
      if (Status status = action(executor, plan.buffers[index], operands[i]);
          !status)
        return status;
    }
    return {};
  };
  if (Status status = forEach(BufferRole::Argument, setArgument); !status)
    return status;
  if (Status status = executor.run(); !status)
    return status;
  return forEach(BufferRole::Result, readResult);
}

/// What the emulator refuses is wrong with the plan; it fails by what kernels
/// do.
static convmlir_status emulate(const convmlir_plan &plan,
                               void *const *operands) {
  LaunchOptions options;
  options.hostThreads = 0;
  std::unique_ptr<Device> device = createEmulatorDevice(options);
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device, *plan.plan);
  if (!executor)
    return badInput(executor.error());
  Status status = run(**executor, plan, operands);
  return status ? CONVMLIR_OK : deviceFailed(status.error());
}

convmlir_status convmlir_emulate(const convmlir_plan *plan,
                                 void *const *operands, size_t count) {
  return guardedWithFloats([&] {
    if (!plan || !operands)
      return missing(plan ? "operands" : "plan");
    if (count != plan->operands.size())
      return badInput("expected " + std::to_string(plan->operands.size()) +
                      " operands, got " + std::to_string(count));
    for (size_t i = 0; i < count; ++i)
      if (!operands[i])
        return missing(("operands[" + std::to_string(i) + "]").c_str());
    return emulate(*plan, operands);
  });
}
