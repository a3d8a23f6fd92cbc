//===- CHLOOps.td - functions that JAX prints as chlo -*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_STABLEHLO_IR_CHLOOPS_TD
#define CONV_DIALECT_STABLEHLO_IR_CHLOOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::mlir::conv::chlo";
  let summary = "functions that JAX prints beside those of StableHLO";
  let description = [{
    A part of CHLO, with its syntax: functions of one float that JAX does not
    print as StableHLO.
  }];
}

/// `%y = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>`
class CHLO_FunctionOp<string mnemonic> : Op<CHLO_Dialect, mnemonic,
    [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins StaticShapeTensorOf<[AnyFloat]>:$operand);
  let results = (outs StaticShapeTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def CHLO_AcosOp : CHLO_FunctionOp<"acos"> { let summary = "inverse cosine"; }
def CHLO_AcoshOp : CHLO_FunctionOp<"acosh"> { let summary = "inverse hyperbolic cosine"; }
def CHLO_AsinOp : CHLO_FunctionOp<"asin"> { let summary = "inverse sine"; }
def CHLO_AsinhOp : CHLO_FunctionOp<"asinh"> { let summary = "inverse hyperbolic sine"; }
def CHLO_AtanOp : CHLO_FunctionOp<"atan"> { let summary = "inverse tangent"; }
def CHLO_AtanhOp : CHLO_FunctionOp<"atanh"> { let summary = "inverse hyperbolic tangent"; }
def CHLO_CoshOp : CHLO_FunctionOp<"cosh"> { let summary = "hyperbolic cosine"; }
def CHLO_ErfOp : CHLO_FunctionOp<"erf"> { let summary = "error function"; }
def CHLO_ErfcOp : CHLO_FunctionOp<"erfc"> { let summary = "1 - erf(x)"; }
def CHLO_SinhOp : CHLO_FunctionOp<"sinh"> { let summary = "hyperbolic sine"; }
def CHLO_SquareOp : CHLO_FunctionOp<"square"> { let summary = "x * x"; }
def CHLO_TanOp : CHLO_FunctionOp<"tan"> { let summary = "tangent"; }

#endif // CONV_DIALECT_STABLEHLO_IR_CHLOOPS_TD
