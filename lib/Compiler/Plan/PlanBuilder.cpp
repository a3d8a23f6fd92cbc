//===- PlanBuilder.cpp - from a lowered module to a plan ------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/PlanBuilder.h"
#include "PlanTensorMap.h"
#include "conv/Dialect/Conv/IR/Depthwise.h"
#include "conv/Dialect/Conv/IR/KernelAttributes.h"
#include "conv/Dialect/Conv/IR/TailParts.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"
#include "conv/Interpreter/OpProblem.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace mlir::conv;
using convmlir::BufferRole;
using convmlir::Error;
using convmlir::Plan;
using convmlir::PlanBuffer;
using convmlir::PlanLaunch;
using convmlir::Result;
using convmlir::Status;

/// The attribute in which shared memory was allocated.
static constexpr llvm::StringLiteral sharedBytesName = "conv.shared_bytes";

namespace {
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp host, const SignatureNames &names)
      : host(host), names(names) {}

  Result<Plan> build();

private:
  Status addSignature();
  Result<int64_t> addBuffer(Value value, std::string name, BufferRole role,
                            int64_t position);
  Status addOperation(Operation &op);
  Status addConstant(memref::GetGlobalOp op);
  Status addTensorMap(TensorMapOp op);
  Status addLaunch(gpu::LaunchFuncOp op);
  Status addArguments(gpu::LaunchFuncOp op, PlanLaunch &launch);
  /// Views of whole buffers are the buffer.
  Status addAlias(Value result, Value source);
  void addSchedule(Operation *kernel, const std::string &name);

  func::FuncOp host;
  const SignatureNames &names;
  Plan plan;
  SymbolTableCollection symbols;          ///< Asked for each launch.
  llvm::DenseMap<Value, int64_t> indices; ///< Of the plan's buffers.
  llvm::DenseMap<Value, convmlir::TensorMap> tensorMaps;
};
} // namespace

Result<int64_t> PlanBuilder::addBuffer(Value value, std::string name,
                                       BufferRole role, int64_t position) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return errorAt(value.getLoc(),
                   name + ": expected a dense tensor of a static shape");
  std::optional<convmlir::ElementType> element =
      getElementType(type.getElementType());
  if (!element)
    return errorAt(value.getLoc(), name + ": expected an element type among " +
                                       convmlir::elementTypeNames());
  PlanBuffer buffer;
  buffer.name = std::move(name);
  buffer.role = role;
  buffer.position = position;
  buffer.type = *element;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  plan.buffers.push_back(std::move(buffer));
  int64_t index = plan.buffers.size() - 1;
  indices[value] = index;
  return index;
}

Status PlanBuilder::addSignature() {
  size_t arguments = names.arguments.size();
  if (host.getNumArguments() != arguments + names.results.size())
    return errorAt(host.getLoc(),
                   "@" + host.getName() + ": expected " + Twine(arguments) +
                       " arguments and " + Twine(names.results.size()) +
                       " results, but there are " +
                       Twine(host.getNumArguments()) + " buffers");
  for (auto [i, value] : llvm::enumerate(host.getArguments())) {
    bool isResult = i >= arguments;
    int64_t position = isResult ? i - arguments : i;
    Result<int64_t> index = addBuffer(
        value, isResult ? names.results[position] : names.arguments[position],
        isResult ? BufferRole::Result : BufferRole::Argument, position);
    if (!index)
      return index.takeError();
  }
  return {};
}

Status PlanBuilder::addAlias(Value result, Value source) {
  auto found = indices.find(source);
  if (found == indices.end())
    return errorAt(result.getLoc(), "a view of an unknown buffer");
  indices[result] = found->second;
  return {};
}

Status PlanBuilder::addConstant(memref::GetGlobalOp op) {
  auto global =
      symbols.lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  auto value =
      global
          ? dyn_cast_or_null<DenseElementsAttr>(global.getConstantInitValue())
          : DenseElementsAttr();
  if (!value)
    return errorAt(op.getLoc(),
                   "constant @" + op.getName() + ": expected dense elements");
  Result<int64_t> index =
      addBuffer(op.getResult(), op.getName().str(), BufferRole::Constant, -1);
  if (!index)
    return index.takeError();
  PlanBuffer &buffer = plan.buffers[*index];
  ArrayRef<char> raw = value.getRawData();
  size_t bytes = buffer.bytes();
  buffer.data.reserve(bytes);
  // A splat holds its one element.
  while (buffer.data.size() < bytes && !raw.empty())
    buffer.data.insert(buffer.data.end(), raw.begin(), raw.end());
  return {};
}

Status PlanBuilder::addTensorMap(TensorMapOp op) {
  auto found = indices.find(op.getBuffer());
  if (found == indices.end())
    return errorAt(op.getLoc(), "a tensor map of an unknown buffer");
  Result<convmlir::TensorMap> map = toTensorMap(op, found->second);
  if (!map)
    return errorAt(op.getLoc(), map.error());
  tensorMaps[op.getMap()] = std::move(*map);
  return {};
}

/// The extents of a launch, all constant.
static Status readDims(Location location, const char *what,
                       gpu::KernelDim3 values, convmlir::Dim3 &dims) {
  std::array<Value, 3> extents = {values.x, values.y, values.z};
  for (auto [value, dim] : llvm::zip(extents, dims)) {
    APInt constant;
    if (!matchPattern(value, m_ConstantInt(&constant)))
      return errorAt(location,
                     Twine("launch: expected a constant ") + what + " size");
    dim = constant.getSExtValue();
  }
  return {};
}

/// Work of a problem that no chip can be launched with: workgroups are counted
/// along x, and CUDA has a limit.
static Status checkGrid(Location location, const PlanLaunch &launch) {
  static constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (launch.grid[0] <= most)
    return {};
  return errorAt(location, "kernel @" + launch.kernel + " needs " +
                               std::to_string(launch.grid[0]) +
                               " workgroups, but a grid has at most " +
                               std::to_string(most) +
                               ": the problem must be run in pieces, such as "
                               "parts of the batch");
}

/// The order in which a kernel with this schedule adds products.
static std::string describeOrder(Operation *kernel, ScheduleAttr schedule) {
  if (multipliesBands(schedule))
    return "as the matrix instruction adds, which the hardware defines; forward "
           "and dgrad: a line of the filter at a time, with zeros beside its "
           "taps, in the order of the lines of the image; wgrad: 16 images at a "
           "time, down the lines of a strip of columns; bands of lines, then "
           "strips, then images in ascending order, in " +
           std::to_string(schedule.getSplit()) +
           " part(s), which the next kernel adds in a fixed order; taps of a "
           "line are the sums of diagonals, in ascending order";
  if (schedule.getAlgorithm() == Algorithm::Loops) {
    int64_t block = schedule.getTile()[2];
    if (block == 1)
      return "lines of the filter in ascending order, within a line one "
             "product after the other";
    std::string split = std::to_string(schedule.getSplit());
    std::string parts = schedule.getGather()
                            ? ", of which each has every " + split + "th block"
                            : "";
    return "blocks of " + std::to_string(block) +
           " positions of a line of dy in ascending order, line after line, "
           "within a block one product after the other; sums of " +
           split + " part(s) of each image" + parts +
           "; the next kernel has the sum of all parts "
           "and images, in a fixed order";
  }
  std::string order =
      "blocks of " + std::to_string(schedule.getTile()[2]) +
      " of gemm-k in ascending order, within a block " +
      (schedule.getMma() == MmaKind::Fma
           ? "one product after the other"
           : "as the matrix instruction adds, which the hardware defines");
  const std::string sum = ", which the next kernel adds in a fixed order";
  if (int64_t split = schedule.getSplit(); split > 1)
    order += ", in " + std::to_string(split) + " parts" + sum;
  if (hasEvenTail(schedule))
    order += "; tiles that are left after whole rounds in even parts" + sum;
  else if (hasTail(schedule))
    order += "; tiles of the last round in " + getTailText(schedule) +
             " parts" + sum;
  if (auto sums = kernel->getAttrOfType<IntegerAttr>(kRowSumsAttrName))
    order += "; rows of dy in " + std::to_string(sums.getInt()) +
             " interleaved sums of each tile's share of the blocks, which are "
             "added in a fixed order";
  return order;
}

/// That of a plain kernel with sums that so many lanes of a warp share.
static std::string describeSums(ArrayRef<int64_t> lanes) {
  if (lanes.empty())
    return "sums in ascending order";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "sums that ";
  llvm::interleave(lanes, stream, " and ");
  stream << " lanes share in interleaved parts, each in ascending order, which "
            "are added in pairs, others in ascending order";
  return text;
}

static void append(std::string &list, const std::string &text) {
  list += (list.empty() ? "" : "; ") + text;
}

void PlanBuilder::addSchedule(Operation *kernel, const std::string &name) {
  auto schedule =
      kernel->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName());
  if (!schedule)
    schedule = kernel->getAttrOfType<ScheduleAttr>(kLoopsAttrName);
  if (schedule) {
    append(plan.schedule, name + ": " + toString(schedule));
    append(plan.order, name + ": " + describeOrder(kernel, schedule));
  } else if (auto lanes =
                 kernel->getAttrOfType<DenseI64ArrayAttr>(kSumLanesAttrName)) {
    append(plan.order, name + ": " + describeSums(lanes));
  }
}

Status PlanBuilder::addArguments(gpu::LaunchFuncOp op, PlanLaunch &launch) {
  for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
    if (auto map = tensorMaps.find(operand); map != tensorMaps.end()) {
      launch.arguments.push_back(map->second);
      continue;
    }
    auto found = indices.find(operand);
    if (found == indices.end())
      return errorAt(op.getLoc(), "argument " + Twine(i) + " of kernel " +
                                      op.getKernelName().getValue() +
                                      ": expected a buffer or a tensor map");
    launch.arguments.push_back(convmlir::BufferArgument{found->second, 0});
  }
  return {};
}

/// See conv-overlap-launches.
static bool waitsForStream(Operation *kernel) {
  return kernel
      ->walk([](NVVM::GriddepcontrolOp op) {
        return op.getKind() == NVVM::GridDepActionKind::wait
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Status PlanBuilder::addLaunch(gpu::LaunchFuncOp op) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(op, op.getKernelAttr());
  if (!kernel)
    return errorAt(op.getLoc(), "launch of an unknown kernel " +
                                    op.getKernelName().getValue());
  PlanLaunch launch;
  launch.kernel = op.getKernelName().str();
  if (Status status = readDims(op.getLoc(), "grid",
                               op.getGridSizeOperandValues(), launch.grid);
      !status)
    return status;
  if (Status status = checkGrid(op.getLoc(), launch); !status)
    return status;
  if (Status status = readDims(op.getLoc(), "block",
                               op.getBlockSizeOperandValues(), launch.block);
      !status)
    return status;
  if (op.hasClusterSize())
    if (Status status =
            readDims(op.getLoc(), "cluster", op.getClusterSizeOperandValues(),
                     launch.cluster);
        !status)
      return status;
  launch.waits = waitsForStream(kernel);
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(sharedBytesName))
    launch.dynamicSharedBytes = bytes.getInt();
  else if (isa<LLVM::LLVMFuncOp>(kernel))
    return errorAt(kernel->getLoc(),
                   "kernel @" + launch.kernel + ": expected the attribute '" +
                       sharedBytesName +
                       "', the bytes of dynamic shared memory of a launch");
  addSchedule(kernel, launch.kernel);
  if (Status status = addArguments(op, launch); !status)
    return status;
  plan.launches.push_back(std::move(launch));
  return {};
}

Status PlanBuilder::addOperation(Operation &op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch);
  if (auto map = dyn_cast<TensorMapOp>(op))
    return addTensorMap(map);
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
    return addConstant(constant);
  if (auto view = dyn_cast<memref::CastOp>(op))
    return addAlias(view.getResult(), view.getSource());
  if (auto view = dyn_cast<memref::CollapseShapeOp>(op))
    return addAlias(view.getResult(), view.getSrc());
  if (auto view = dyn_cast<memref::ExpandShapeOp>(op))
    return addAlias(view.getResult(), view.getSrc());
  if (isa<memref::AllocOp>(op)) {
    Result<int64_t> index = addBuffer(
        op.getResult(0), "workspace" + std::to_string(plan.buffers.size()),
        BufferRole::Workspace, -1);
    return index ? Status() : Status(index.takeError());
  }
  if (op.hasTrait<OpTrait::ConstantLike>() || isa<memref::DeallocOp>(op) ||
      isa<func::ReturnOp>(op))
    return {};
  return errorAt(op.getLoc(),
                 "'" + op.getName().getStringRef() +
                     "' became part of no kernel: supported are convolutions "
                     "and linalg operations with loops of their own");
}

Result<Plan> PlanBuilder::build() {
  plan.entry = host.getName().str();
  if (!host.getBody().hasOneBlock())
    return errorAt(host.getLoc(),
                   "@" + host.getName() + ": expected one block");
  if (Status status = addSignature(); !status)
    return status.takeError();
  for (Operation &op : host.getBody().front())
    if (Status status = addOperation(op); !status)
      return status.takeError();
  return std::move(plan);
}

Result<Plan> conv::buildPlan(func::FuncOp host, const SignatureNames &names) {
  return PlanBuilder(host, names).build();
}
