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
#include "StablehloImport.h"
#include "conv/Compiler/ParserGuard.h"
#include "conv/Compiler/ProblemImport.h"
#include "conv/Conversion/ImportPrecision.h"
#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Dialect/Conv/IR/Origin.h"
#include "conv/Dialect/Conv/IR/ZeroPadding.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Interpreter/ModuleReference.h"
#include "conv/Interpreter/OpProblem.h"
#include "conv/Pipelines/Forms.h"
#include "conv/Pipelines/MissingOperands.h"
#include "conv/Pipelines/Registration.h"
#include "conv/Support/BracketNesting.h"
#include "conv/Transforms/Operations/Passes.h"

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

/// A tensor, or the buffer that became of one.
static ShapedType getDense(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type))
    return buffer.getLayout().isIdentity() ? buffer : ShapedType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  return {}; // A null RankedTensorType is not converted.
}

static Result<TensorSpec> specOf(Type type, std::string name, Location loc) {
  ShapedType tensor = getDense(type);
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

static Status checkOperands(func::FuncOp function) {
  Operation *op = conv::findMissingOperands(function);
  return op ? errorAt(op->getLoc(), conv::describeMissingOperands(op))
            : Status();
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

/// Assertions that hold go, convolutions of linalg become those of the conv
/// dialect, tensors that are padded with zeros in front of them their padding,
/// and elementwise operations generic ones.
static LogicalResult importLinalg(ModuleOp module, Precision precision) {
  MLIRContext *context = module.getContext();
  PassManager convolutions(context, ModuleOp::getOperationName());
  convolutions.addNestedPass<func::FuncOp>(conv::createConvDropAssertions());
  convolutions.addPass(conv::createConvertLinalgToConv({precision}));
  if (failed(convolutions.run(module)))
    return failure();
  RewritePatternSet patterns(context);
  conv::populateFoldPaddingPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false);
  if (failed(applyPatternsGreedily(module, std::move(patterns), config)))
    return failure();
  // Upstream folds a pad that shifts to its source (docs/Upstream.md): none is
  // left when something folds.
  PassManager others(context, ModuleOp::getOperationName());
  others.addNestedPass<func::FuncOp>(conv::createConvExpandPadding());
  others.addPass(conv::createConvGeneralizeElementwise());
  return others.run(module);
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
      error.message.find("not found for custom") != std::string::npos ||
      error.message.find("' is unknown") != std::string::npos;
  if (advice == std::string::npos && !isUnknown)
    return error;
  return Error{
      error.message.substr(0, advice) +
      " Expected operations and types of the builtin, func, conv, "
      "linalg, tensor, arith and math dialects, and those of stablehlo and "
      "chlo in docs/StableHLO.md: lower others to these "
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

/// What messages call a file.
static std::string nameOf(const std::string &path) {
  return path == "-" ? "<stdin>" : path;
}

/// Reads and parses a file, or standard input.
static Status readInto(SourceModule::Impl &state, const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  std::string name = nameOf(path);
  if (std::error_code code = file.getError())
    return Error{"cannot read '" + name + "': " + code.message()};
  std::string_view text = (*file)->getBuffer();
  if (Status status = checkParser(text, name); !status)
    return status;
  return parseInto(state, text, name);
}

Result<std::unique_ptr<SourceModule>>
SourceModule::fromFile(const std::string &path, const std::string &entry,
                       Precision precision, const std::string &reference) {
  auto state = std::make_unique<Impl>();
  state->precision = precision;
  if (Status status = readInto(*state, path); !status)
    return status.takeError();
  std::unique_ptr<SourceModule> definition;
  if (!reference.empty()) {
    Result<std::unique_ptr<SourceModule>> read =
        fromFile(reference, entry, precision);
    if (!read)
      return Error{"--reference: " + read.error()};
    definition = std::move(*read);
  }
  return fromSource(std::move(state), nameOf(path), entry,
                    std::move(definition));
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

/// What a function came from, where its module says so.
static Status readOrigin(SourceModule::Impl &state, const std::string &path) {
  std::string name = state.entry.getName().str();
  std::optional<StringRef> text = conv::getOrigin(*state.module, name);
  if (!text)
    return {};
  Result<std::unique_ptr<SourceModule>> origin =
      SourceModule::fromText(*text, conv::kOriginAttrName.str() + " of " + path,
                             name, state.precision);
  if (!origin)
    return origin.takeError();
  state.definition = std::move(*origin);
  return {};
}

/// "argument0: 2x9x11x40 of f16".
static std::string describe(const TensorSpec &spec) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(spec.shape, stream, "x");
  return spec.name + ": " + text + " of " + spec.type;
}

/// Whether a function has the signature of its definition. Buffers for results
/// are the last arguments, and nothing is returned.
static Status checkSignature(func::FuncOp function, Form form,
                             const SourceModule &definition) {
  bool hasBuffers = form > Form::F3;
  std::vector<TensorSpec> wanted = definition.arguments();
  if (hasBuffers)
    llvm::append_range(wanted, definition.results());
  std::string name = "@" + function.getName().str();
  size_t results = hasBuffers ? 0 : definition.results().size();
  if (function.getNumArguments() != wanted.size() ||
      function.getNumResults() != results)
    return errorAt(function.getLoc(),
                   name + ": expected " + Twine(wanted.size()) +
                       " arguments and " + Twine(results) + " results, as " +
                       definition.description() + " has them, got " +
                       Twine(function.getNumArguments()) + " and " +
                       Twine(function.getNumResults()));
  if (!hasBuffers)
    llvm::append_range(wanted, definition.results());
  auto types = llvm::concat<const Type>(function.getArgumentTypes(),
                                        function.getResultTypes());
  for (auto [type, spec] : llvm::zip(types, wanted)) {
    Result<TensorSpec> own = specOf(type, spec.name, function.getLoc());
    if (!own)
      return own.takeError();
    if (*own != spec)
      return errorAt(function.getLoc(), name + ": expected " + describe(spec) +
                                            ", as " + definition.description() +
                                            " has it, got " + describe(*own));
  }
  return {};
}

/// Everything that is known of a function of form F0, and its import.
static Status readOperations(SourceModule::Impl &state,
                             const std::string &path) {
  conv::DiagnosticCollector diagnostics(
      state.context.get(), [&remarks = state.remarks](const std::string &text) {
        remarks.push_back(text);
      });
  func::FuncOp function = state.entry;
  if (Status status = readSignature(function, state.arguments,
                                    function.getArgumentTypes(), "argument");
      !status)
    return status;
  if (Status status = readSignature(function, state.results,
                                    function.getResultTypes(), "result");
      !status)
    return status;
  for (auto check : {checkReturn, checkOperations, checkOperands, checkReads})
    if (Status status = check(function); !status)
      return status;
  keepText(state);
  if (conv::hasStablehlo(*state.module)) {
    if (failed(conv::importStablehlo(*state.module)))
      return diagnostics.take(path + ": StableHLO cannot be imported");
    // A reshape or a conversion may have been none.
    if (Status status = checkReturn(function); !status)
      return status;
  }
  if (failed(importLinalg(*state.module, state.precision)))
    return diagnostics.take(path + ": its convolutions cannot be imported");
  Result<std::vector<Problem>> convolutions = findConvolutions(function);
  if (!convolutions)
    return convolutions.takeError();
  state.convolutions = std::move(*convolutions);
  state.computedTypes = findComputedTypes(function);
  return {};
}

/// What is known of a function that was lowered its definition knows.
static Status readLowered(SourceModule::Impl &state, const std::string &path) {
  if (!state.definition)
    return Error{path + ": @" + state.entry.getName().str() + " is of form " +
                 toString(state.form) +
                 " and does not say what it computes: expected its text in the "
                 "module's attribute '" +
                 conv::kOriginAttrName.str() + "', or --reference=FILE"};
  const SourceModule &definition = *state.definition;
  state.arguments = definition.arguments();
  state.results = definition.results();
  state.convolutions = definition.convolutions();
  return {};
}

/// "@main of block.mlir: 2 convolutions".
static std::string describe(const SourceModule::Impl &state,
                            const std::string &path) {
  size_t count = state.convolutions.size();
  func::FuncOp entry = state.entry;
  std::string text = "@" + entry.getName().str() + " of " + path + ": " +
                     std::to_string(count) +
                     (count == 1 ? " convolution" : " convolutions");
  return state.form == Form::F0 ? text : text + ", " + toString(state.form);
}

/// The form of the module from which it is compiled. F1 is part of F0.
static Result<Form> readForm(ModuleOp module, const std::string &path) {
  conv::DiagnosticCollector diagnostics(module.getContext());
  FailureOr<conv::FormRange> forms = conv::findForms(module);
  if (failed(forms))
    return diagnostics.take(path + ": is of no form");
  return forms->first;
}

/// The rest of the way for a module that was parsed.
Result<std::unique_ptr<SourceModule>>
SourceModule::fromSource(std::unique_ptr<Impl> state, const std::string &path,
                         const std::string &entry,
                         std::unique_ptr<SourceModule> reference) {
  Result<func::FuncOp> function = findEntry(*state->module, path, entry);
  if (!function)
    return function.takeError();
  if (Status status = checkName(*function); !status)
    return status.takeError();
  if (conv::hasStablehlo(*state->module))
    if (Status status = conv::inlineCalls(*state->module, *function); !status)
      return status.takeError();
  state->entry = *function;
  state->entry.setPublic();
  eraseOthers(*state->module, state->entry);
  Result<Form> form = readForm(*state->module, path);
  if (!form)
    return form.takeError();
  state->form = *form;
  state->definition = std::move(reference);
  if (!state->definition)
    if (Status status = readOrigin(*state, path); !status)
      return status.takeError();
  bool isLowered = *form > Form::F1;
  if (Status status =
          isLowered ? readLowered(*state, path) : readOperations(*state, path);
      !status)
    return status.takeError();
  if (state->definition)
    if (Status status = checkSignature(*function, *form, *state->definition);
        !status)
      return status.takeError();
  state->description = describe(*state, path);
  return std::unique_ptr<SourceModule>(new SourceModule(std::move(state)));
}

const SourceModule::Impl &SourceModule::meaning() const {
  return state->definition ? state->definition->impl() : *state;
}

const std::string &SourceModule::description() const {
  return state->description;
}
const std::optional<Problem> &SourceModule::problem() const {
  return state->problem;
}
const std::vector<ElementType> &SourceModule::computedTypes() const {
  return meaning().computedTypes;
}

bool SourceModule::hasFloats() const { return meaning().hasFloats; }
bool SourceModule::gainsPrecision() const { return meaning().gainsPrecision; }
const std::vector<std::string> &SourceModule::remarks() const {
  return state->remarks;
}

std::string SourceModule::target() const {
  return std::string(conv::getChip(*state->module).name);
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

func::FuncOp convmlir::getDefinition(const SourceModule &source) {
  const SourceModule::Impl &meaning = source.meaning();
  return meaning.textEntry ? meaning.textEntry : meaning.entry;
}

Status SourceModule::checkReference() const {
  return conv::checkReference(getDefinition(*this));
}

Result<std::vector<ReferenceTensor>>
SourceModule::evaluate(std::vector<std::vector<double>> arguments,
                       const std::function<void(double)> &progress) const {
  return conv::evaluateFunction(getDefinition(*this), std::move(arguments),
                                meaning().precision, progress);
}
