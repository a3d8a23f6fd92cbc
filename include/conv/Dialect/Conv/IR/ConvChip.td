//===- ConvChip.td - the chip of a module ------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVCHIP_TD
#define CONV_DIALECT_CONV_IR_CONVCHIP_TD

include "mlir/IR/AttrTypeBase.td"
include "conv/Dialect/Conv/IR/ConvDialect.td"

def Conv_ChipAttr : AttrDef<Conv_Dialect, "Chip"> {
  let mnemonic = "chip";
  let summary = "the chip that kernels are made for";
  let description = [{
    What passes need to know of the hardware. Whoever begins a lowering puts it
    on the module as `conv.chip`: the row of the target in the table of chips
    (docs/Targets.md), with what is known of the device in the place of the
    table's numbers. A module without it is for the last row of the table.

    Bytes of shared memory are those of a workgroup and of a multiprocessor,
    registers and threads those of a multiprocessor. None is above what the
    target has, and no engine is one that its kernels do not use.

    ```mlir
    module attributes {conv.chip = #conv.chip<"sm_90a", multiprocessors = 78, workgroup_shared = 232448, shared = 233472, registers = 65536, threads = 2048, l2 = 62914560, engines = [cp_async, mma_sync, mma_float8, launch_overlap, tma, wgmma]>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"what code is compiled for">:$target,
    "int64_t":$multiprocessors,
    "int64_t":$sharedPerBlock,
    "int64_t":$sharedPerSM,
    "int64_t":$registersPerSM,
    "int64_t":$threadsPerSM,
    "int64_t":$l2Bytes,
    "uint32_t":$engines);
  let builders = [
    AttrBuilder<(ins "const ::convmlir::ChipInfo &":$chip)>
  ];
  let assemblyFormat = [{
    `<` $target `,` `multiprocessors` `=` $multiprocessors
    `,` `workgroup_shared` `=` $sharedPerBlock `,` `shared` `=` $sharedPerSM
    `,` `registers` `=` $registersPerSM `,` `threads` `=` $threadsPerSM
    `,` `l2` `=` $l2Bytes `,` `engines` `=` custom<Engines>($engines) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute of a module.
    static constexpr ::llvm::StringLiteral attributeName() {
      return "conv.chip";
    }
    /// The target's row with these numbers.
    ::convmlir::ChipInfo getInfo() const;
  }];
}

#endif // CONV_DIALECT_CONV_IR_CONVCHIP_TD
