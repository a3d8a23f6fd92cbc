//===- EmulatedModule.cpp - compiled kernels ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public interface: from IR to a module of host code, and launches of it.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"
#include "Jit.h"
#include "LoweredModule.h"
#include "Lowering/Checks/CheckText.h"
#include "Runtime/Machine/Launch.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace convmlir {

struct EmulatedModule::Impl {
  emu::SiteTable sites;
  std::vector<emu::LoweredKernel> kernels;
  /// What LLVM says while it generates code.
  std::string messages;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

EmulatedModule::EmulatedModule(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}

EmulatedModule::~EmulatedModule() = default;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {

/// Keeps the first error that is emitted in a context, with its location.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
              message.empty())
            message = print(diagnostic);
          return mlir::success();
        }) {}

  Error take(const char *otherwise) {
    return {"emulator: " + (message.empty() ? otherwise : message)};
  }

private:
  static std::string print(const mlir::Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (auto file =
            diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      stream << file.getFilename().getValue() << ':' << file.getLine() << ':'
             << file.getColumn() << ": ";
    stream << diagnostic;
    return text;
  }

  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::gpu::GPUDialect, mlir::DLTIDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  return registry;
}

/// The gpu.module with the kernels, or the module itself.
static mlir::Operation *findDeviceModule(mlir::ModuleOp module) {
  mlir::gpu::GPUModuleOp device;
  module.walk([&](mlir::gpu::GPUModuleOp op) {
    device = op;
    return mlir::WalkResult::interrupt();
  });
  return device ? device.getOperation() : module.getOperation();
}

static Status generate(EmulatedModule::Impl &impl, mlir::ModuleOp module,
                       const EmulatorCompileOptions &options,
                       FirstError &errors) {
  Result<emu::HostTarget> target = emu::detectHostTarget(options.optimize);
  if (!target)
    return target.takeError();
  auto text = [&](const std::string &s) {
    return mlir::StringAttr::get(module.getContext(), s);
  };
  module->setAttr("llvm.data_layout", text(target->dataLayout));
  module->setAttr("llvm.target_triple", text(target->triple));
  if (failed(mlir::verify(module)))
    return errors.take("the lowered module is invalid");
  auto context = std::make_unique<llvm::LLVMContext>();
  emu::collectMessages(*context, impl.messages);
  // What the verification of the translation finds it prints.
  auto llvmModule = mlir::translateModuleToLLVMIR(module, *context, "kernels",
                                                  /*disableVerification=*/true);
  if (!llvmModule)
    return errors.take("the translation to LLVM IR failed");
  if (Status status = emu::verifyCode(*llvmModule); !status)
    return status;
  if (options.optimize)
    if (Status status = emu::optimizeModule(*llvmModule, *target); !status)
      return status;
  emu::instrument(*llvmModule, impl.sites);
  auto jit = emu::generateCode({std::move(llvmModule), std::move(context)},
                               *target, impl.messages);
  if (!jit)
    return jit.takeError();
  impl.jit = std::move(*jit);
  return {};
}

static Status resolveEntries(EmulatedModule::Impl &impl) {
  for (emu::LoweredKernel &kernel : impl.kernels) {
    Result<void *> address =
        emu::lookupSymbol(*impl.jit, emu::entryName(kernel.info.name));
    if (!impl.messages.empty())
      return Error{"emulator: no code for kernel '" + kernel.info.name +
                   "': " + impl.messages};
    if (!address)
      return address.takeError();
    kernel.entry = reinterpret_cast<emu::KernelEntry>(*address);
  }
  return {};
}

Result<std::unique_ptr<EmulatedModule>>
compileForEmulator(std::string_view ir, std::string_view name,
                   const EmulatorCompileOptions &options) {
  // A context of its own: whatever the caller's one has loaded or is doing, the
  // input stays untouched and the translation interfaces are there.
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  llvm::StringRef text(ir.data(), ir.size());
  if (Status status = emu::checkText(ir, std::string(name)); !status)
    return Error{"emulator: " + status.error()};
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects();
  FirstError errors(context);
  // MLIR's lexer reads the byte behind the text (docs/Upstream.md).
  auto source = mlir::parseSourceString<mlir::ModuleOp>(
      text.str(), &context, llvm::StringRef(name.data(), name.size()));
  if (!source)
    return errors.take("the module cannot be parsed");
  auto impl = std::make_unique<EmulatedModule::Impl>();
  auto lowered = mlir::conv::emulator::lowerForHost(findDeviceModule(*source),
                                                    impl->sites, impl->kernels);
  if (failed(lowered))
    return errors.take("the lowering failed");
  if (Status status = generate(*impl, **lowered, options, errors); !status)
    return status.takeError();
  if (Status status = resolveEntries(*impl); !status)
    return status.takeError();
  return std::make_unique<EmulatedModule>(std::move(impl));
}

Result<std::unique_ptr<EmulatedModule>>
compileForEmulator(mlir::Operation *op, const EmulatorCompileOptions &options) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(mlir::writeBytecodeToFile(op, stream)))
    return Error{"emulator: the module cannot be written as bytecode"};
  return compileForEmulator(bytecode, "kernel", options);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

std::vector<EmulatedKernelInfo> EmulatedModule::kernels() const {
  std::vector<EmulatedKernelInfo> result;
  for (const emu::LoweredKernel &kernel : impl->kernels)
    result.push_back(kernel.info);
  return result;
}

/// The kernel of that name, or null.
static const emu::LoweredKernel *findKernel(const EmulatedModule::Impl &impl,
                                            std::string_view name) {
  auto kernel = std::find_if(
      impl.kernels.begin(), impl.kernels.end(),
      [&](const emu::LoweredKernel &k) { return k.info.name == name; });
  return kernel == impl.kernels.end() ? nullptr : &*kernel;
}

Result<EmulatedKernelInfo>
EmulatedModule::check(std::string_view name,
                      const LaunchGeometry &geometry) const {
  const emu::LoweredKernel *kernel = findKernel(*impl, name);
  if (!kernel)
    return Error{"emulator: there is no kernel '" + std::string(name) + "'"};
  if (Status status = emu::checkGeometry(kernel->info, geometry); !status)
    return status.takeError();
  return kernel->info;
}

/// Where the launch's tensor maps lie: no other memory holds one.
static std::vector<const void *> tensorMapsOf(const EmulatedKernelInfo &kernel,
                                              void **arguments) {
  std::vector<const void *> maps;
  for (size_t i = 0; i < kernel.argumentKinds.size(); ++i)
    if (kernel.argumentKinds[i] == EmulatedArgumentKind::TensorMap)
      maps.push_back(arguments[i]);
  return maps;
}

Result<LaunchReport>
EmulatedModule::launch(std::string_view name, const LaunchGeometry &geometry,
                       void **arguments, const EmulatorMemory &memory,
                       const LaunchOptions &options) const {
  if (Result<EmulatedKernelInfo> checked = check(name, geometry); !checked)
    return checked.takeError();
  const emu::LoweredKernel *kernel = findKernel(*impl, name);
  emu::LaunchContext context;
  context.kernelName = kernel->info.name;
  context.entry = kernel->entry;
  context.arguments = arguments;
  context.tensorMaps = tensorMapsOf(kernel->info, arguments);
  context.memory = &memory;
  context.geometry = geometry;
  context.options = options;
  context.sharedBytes =
      kernel->info.staticSharedBytes + geometry.dynamicSharedBytes;
  context.mailboxBytes = kernel->mailboxBytes;
  context.siteCount = impl->sites.size();
  context.registersPerThread = emu::registersAtLaunch(
      geometry.block[0] * geometry.block[1] * geometry.block[2],
      kernel->workgroupsPerMultiprocessor, kernel->registerLimit);
  context.usesAsyncProxy = kernel->usesAsyncProxy;
  return emu::runLaunch(context);
}

} // namespace convmlir
