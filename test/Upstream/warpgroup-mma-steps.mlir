// RUN: mlir-opt %s -convert-nvgpu-to-nvvm -canonicalize -split-input-file | FileCheck %s

// Descriptors count in units of 16 bytes. From one 16 elements of gemm-k to the
// next, an operand whose rows lie along gemm-k is 32 bytes further: 2. One whose
// rows lie along gemm-m or gemm-n is 16 rows of 128 bytes further: 128. The
// lowering always takes 2 for A and 128 for B.

!tile = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, 3>>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

// B's rows lie along gemm-k (<col>): its step should be 2.

// CHECK-LABEL: @plain
// CHECK-SAME:    %[[A:[a-z0-9]*]]: {{[^%]*}}, %[[B:[a-z0-9]*]]:
// CHECK-DAG:     %[[C2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG:     %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG:     %[[DA:.*]] = builtin.unrealized_conversion_cast %[[A]]
// CHECK-DAG:     %[[DB:.*]] = builtin.unrealized_conversion_cast %[[B]]
// CHECK:         llvm.add %[[DA]], %[[C2]]
// CHECK:         llvm.add %[[DB]], %[[C128]]
// CHECK-NEXT:    nvvm.wgmma.mma_async {{.*}} A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
func.func @plain(%a: !tile, %b: !tile, %c: !acc) -> !acc {
  %d = nvgpu.warpgroup.mma %a, %b, %c : !tile, !tile, !acc -> !acc
  return %d : !acc
}

// -----

!tile = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, 3>>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

// A's rows lie along gemm-m (<col>): its step should be 128.

// CHECK-LABEL: @transposed
// CHECK-SAME:    %[[A:[a-z0-9]*]]: {{[^%]*}}, %[[B:[a-z0-9]*]]:
// CHECK-DAG:     %[[C2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG:     %[[DA:.*]] = builtin.unrealized_conversion_cast %[[A]]
// CHECK:         llvm.add %[[DA]], %[[C2]]
// CHECK:         nvvm.wgmma.mma_async {{.*}} A[<f16>, <one>, <col>], B[<f16>, <one>, <row>]
func.func @transposed(%a: !tile, %b: !tile, %c: !acc) -> !acc {
  %d = nvgpu.warpgroup.mma %a, %b, %c {transposeA, transposeB} : !tile, !tile, !acc -> !acc
  return %d : !acc
}
