//===- TransformOps.td - operations of scripts -------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCRIPT_TRANSFORMOPS_TD
#define CONV_SCRIPT_TRANSFORMOPS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TransformScheduleOp : Op<Transform_Dialect, "conv.schedule", [
    TransformOpInterface, TransformEachOpTrait,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::mlir::conv";
  let summary = "decides how convolutions run";
  let description = [{
    Puts `conv.schedule` on each convolution of the handle, after the checks of
    the pass `conv-select-schedule`. The schedule is

    - with `keys`, the one that is there, or else the one that the model ranks
      first, with these keys in the place of its own, as of `--schedule`;
    - with `schedule`, exactly this one;
    - with neither, the one that is there, or else the one that the model ranks
      first.

    The chip is that of `chip`, which is put on the module around the
    convolution as `conv.chip`; without it, that of the module, or sm_90a.

    ```mlir
    transform.conv.schedule %convs keys "tile=128x64x32 stages=3" chip "sm_80"
        : !transform.any_op
    transform.conv.schedule %convs
        {schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x32
                                   warps=2x1 stages=3 copy=cp_async mma=mma_sync>}
        : !transform.any_op
    ```

    The failure is silenceable, and says which limit a schedule breaks. The
    convolution then keeps its schedule. An operation that is no convolution is
    such a failure, too. An empty handle is none.
  }];
  let arguments = (ins
    TransformHandleTypeInterface:$target,
    OptionalAttr<StrAttr>:$keys,
    OptionalAttr<Conv_ScheduleAttr>:$schedule,
    OptionalAttr<StrAttr>:$chip);
  let results = (outs);
  let assemblyFormat = [{
    $target (`keys` $keys^)? (`chip` $chip^)? attr-dict
    `:` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

/// What picks convolutions: an operation on `handle` with all that is wanted.
class Conv_PickingOp<string mnemonic, string handle, list<Trait> traits>
    : Op<Transform_Dialect, mnemonic, traits> {
  let arguments = !con(
    !dag(ins, [TransformHandleTypeInterface], [handle]),
    (ins OptionalAttr<StrAttr>:$kind,
         OptionalAttr<DenseI64ArrayAttr>:$filter,
         OptionalAttr<DenseI64ArrayAttr>:$stride,
         OptionalAttr<DictionaryAttr>:$extents,
         OptionalAttr<TypeAttr>:$element_type));
  string criteria = [{
    (`kind` $kind^)? (`filter` $filter^)? (`stride` $stride^)?
    (`extents` $extents^)? (`type` $element_type^)?
  }];
  let hasVerifier = 1;
  let cppNamespace = "::mlir::conv";
}

def TransformMatchOp : Conv_PickingOp<"conv.match", "operand_handle", [
    MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "whether an operation is such a convolution";
  let description = [{
    A matcher, for `transform.foreach_match` and `transform.collect_matching`.
    Succeeds for a convolution that has all that is named:

    | text | the convolution |
    |---|---|
    | `kind "dgrad"` | is `conv.forward`, `conv.dgrad` or `conv.wgrad` |
    | `filter [3, 3]` | has these filter extents, and as many dimensions |
    | `stride [2, 2]` | has this stride, and as many dimensions |
    | `extents {c = 64, k = 128}` | has these of `n c k g d h w t r s z p q` |
    | `type bf16` | reads elements of this type, at least in its first operand |

    The failure, which is silenceable, says what differs.

    ```mlir
    transform.named_sequence @is_3x3(%op: !transform.any_op {transform.readonly})
        -> !transform.any_op {
      transform.conv.match %op kind "forward" filter [3, 3] : !transform.any_op
      transform.yield %op : !transform.any_op
    }
    ```
  }];
  let results = (outs);
  let assemblyFormat = "$operand_handle " # criteria #
                       "attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def TransformFindOp : Conv_PickingOp<"conv.find", "target", [
    DeclareOpInterfaceMethods<TransformOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the convolutions within an operation";
  let description = [{
    A handle to all convolutions in the operations of a handle, in their order,
    that have what is named, as in `transform.conv.match`. It is empty where
    there is none.

    ```mlir
    %convs = transform.conv.find kind "forward" filter [3, 3] in %module
        : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let results = (outs TransformHandleTypeInterface:$found);
  let assemblyFormat = criteria # [{
    `in` $target attr-dict `:` functional-type($target, $found)
  }];
}

#endif // CONV_SCRIPT_TRANSFORMOPS_TD
