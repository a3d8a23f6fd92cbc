//===- SourceModule.cpp - a function to compile ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/SourceModule.h"
#include "ConstantResources.h"
#include "SourceModuleImpl.h"
#include "conv/Compiler/Diagnostics.h"
#include "conv/Compiler/ModuleReference.h"
#include "conv/Compiler/ParserGuard.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Conversion/ImportPrecision.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"
#include "conv/Pipelines/Registration.h"
#include "conv/Support/BracketNesting.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace convmlir;
using conv::errorAt;

/// Kernels are lowered one module at a time: threads would only cost their
/// start.
std::unique_ptr<MLIRContext> convmlir::createContext() {
  DialectRegistry registry;
  conv::registerDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The functions that may be compiled, for messages: "@a, @b".
static std::string listNames(ArrayRef<func::FuncOp> functions) {
  return llvm::join(llvm::map_range(functions,
                                    [](func::FuncOp function) {
                                      return "@" + function.getName().str();
                                    }),
                    ", ");
}

static Result<func::FuncOp> findEntry(ModuleOp module, const std::string &path,
                                      const std::string &entry) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!entry.empty() && function.getName() == entry &&
        !function.isDeclaration())
      return function;
    if (function.isPublic() && !function.isDeclaration())
      candidates.push_back(function);
  }
  if (!entry.empty())
    return Error{path + ": there is no function @" + entry + " with a body" +
                 (candidates.empty() ? std::string()
                                     : "; there are " + listNames(candidates))};
  if (candidates.empty())
    return Error{path + ": expected a public function, but there is none"};
  if (candidates.size() > 1)
    return Error{path + ": expected --entry=NAME, one of " +
                 listNames(candidates)};
  return candidates.front();
}

static Result<TensorSpec> specOf(Type type, std::string name, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementType> element;
  if (tensor && tensor.hasStaticShape())
    element = conv::getElementType(tensor.getElementType());
  if (!element) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return errorAt(loc, name + ": expected a tensor of a static shape and of " +
                            elementTypeNames() + ", got " + text);
  }
  return TensorSpec{
      std::move(name),
      std::vector<int64_t>(tensor.getShape().begin(), tensor.getShape().end()),
      toString(*element)};
}

static Status readSignature(func::FuncOp function, std::vector<TensorSpec> &to,
                            TypeRange types, const std::string &prefix) {
  for (auto [i, type] : llvm::enumerate(types)) {
    Result<TensorSpec> spec =
        specOf(type, prefix + std::to_string(i), function.getLoc());
    if (!spec)
      return spec.takeError();
    to.push_back(std::move(*spec));
  }
  return {};
}

/// The results must be distinct values that the function computes: each becomes
/// a buffer that a kernel writes.
static Status checkReturn(func::FuncOp function) {
  std::string name = "@" + function.getName().str();
  if (!function.getBody().hasOneBlock())
    return errorAt(function.getLoc(), name + ": expected one block");
  Operation *terminator = function.getBody().front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return errorAt(function.getLoc(), name + ": expected at least one result");
  llvm::SmallDenseSet<Value> seen;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    std::string result = name + ": result " + std::to_string(i);
    if (isa<BlockArgument>(value))
      return errorAt(terminator->getLoc(),
                     result + " is an argument: expected a computed value");
    if (value.getDefiningOp<tensor::EmptyOp>())
      return errorAt(terminator->getLoc(),
                     result + " is an empty tensor: expected a computed value");
    if (!seen.insert(value).second)
      return errorAt(terminator->getLoc(),
                     result + " is returned already: expected another value");
  }
  return {};
}

/// The host code of a plan is a list of launches.
static Status checkOperations(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (isa<CallOpInterface, RegionBranchOpInterface>(op))
      return errorAt(op.getLoc(),
                     "'" + op.getName().getStringRef().str() +
                         "' has no kernel: expected convolutions and linalg "
                         "operations, no calls and no control flow");
  return {};
}

/// In a list of numbers the least integer stands for an operand. MLIR verifies
/// that there is one, but not of these (docs/Upstream.md).
static bool lacksOperands(Operation *op) {
  auto differ = [](ArrayRef<int64_t> numbers, OperandRange operands) {
    return size_t(llvm::count_if(numbers, ShapedType::isDynamic)) !=
           operands.size();
  };
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return differ(pad.getStaticLow(), pad.getLow()) ||
           differ(pad.getStaticHigh(), pad.getHigh());
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return differ(pack.getStaticInnerTiles(), pack.getInnerTiles());
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return differ(unpack.getStaticInnerTiles(), unpack.getInnerTiles());
  return false;
}

static Status checkOperands(func::FuncOp function) {
  Status status;
  function.walk([&](Operation *op) {
    if (!lacksOperands(op))
      return WalkResult::advance();
    status = errorAt(op->getLoc(),
                     "'" + op->getName().getStringRef() +
                         "' has a number of " + Twine(ShapedType::kDynamic) +
                         ", which stands for an operand: expected as many "
                         "operands");
    return WalkResult::interrupt();
  });
  return status;
}

/// Where the contents of a tensor are made: behind views of all of it.
static Value skipReshapes(Value value) {
  while (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether an operation computes with the elements of an operand.
static bool readsElements(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto convolution = dyn_cast<conv::ConvOpInterface>(op))
    return operand.get() != convolution.getDest() ||
           convolution.getAccumulate();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.payloadUsesValueFromOperand(&operand);
}

/// What a tensor.empty holds is undefined: it is written before it is read.
static Status checkReads(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    for (OpOperand &operand : op.getOpOperands())
      if (readsElements(operand) &&
          skipReshapes(operand.get()).getDefiningOp<tensor::EmptyOp>())
        return errorAt(op.getLoc(),
                       "'" + op.getName().getStringRef().str() +
                           "' reads operand " +
                           std::to_string(operand.getOperandNumber()) +
                           ", a tensor.empty, whose contents are undefined: "
                           "expected a tensor that is written first, as by "
                           "linalg.fill");
  return {};
}

/// Kernels are named after the function, and PTX allows few characters.
static Status checkName(func::FuncOp function) {
  for (char c : function.getName())
    if (!llvm::isAlnum(c) && c != '_')
      return errorAt(function.getLoc(),
                     "@\"" + function.getName().str() +
                         "\": expected a name of letters, digits and '_'");
  return {};
}

static Result<std::vector<Problem>> findConvolutions(func::FuncOp function) {
  std::vector<Problem> problems;
  Status status;
  function.walk([&](conv::ConvOpInterface op) {
    Result<Problem> problem = conv::getProblem(op);
    if (problem) {
      problems.push_back(std::move(*problem));
      return WalkResult::advance();
    }
    status = errorAt(op->getLoc(), problem.error());
    return WalkResult::interrupt();
  });
  if (!status)
    return status.takeError();
  return problems;
}

/// Also those of the scalars within operations, which round as tensors do.
static std::vector<ElementType> findComputedTypes(func::FuncOp function) {
  std::vector<ElementType> types;
  function.walk([&](Operation *op) {
    for (Type result : op->getResultTypes())
      if (auto type = conv::getElementType(getElementTypeOrSelf(result));
          type && !llvm::is_contained(types, *type))
        types.push_back(*type);
  });
  return types;
}

static bool computesFloats(func::FuncOp function) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  return function
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isFloat) ||
                       llvm::any_of(op->getResultTypes(), isFloat)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the functions of the module that `op` names.
static void addNamed(Operation &op, const SymbolTable &functions,
                     llvm::SetVector<Operation *> &named) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&op);
  if (!uses)
    return;
  for (SymbolTable::SymbolUse use : *uses)
    if (Operation *function =
            functions.lookup(use.getSymbolRef().getRootReference()))
      named.insert(function);
}

/// Other functions would be compiled too, and need not be of form F0. Those
/// stay that the entry names, or what stays beside the functions.
static void eraseOthers(ModuleOp module, func::FuncOp entry) {
  SymbolTable functions(module);
  llvm::SetVector<Operation *> kept;
  kept.insert(entry);
  for (Operation &op : *module.getBody())
    if (!isa<func::FuncOp>(op))
      addNamed(op, functions, kept);
  for (size_t i = 0; i < kept.size(); ++i)
    addNamed(*kept[i], functions, kept);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!kept.contains(function))
      function.erase();
}

/// Convolutions of linalg become those of the conv dialect, tensors that are
/// padded with zeros in front of them their padding, and elementwise operations
/// generic ones.
static LogicalResult importLinalg(ModuleOp module, Precision precision) {
  MLIRContext *context = module.getContext();
  PassManager pm(context, ModuleOp::getOperationName());
  pm.addPass(conv::createConvertLinalgToConv({precision}));
  pm.addPass(conv::createConvGeneralizeElementwise());
  if (failed(pm.run(module)))
    return failure();
  RewritePatternSet patterns(context);
  conv::populateFoldPaddingPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false);
  return applyPatternsGreedily(module, std::move(patterns), config);
}

//===----------------------------------------------------------------------===//
// SourceModule
//===----------------------------------------------------------------------===//

SourceModule::SourceModule(std::unique_ptr<Impl> state)
    : state(std::move(state)) {}
SourceModule::~SourceModule() = default;

Result<std::unique_ptr<SourceModule>>
SourceModule::fromProblem(const Problem &problem) {
  auto state = std::make_unique<Impl>();
  state->context = createContext();
  conv::DiagnosticCollector diagnostics(state->context.get());
  Result<OwningOpRef<ModuleOp>> module =
      conv::importProblem(state->context.get(), problem);
  if (!module)
    return module.takeError();
  state->module = std::move(*module);
  if (failed(state->module->verify()))
    return diagnostics.take("the problem has no valid IR");
  state->entry = *state->module->getOps<func::FuncOp>().begin();
  state->description = toString(problem);
  state->problem = problem;
  state->convolutions.push_back(problem);
  state->arguments = problem.arguments();
  state->results = problem.results();
  return std::unique_ptr<SourceModule>(new SourceModule(std::move(state)));
}

/// The parser gives the scalar operations within a named operation of linalg no
/// place; they get its own.
static void locateNamedBodies(ModuleOp module) {
  module->walk([](linalg::LinalgOp op) {
    op.getBlock()->walk([&](Operation *scalar) {
      if (isa<UnknownLoc>(scalar->getLoc()))
        scalar->setLoc(op->getLoc());
    });
  });
}

/// The parser's advice is for tools that take every dialect.
static Error adviseOnDialects(Error error) {
  size_t advice = error.message.find(" If this is intended");
  bool isUnknown =
      error.message.find("not found for custom") != std::string::npos;
  if (advice == std::string::npos && !isUnknown)
    return error;
  return Error{error.message.substr(0, advice) +
               " Expected operations and types of the builtin, func, conv, "
               "linalg, tensor, arith and math dialects: lower others to these "
               "first (of torch-mlir, to linalg on tensors)"};
}

/// Makes a module of `text`; `name` is what messages call it.
static Status parseInto(SourceModule::Impl &state, std::string_view text,
                        const std::string &name) {
  if (Status status = checkNesting(text, name); !status)
    return status;
  state.context = createContext();
  conv::DiagnosticCollector diagnostics(state.context.get());
  // MLIR's lexer reads the byte behind the text, and goes on where that is no
  // zero (docs/Upstream.md).
  state.module = parseSourceString<ModuleOp>(
      std::string(text), ParserConfig(state.context.get()), name);
  if (!state.module)
    return adviseOnDialects(
        diagnostics.take(name + ": cannot be read as MLIR"));
  locateNamedBodies(*state.module);
  return conv::readConstantResources(*state.module);
}

Result<std::unique_ptr<SourceModule>>
SourceModule::fromFile(const std::string &path, const std::string &entry,
                       Precision precision) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (std::error_code code = file.getError())
    return Error{"cannot read '" + path + "': " + code.message()};
  std::string_view text = (*file)->getBuffer();
  if (Status status = checkParser(text, path); !status)
    return status.takeError();
  return fromText(text, path, entry, precision);
}

Result<std::unique_ptr<SourceModule>>
SourceModule::fromText(std::string_view text, const std::string &name,
                       const std::string &entry, Precision precision) {
  auto state = std::make_unique<Impl>();
  state->precision = precision;
  if (Status status = parseInto(*state, text, name); !status)
    return status.takeError();
  return fromSource(std::move(state), name, entry);
}

/// Keeps the module as it is now, and what the import will change of it.
static void keepText(SourceModule::Impl &state) {
  state.text = cast<ModuleOp>((*state.module)->clone());
  state.textEntry =
      state.text->lookupSymbol<func::FuncOp>(state.entry.getName());
  state.hasFloats = computesFloats(state.textEntry);
  if (state.precision == Precision::More)
    state.textEntry.walk([&](linalg::LinalgOp op) {
      state.gainsPrecision |= conv::gainsPrecision(op);
    });
}

/// The rest of the way for a module that was parsed.
Result<std::unique_ptr<SourceModule>>
SourceModule::fromSource(std::unique_ptr<Impl> state, const std::string &path,
                         const std::string &entry) {
  conv::DiagnosticCollector diagnostics(
      state->context.get(),
      [&remarks = state->remarks](const std::string &text) {
        remarks.push_back(text);
      });
  Result<func::FuncOp> function = findEntry(*state->module, path, entry);
  if (!function)
    return function.takeError();
  if (Status status = readSignature(*function, state->arguments,
                                    function->getArgumentTypes(), "argument");
      !status)
    return status.takeError();
  if (Status status = readSignature(*function, state->results,
                                    function->getResultTypes(), "result");
      !status)
    return status.takeError();
  for (auto check :
       {checkName, checkReturn, checkOperations, checkOperands, checkReads})
    if (Status status = check(*function); !status)
      return status.takeError();
  state->entry = *function;
  state->entry.setPublic();
  eraseOthers(*state->module, state->entry);
  keepText(*state);
  if (failed(importLinalg(*state->module, state->precision)))
    return diagnostics.take(path + ": its convolutions cannot be imported");
  Result<std::vector<Problem>> convolutions = findConvolutions(*function);
  if (!convolutions)
    return convolutions.takeError();
  state->convolutions = std::move(*convolutions);
  state->computedTypes = findComputedTypes(*function);
  size_t count = state->convolutions.size();
  state->description = "@" + function->getName().str() + " of " + path + ": " +
                       std::to_string(count) +
                       (count == 1 ? " convolution" : " convolutions");
  return std::unique_ptr<SourceModule>(new SourceModule(std::move(state)));
}

const std::string &SourceModule::description() const {
  return state->description;
}
const std::optional<Problem> &SourceModule::problem() const {
  return state->problem;
}
const std::vector<ElementType> &SourceModule::computedTypes() const {
  return state->computedTypes;
}

bool SourceModule::hasFloats() const { return state->hasFloats; }
bool SourceModule::gainsPrecision() const { return state->gainsPrecision; }
const std::vector<std::string> &SourceModule::remarks() const {
  return state->remarks;
}

const std::vector<Problem> &SourceModule::convolutions() const {
  return state->convolutions;
}
const std::vector<TensorSpec> &SourceModule::arguments() const {
  return state->arguments;
}
const std::vector<TensorSpec> &SourceModule::results() const {
  return state->results;
}

/// What the reference computes.
static func::FuncOp meaningOf(const SourceModule::Impl &state) {
  return state.textEntry ? state.textEntry : state.entry;
}

Status SourceModule::checkReference() const {
  return conv::checkReference(meaningOf(*state));
}

Result<std::vector<std::vector<double>>>
SourceModule::evaluate(std::vector<std::vector<double>> arguments,
                       const std::function<void(double)> &progress) const {
  return conv::evaluateFunction(meaningOf(*state), std::move(arguments),
                                state->precision, progress);
}
