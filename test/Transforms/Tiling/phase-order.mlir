// RUN: conv-opt %s --convert-conv-to-gemm --conv-tile-to-workgroups --canonicalize --cse --split-input-file | FileCheck %s

// Four phases of 320, 320, 320 and 320 tiles, two along the columns: many
// rounds. Position i is tile i / 4 of a phase, and the turn of the phases moves
// on by one in each round of 66 positions, 16 tiles.

// CHECK-LABEL: @many
// CHECK:         scf.forall (%[[I:.*]], %{{.*}}) in (1280, 2)
// CHECK-DAG:       %[[TILE:.*]] = arith.divui %[[I]], %c4
// CHECK-DAG:       %[[ROUND:.*]] = arith.divui %[[TILE]], %c16
// CHECK-DAG:       %[[MINE:.*]] = arith.remui %[[I]], %c4
// CHECK:           %[[TURN:.*]] = arith.addi %[[MINE]], %[[ROUND]]
// CHECK:           arith.remui %[[TURN]], %c4
func.func @many(%dy: tensor<8x64x40x16xbf16>, %w: tensor<16x3x3x32xbf16>) -> tensor<8x128x80x32xbf16> {
  %e = tensor.empty() : tensor<8x128x80x32xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<8x64x40x16xbf16>, tensor<16x3x3x32xbf16>)
                   outs(%e : tensor<8x128x80x32xbf16>) stride [2, 2] pad [1, 1]
    {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = cp_async, mma = mma_sync>}
    -> tensor<8x128x80x32xbf16>
  return %dx : tensor<8x128x80x32xbf16>
}

// -----

// A few rounds: long tiles first.

// CHECK-LABEL: @few
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (160, 2)
// CHECK-NOT:       arith.divui
// CHECK-NOT:       arith.remui
// CHECK:           arith.cmpi uge
func.func @few(%dy: tensor<1x64x40x16xbf16>, %w: tensor<16x3x3x32xbf16>) -> tensor<1x128x80x32xbf16> {
  %e = tensor.empty() : tensor<1x128x80x32xbf16>
  %dx = conv.dgrad ins(%dy, %w : tensor<1x64x40x16xbf16>, tensor<16x3x3x32xbf16>)
                   outs(%e : tensor<1x128x80x32xbf16>) stride [2, 2] pad [1, 1]
    {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = cp_async, mma = mma_sync>}
    -> tensor<1x128x80x32xbf16>
  return %dx : tensor<1x128x80x32xbf16>
}
