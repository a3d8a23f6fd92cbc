// RUN: conv-opt %s --convert-conv-to-loops --cse --split-input-file | FileCheck %s

// Without padding there is nothing to test.
// CHECK: #[[POSITION:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1 * 3)>
// CHECK-LABEL: func @forward
// CHECK-SAME: (%[[X:.*]]: memref<2x16x5xbf16>, %[[W:.*]]: memref<6x3x5xbf16>, %[[Y:.*]]: memref<2x5x6xbf16>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[N:[^ ]*]] =
// CHECK-NEXT: scf.for %[[Q:[^ ]*]] =
// CHECK-NEXT: scf.for %[[K:[^ ]*]] =
// CHECK: %[[SUM:.*]] = scf.for %[[S:[^ ]*]] = {{.*}} iter_args(%[[A:.*]] = %[[ZERO]]) -> (f32)
// CHECK-NEXT: %[[POS:.*]] = affine.apply #[[POSITION]](%[[Q]], %[[S]])
// CHECK-NOT: scf.if
// CHECK: scf.for %[[C:[^ ]*]] = {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (f32)
// CHECK-NEXT: %[[XE:.*]] = memref.load %[[X]][%[[N]], %[[POS]], %[[C]]]
// CHECK-NEXT: %[[XF:.*]] = arith.extf %[[XE]] : bf16 to f32
// CHECK-NEXT: %[[WE:.*]] = memref.load %[[W]][%[[K]], %[[S]], %[[C]]]
// CHECK-NEXT: %[[WF:.*]] = arith.extf %[[WE]] : bf16 to f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[XF]], %[[WF]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[B]], %[[P]] : f32
// CHECK-NEXT: scf.yield %[[R]]
// CHECK: %[[T:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT: memref.store %[[T]], %[[Y]][%[[N]], %[[Q]], %[[K]]]
func.func @forward(%x: memref<2x16x5xbf16>, %w: memref<6x3x5xbf16>, %y: memref<2x5x6xbf16>) {
  conv.forward ins(%x, %w : memref<2x16x5xbf16>, memref<6x3x5xbf16>) outs(%y : memref<2x5x6xbf16>) stride [2] dilation [3]
  return
}

// -----

// Padding at the low end only: one comparison. Channels first, integers.
// CHECK: affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>
// CHECK-LABEL: func @forward_nchw_padded
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[POS:.*]] = affine.apply
// CHECK-NEXT: %[[DEFINED:.*]] = arith.cmpi sge, %[[POS]], %
// CHECK-NEXT: scf.if %[[DEFINED]] -> (i32)
// CHECK: scf.for
// CHECK: memref.load %{{.*}}[%[[N:.*]], %[[C:.*]], %[[POS]]] : memref<2x5x16xi8>
// CHECK-NEXT: arith.extsi {{.*}} : i8 to i32
// CHECK-NEXT: memref.load %{{.*}}[%[[K:.*]], %[[C]], %[[S:.*]]] : memref<6x5x3xi8>
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[N]], %[[K]], %{{.*}}] : memref<2x6x8xi32>
func.func @forward_nchw_padded(%x: memref<2x5x16xi8>, %w: memref<6x5x3xi8>, %y: memref<2x6x8xi32>) {
  conv.forward ins(%x, %w : memref<2x5x16xi8>, memref<6x5x3xi8>) outs(%y : memref<2x6x8xi32>) stride [2] pad [1:0] layout nchw
  return
}

// -----

// dgrad solves for p: in range, and a multiple of the stride.
// CHECK-DAG: #[[DIVIDEND:.*]] = affine_map<(d0, d1) -> (d0 - d1 + 1)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1) -> (d0 * 3 + d1)>
// CHECK-LABEL: func @dgrad_groups
// CHECK-SAME: (%[[DX:.*]]: memref<2x16x4xf32>, %[[W:.*]]: memref<6x3x2xf32>, %[[DY:.*]]: memref<2x8x6xf32>)
// CHECK: scf.for %[[N:[^ ]*]] =
// CHECK-NEXT: scf.for %[[H:[^ ]*]] =
// CHECK-NEXT: scf.for %[[G:[^ ]*]] =
// CHECK-NEXT: scf.for %[[C:[^ ]*]] =
// CHECK: scf.for %[[S:[^ ]*]] =
// CHECK-NEXT: %[[D:.*]] = affine.apply #[[DIVIDEND]](%[[H]], %[[S]])
// CHECK: arith.cmpi sge, %[[D]],
// CHECK: arith.cmpi sle, %[[D]],
// CHECK: %[[REM:.*]] = arith.remsi %[[D]],
// CHECK: arith.cmpi eq, %[[REM]],
// CHECK: scf.if
// CHECK: %[[P:.*]] = arith.divsi %[[D]],
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK: %[[KG:.*]] = affine.apply #[[CHANNEL]](%[[G]], %[[K]])
// CHECK: memref.load %[[DY]][%[[N]], %[[P]], %[[KG]]]
// CHECK: memref.load %[[W]][%[[KG]], %[[S]], %[[C]]]
// CHECK: memref.store %{{.*}}, %[[DX]][%[[N]], %[[H]], %{{.*}}]
func.func @dgrad_groups(%dx: memref<2x16x4xf32>, %w: memref<6x3x2xf32>, %dy: memref<2x8x6xf32>) {
  conv.dgrad ins(%dy, %w : memref<2x8x6xf32>, memref<6x3x2xf32>) outs(%dx : memref<2x16x4xf32>) stride [2] pad [1:0] groups 2
  return
}

// -----

// wgrad sums over the positions and the batch; an accumulation type of choice.
// CHECK-LABEL: func @wgrad
// CHECK-SAME: (%[[X:.*]]: memref<2x9x4xf16>, %[[DY:.*]]: memref<2x8x6xf16>, %[[DW:.*]]: memref<6x2x4xf32>)
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK-NEXT: scf.for %[[S:[^ ]*]] =
// CHECK-NEXT: scf.for %[[C:[^ ]*]] =
// CHECK: %[[SUM:.*]] = scf.for %[[Q:[^ ]*]] = {{.*}} -> (f64)
// CHECK: scf.for %[[N:[^ ]*]] = {{.*}} -> (f64)
// CHECK: memref.load %[[X]][%[[N]], %{{.*}}, %[[C]]]
// CHECK: memref.load %[[DY]][%[[N]], %[[Q]], %[[K]]]
// CHECK: arith.truncf %[[SUM]] : f64 to f32
// CHECK-NEXT: memref.store %{{.*}}, %[[DW]][%[[K]], %[[S]], %[[C]]]
func.func @wgrad(%x: memref<2x9x4xf16>, %dy: memref<2x8x6xf16>, %dw: memref<6x2x4xf32>) {
  conv.wgrad ins(%x, %dy : memref<2x9x4xf16>, memref<2x8x6xf16>) outs(%dw : memref<6x2x4xf32>) acc f64
  return
}

// -----

// The sum begins with what the destination holds; the filter is read backwards.

// CHECK-DAG:   #[[BACK:.*]] = affine_map<(d0) -> (-d0 + 2)>
// CHECK-LABEL: @accumulate_flip
// CHECK-SAME:    %[[X:.*]]: memref<1x6x4xf32>, %[[W:.*]]: memref<5x3x4xf32>, %[[Y:.*]]: memref<1x4x5xf32>
// CHECK:         %[[OLD:.*]] = memref.load %[[Y]][%[[N:.*]], %[[P:.*]], %[[K:.*]]]
// CHECK:         %[[SUM:.*]] = scf.for %[[S:.*]] = {{.*}} iter_args(%{{.*}} = %[[OLD]]) -> (f32)
// CHECK:           %[[TAP:.*]] = affine.apply #[[BACK]](%[[S]])
// CHECK:           memref.load %[[W]][%[[K]], %[[TAP]], %{{.*}}]
// CHECK:         memref.store %[[SUM]], %[[Y]][%[[N]], %[[P]], %[[K]]]
func.func @accumulate_flip(%x: memref<1x6x4xf32>, %w: memref<5x3x4xf32>, %y: memref<1x4x5xf32>) {
  conv.forward ins(%x, %w : memref<1x6x4xf32>, memref<5x3x4xf32>) outs(%y : memref<1x4x5xf32>) flip accumulate
  return
}

// -----

// Each element of two types is widened from its own.
// CHECK-LABEL: func @two_types
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK: arith.extf %{{.*}} : f8E5M2 to f32
// CHECK: arith.mulf
func.func @two_types(%x: memref<2x16x5xf8E4M3FN>, %dy: memref<2x14x6xf8E5M2>, %dw: memref<6x3x5xf32>) {
  conv.wgrad ins(%x, %dy : memref<2x16x5xf8E4M3FN>, memref<2x14x6xf8E5M2>) outs(%dw : memref<6x3x5xf32>)
  return
}
