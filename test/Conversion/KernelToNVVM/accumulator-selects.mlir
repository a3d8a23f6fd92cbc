// RUN: conv-opt %s -convert-conv-kernel-to-nvvm | FileCheck %s

// A sum of wgmma that a comparison chooses is added to a zero first, whose sign
// is that of the number compared; so is one that is rounded before the choice.
// Others stay.

// CHECK-LABEL: llvm.func @choose
// CHECK:       llvm.mlir.constant(dense<-2147483648> : vector<2x2xi32>)
// CHECK:       %[[BITS:.*]] = llvm.and {{.*}} : vector<2xi32>
// CHECK:       llvm.bitcast {{.*}} : vector<2xi32> to vector<2xf32>
// CHECK:       llvm.fadd {{.*}} : vector<2xf32>
// CHECK:       llvm.select {{.*}} : vector<2xi1>, vector<2xf32>
gpu.module @kernels {
  gpu.func @choose(%m: vector<2x2xf32>, %y: memref<2x2xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %acc = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %sum = engine.read_accumulator %acc : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %c = arith.cmpf ogt, %m, %zero : vector<2x2xf32>
    %s = arith.select %c, %sum, %zero : vector<2x2xi1>, vector<2x2xf32>
    vector.store %s, %y[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
    gpu.return
  }

  // What is rounded and widened again is added to a zero of its own sign before;
  // what is only rounded, stays.
  // CHECK-LABEL: llvm.func @round
  // CHECK:       llvm.bitcast {{.*}} : vector<2xf32> to vector<2xi32>
  // CHECK:       llvm.and {{.*}} : vector<2xi32>
  // CHECK:       llvm.bitcast {{.*}} : vector<2xi32> to vector<2xf32>
  // CHECK:       llvm.fadd {{.*}} : vector<2xf32>
  // CHECK:       llvm.fptrunc {{.*}} : vector<2xf32> to vector<2xf16>
  // CHECK:       llvm.fpext {{.*}} : vector<2xf16> to vector<2xf32>
  gpu.func @round(%y: memref<2x2xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %acc = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %sum = engine.read_accumulator %acc : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %h = arith.truncf %sum : vector<2x2xf32> to vector<2x2xf16>
    %w = arith.extf %h : vector<2x2xf16> to vector<2x2xf32>
    vector.store %w, %y[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @store_rounded
  // CHECK-NOT:   llvm.fadd
  // CHECK:       llvm.return
  gpu.func @store_rounded(%y: memref<2x2xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %acc = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %sum = engine.read_accumulator %acc : !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>
    %h = arith.truncf %sum : vector<2x2xf32> to vector<2x2xf16>
    vector.store %h, %y[%c0, %c0] : memref<2x2xf16>, vector<2x2xf16>
    gpu.return
  }
}
