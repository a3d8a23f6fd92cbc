//===- KernelPlan.td - how a kernel does what it does ------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_KERNELPLAN_TD
#define CONV_DIALECT_CONV_IR_KERNELPLAN_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "conv/Dialect/Conv/IR/ConvDialect.td"

def Conv_OperandCopy : I32EnumAttr<"OperandCopy", "how an operand comes into shared memory", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,
    I32EnumAttrCase<"Registers", 1, "registers">,
    I32EnumAttrCase<"Tma", 2, "tma">,
    I32EnumAttrCase<"Boxes", 3, "boxes">,
    I32EnumAttrCase<"SkewedBoxes", 4, "skewed_boxes">,
    I32EnumAttrCase<"Images", 5, "images">,
    I32EnumAttrCase<"Pieces", 6, "pieces">]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_KeptOperand : I32EnumAttr<"KeptOperand", "the operand that a workgroup loads once", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Left", 1, "left">,
    I32EnumAttrCase<"Right", 2, "right">]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_EpilogueRead : I32EnumAttr<"EpilogueRead", "how a tile that the epilogue reads reaches the threads", [
    I32EnumAttrCase<"Fragments", 0, "fragments">,
    I32EnumAttrCase<"Staged", 1, "staged">,
    I32EnumAttrCase<"Ahead", 2, "ahead">]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_StoreForm : I32EnumAttr<"StoreForm", "how a tile of the result leaves", [
    I32EnumAttrCase<"Fragments", 0, "fragments">,
    I32EnumAttrCase<"Tile", 1, "tile">,
    I32EnumAttrCase<"Panels", 2, "panels">,
    I32EnumAttrCase<"UnalignedRows", 3, "unaligned_rows">,
    I32EnumAttrCase<"Images", 4, "images">,
    I32EnumAttrCase<"ChannelBoxes", 5, "channel_boxes">,
    I32EnumAttrCase<"ChannelPairs", 6, "channel_pairs">,
    I32EnumAttrCase<"ChannelRows", 7, "channel_rows">]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_KernelPlanAttr : AttrDef<Conv_Dialect, "KernelPlan"> {
  let mnemonic = "kernel_plan";
  let summary = "how a kernel does what its schedule says";
  let description = [{
    What follows from a schedule for one kernel, and what passes behind F5 do not
    decide again. `conv-plan-kernels` writes it as `conv.kernel_plan` of a kernel.
    A field that is there already stays, or is refused with the reason; so a plan
    may be written by hand, whole or in part.

    `left` and `right` say how the operands of the kernel's contraction come into
    shared memory:

    | way | who copies | what |
    |---|---|---|
    | `cp_async` | all warps | 4 to 16 bytes at a time, asynchronously |
    | `registers` | all warps, or the producer's | by loads and stores |
    | `tma` | one thread of the producer | tiles or windows, as they are multiplied |
    | `boxes` | TMA, then warps of the producer | boxes of positions, transposed to windows |
    | `skewed_boxes` | TMA, then warps of the producer | boxes with skewed lines, put straight |
    | `images` | TMA, then warps of the producer | whole images, joined to tiles |
    | `pieces` | the producer's warps | neighbouring positions, asynchronously |

    Kernels with copy=tma have more fields:

    - `keeps`: the operand that is the same in all tiles of a workgroup and is
      loaded once; `none` where both go through a ring.
    - `slots`: of the ring that the schedule's `stages` are not the slots of:
      windows, boxes, or positions beside kept filters.
    - `producer_registers`: of a thread of the producer. With `consumer_registers`
      warps move registers between their roles; without, all have as many.
    - `loads_ahead`: what a thread loads before it uses the first of it, where
      threads load operands. With `registers`, loads of one register; with
      `boxes`, of four; with `skewed_boxes`, pieces of up to 16 bytes; with
      `images`, chunks of 16 bytes; where images are the rows of `wgmma`, steps
      of 16 positions.

    `conv-plan-stores` adds what follows from the memory of F6:

    - `reads`: for each tile that the epilogue reads, in their order, whether
      threads load what they hold (`fragments`), it goes through shared memory
      (`staged`), or TMA loads it before the sums are complete (`ahead`).
    - `zero_rows`: rows of the panel of zeros that TMA stores between the rows
      of a result; 0 where threads store zeros beside the values.
    - `stores`: for each `conv.scatter` of a tile, in their order, how it leaves:

    | way | who stores | what |
    |---|---|---|
    | `fragments` | all threads | what each holds |
    | `tile` | all threads | chunks of the tile, staged in shared memory |
    | `panels` | TMA | panels, or boxes of positions, that a warpgroup stages |
    | `unaligned_rows` | a warpgroup | the same, in chunks of 16 bytes |
    | `images` | TMA | whole images, channels first |
    | `channel_boxes` | TMA | boxes of one image, channels first |
    | `channel_pairs` | a warpgroup | positions of two phases, channels first |
    | `channel_rows` | a warpgroup | rows of positions, channels first |

    ```mlir
    #conv.kernel_plan<left = skewed_boxes, right = tma, keeps = none, slots = 4, producer_registers = 152, consumer_registers = 176, loads_ahead = 8>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::mlir::conv::KernelPlan", "its fields",
                  "const ::mlir::conv::KernelPlan &">:$plan);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute of a kernel.
    static constexpr ::llvm::StringLiteral attributeName() {
      return "conv.kernel_plan";
    }
  }];
}

#endif // CONV_DIALECT_CONV_IR_KERNELPLAN_TD
