// Schedules that a script sets, and those that cannot run.
//
// RUN: conv-opt %s -transform-interpreter -split-input-file -verify-diagnostics | FileCheck %s

// Keys are put in the place of those of the model, and then of those that are there; the chip is noted on the module.
//
// CHECK: module attributes {conv.chip = #conv.chip<"sm_90a"
// CHECK-LABEL: @keys
// CHECK: conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=32x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=2>
func.func @keys(%x: tensor<2x12x10x64xbf16>, %w: tensor<64x3x5x64xbf16>, %e: tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x64xbf16>, tensor<64x3x5x64xbf16>) outs(%e : tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16>
  return %y : tensor<2x10x6x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %conv = transform.conv.find in %root : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %conv keys "tile=32x64x32 warps=2x2 stages=3 copy=cp_async" chip "sm_90a" : !transform.any_op
    transform.conv.schedule %conv keys "split-k=2" : !transform.any_op
    transform.yield
  }
}

// -----

// A whole one comes as it is, on the chip that conv-select-schedule takes.
//
// CHECK: module attributes {conv.chip = #conv.chip<"sm_90a"
// CHECK-LABEL: @whole
// CHECK: conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=1>
func.func @whole(%x: tensor<2x12x10x64xbf16>, %w: tensor<64x3x5x64xbf16>, %e: tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x64xbf16>, tensor<64x3x5x64xbf16>) outs(%e : tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16>
  return %y : tensor<2x10x6x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %conv = transform.conv.find in %root : (!transform.any_op) -> !transform.any_op
    transform.conv.schedule %conv {schedule = #conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync>} : !transform.any_op
    transform.yield
  }
}

// -----

// A failure that is suppressed leaves what the convolution had.
//
// CHECK-LABEL: @suppressed
// CHECK: conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=1>
func.func @suppressed(%x: tensor<2x12x10x64xbf16>, %w: tensor<64x3x5x64xbf16>, %e: tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x64xbf16>, tensor<64x3x5x64xbf16>) outs(%e : tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16>
  return %y : tensor<2x10x6x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(suppress) {
    ^bb0(%inner: !transform.any_op):
      %conv = transform.conv.find in %inner : (!transform.any_op) -> !transform.any_op
      transform.conv.schedule %conv keys "tile=64x64x32 warps=2x2 stages=3" chip "sm_80" : !transform.any_op
      transform.conv.schedule %conv keys "tile=512x256x64" : !transform.any_op
    }
    transform.yield
  }
}

// -----

// CHECK-NOT: @limit
func.func @limit(%x: tensor<2x12x10x64xbf16>, %w: tensor<64x3x5x64xbf16>, %e: tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16> {
  // expected-note @+1 {{this operation}}
  %y = conv.forward ins(%x, %w : tensor<2x12x10x64xbf16>, tensor<64x3x5x64xbf16>) outs(%e : tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16>
  return %y : tensor<2x10x6x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %conv = transform.conv.find in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{cannot run: 262144 bytes of shared memory}}
    transform.conv.schedule %conv keys "tile=256x256x64 stages=4" chip "sm_80" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @nothing() {
  // expected-note @+1 {{this operation}}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %return = transform.structured.match ops{["func.return"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a convolution, got func.return}}
    transform.conv.schedule %return : !transform.any_op
    transform.yield
  }
}

// -----

// Copies of a function that are tried lie in no module, and have no chip.
func.func @copy(%x: tensor<2x12x10x64xbf16>, %w: tensor<64x3x5x64xbf16>, %e: tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16> {
  %y = conv.forward ins(%x, %w : tensor<2x12x10x64xbf16>, tensor<64x3x5x64xbf16>) outs(%e : tensor<2x10x6x64xbf16>) -> tensor<2x10x6x64xbf16>
  return %y : tensor<2x10x6x64xbf16>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{all alternatives failed}}
    transform.alternatives %function : !transform.any_op {
    ^bb0(%copy: !transform.any_op):
      %conv = transform.conv.find in %copy : (!transform.any_op) -> !transform.any_op
      transform.conv.schedule %conv : !transform.any_op
    }
    transform.yield
  }
}
