// Where the chip comes from: the options, the module, the table. It is on the module afterwards.
// RUN: conv-opt %s --conv-select-schedule | FileCheck %s --check-prefix=FIRST
// RUN: conv-opt %s --conv-select-schedule="chip=sm_90a" | FileCheck %s --check-prefix=TABLE
// RUN: conv-opt %s --conv-select-schedule="chip=sm_90a multiprocessors=78" | FileCheck %s --check-prefix=GIVEN
// RUN: conv-opt %s --conv-select-schedule="chip=sm_90a multiprocessors=78" | conv-opt --conv-select-schedule \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: conv-opt %s --conv-select-schedule="chip=sm_90a multiprocessors=78" | conv-opt --conv-select-schedule="chip=sm_90a" \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: conv-opt %s --conv-select-schedule="chip=sm_90a multiprocessors=78 schedule='tile=32x32x16 warps=2x1 stages=2 copy=cp_async mma=mma_sync'" \
// RUN:   | conv-opt --conv-select-schedule="chip=sm_90" \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: conv-opt %s --conv-to-nvvm="chip=sm_90a multiprocessors=78" | FileCheck %s --check-prefix=LOWERED
// RUN: not conv-opt %s --conv-select-schedule="chip=sm_70" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not conv-opt %s --conv-select-schedule="multiprocessors=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not conv-opt %s --conv-limit-workspace="multiprocessors=5000 max-workspace=0" 2>&1 | FileCheck %s --check-prefix=MANY

// FIRST: module attributes {conv.chip = #conv.chip<"sm_90a", multiprocessors = 132,
// TABLE: conv.chip = #conv.chip<"sm_90a", multiprocessors = 132, workgroup_shared = 232448,
// GIVEN: conv.chip = #conv.chip<"sm_90a", multiprocessors = 78, workgroup_shared = 232448,
// OTHER: conv.chip = #conv.chip<"sm_90", multiprocessors = 132,
// LOWERED: conv.chip = #conv.chip<"sm_90a", multiprocessors = 78,
// UNKNOWN: unknown target 'sm_70', expected one of sm_80, sm_86
// NEGATIVE: multiprocessors: expected 1 to 4096, or 0 for those of the target, got -1
// MANY: multiprocessors: expected 1 to 4096, or 0 for those of the target, got 5000
func.func @layer(%x: tensor<1x4x4x16xbf16>, %w: tensor<16x1x1x16xbf16>, %init: tensor<1x4x4x16xbf16>) -> tensor<1x4x4x16xbf16> {
  %y = conv.forward ins(%x, %w : tensor<1x4x4x16xbf16>, tensor<16x1x1x16xbf16>) outs(%init : tensor<1x4x4x16xbf16>)
    -> tensor<1x4x4x16xbf16>
  return %y : tensor<1x4x4x16xbf16>
}
