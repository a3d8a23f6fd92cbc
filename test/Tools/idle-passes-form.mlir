// DEFINE: %{pass} = conv-outline-kernels
// DEFINE: %{form} = F4
// DEFINE: %{run} = not conv-opt %s -%{pass} -o %t.none.mlir 2>&1 | FileCheck %s -DPASS=%{pass} -DFORM=%{form}
// RUN: rm -f %t.none.mlir
// RUN: %{run}
// REDEFINE: %{pass} = conv-lower-tile-loads
// REDEFINE: %{form} = F6
// RUN: %{run}
// REDEFINE: %{pass} = conv-vectorize-tiles
// REDEFINE: %{form} = F3
// RUN: %{run}
// REDEFINE: %{pass} = conv-tile-to-workgroups
// REDEFINE: %{form} = F2
// RUN: %{run}
// REDEFINE: %{pass} = conv-sink-epilogues
// REDEFINE: %{form} = F3
// RUN: %{run}
// RUN: not ls %t.none.mlir
// RUN: conv-opt %s -conv-to-tiles -o %t.f3.mlir
// RUN: conv-opt %t.f3.mlir -conv-vectorize-tiles | FileCheck %s --check-prefix=RUNS
// RUN: not conv-opt %t.f3.mlir -conv-fuse-epilogue 2>&1 | FileCheck %s --check-prefix=LATER

// A pass that changes nothing in a module of another form says so. In a
// pipeline it may find that nothing is left to do.

// CHECK: conv-opt: error: [[PASS]] changed nothing: expected a module of form [[FORM]] ({{.*}}) or F{{.*}}, got F0 (operations), from which conv-operations-to-schedules goes on
// LATER: conv-opt: error: conv-fuse-epilogue changed nothing: expected a module of form F1 ({{.*}}) or F2 (matrices), got F3 (tiles), from which conv-tiles-to-blocks goes on
// RUNS: vector.transfer_read
func.func @layer(%x: tensor<2x6x5x16xf16>, %w: tensor<24x3x2x16xf16>) -> tensor<2x4x4x24xf16> {
  %e = tensor.empty() : tensor<2x4x4x24xf16>
  %y = conv.forward ins(%x, %w : tensor<2x6x5x16xf16>, tensor<24x3x2x16xf16>) outs(%e : tensor<2x4x4x24xf16>) -> tensor<2x4x4x24xf16>
  return %y : tensor<2x4x4x24xf16>
}
