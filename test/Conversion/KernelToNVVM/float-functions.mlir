// RUN: conv-opt %s -convert-conv-kernel-to-nvvm -split-input-file -verify-diagnostics | FileCheck %s

// Functions of f32 are arithmetic and exp2, which is an instruction; there is no
// call and no branch.

gpu.module @kernels {
  // e^x in two powers of two, so that neither is lost where the result is large
  // or small.
  // CHECK-LABEL: llvm.func @exp
  // CHECK:       llvm.intr.floor
  // CHECK:       llvm.intr.fma
  // CHECK:       llvm.intr.fma
  // CHECK-COUNT-2: llvm.intr.exp2(
  // CHECK-NOT:   llvm.call
  gpu.func @exp(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @approximate_exp
  // CHECK:       %[[LOG2E:.*]] = llvm.mlir.constant(1.44269502 : f32)
  // CHECK:       %[[PRODUCT:.*]] = llvm.fmul %{{.*}}, %[[LOG2E]]
  // CHECK-NEXT:  llvm.intr.exp2(%[[PRODUCT]])
  // CHECK-NOT:   llvm.intr
  gpu.func @approximate_exp(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x fastmath<afn> : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @tanh
  // CHECK:       llvm.intr.exp2({{.*}}) : (vector<2xf32>)
  // CHECK:       llvm.fdiv {{.*}} {fastmathFlags = #llvm.fastmath<afn>} : vector<2xf32>
  // CHECK:       llvm.intr.copysign
  // CHECK:       llvm.select
  gpu.func @tanh(%x: vector<2xf32>, %y: memref<2xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.tanh %x : vector<2xf32>
    vector.store %0, %y[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @erf
  // CHECK-COUNT-13: llvm.intr.fma
  // CHECK:       llvm.select
  gpu.func @erf(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.erf %x : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @approximate_erf
  // CHECK-COUNT-6: llvm.intr.fma
  // CHECK:       llvm.intr.exp2
  // CHECK-NOT:   llvm.select
  gpu.func @approximate_erf(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.erf %x fastmath<afn> : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // Narrower floats are computed in f32.
  // CHECK-LABEL: llvm.func @narrow
  // CHECK:       llvm.fpext {{.*}} : f16 to f32
  // CHECK:       llvm.intr.exp2({{.*}}) : (f32) -> f32
  // CHECK:       llvm.fptrunc {{.*}} : f32 to f16
  gpu.func @narrow(%x: f16, %y: memref<1xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.exp2 %x : f16
    memref.store %0, %y[%c0] : memref<1xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%x: f64, %y: memref<1xf64>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a kernel has no code for '__nv_exp2': CUDA's libdevice is not linked}}
    %0 = math.exp2 %x : f64
    memref.store %0, %y[%c0] : memref<1xf64>
    gpu.return
  }
}

// -----

// What no pattern converts is refused where it stands.

gpu.module @kernels {
  gpu.func @unknown(%x: i32, %y: memref<1xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a kernel has no code for 'math.ipowi'}}
    %0 = math.ipowi %x, %x : i32
    memref.store %0, %y[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

// Of these LLVM knows that there is no library, and ends the process.

gpu.module @kernels {
  gpu.func @without_instruction(%x: f64, %y: memref<1xf64>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a kernel has no code for 'tanh' of f64: CUDA's libdevice is not linked}}
    %0 = math.tanh %x : f64
    memref.store %0, %y[%c0] : memref<1xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @allocates(%y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a kernel cannot allocate memory: expected tensors that are written before they are read}}
    %a = memref.alloc() : memref<1xf32>
    %0 = memref.load %a[%c0] : memref<1xf32>
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }
}

// -----

// Divisions that round up or down are those that truncate, and selects.

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @rounded_divisions
  // CHECK-COUNT-2: llvm.sdiv {{.*}} : vector<2xi32>
  // CHECK:       llvm.udiv {{.*}} : vector<2xi32>
  // CHECK-NOT:   builtin.unrealized_conversion_cast
  // CHECK:       llvm.return
  gpu.func @rounded_divisions(%a: vector<2xi32>, %b: vector<2xi32>, %y: memref<2xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = arith.ceildivsi %a, %b : vector<2xi32>
    %1 = arith.floordivsi %0, %b : vector<2xi32>
    %2 = arith.ceildivui %1, %b : vector<2xi32>
    vector.store %2, %y[%c0] : memref<2xi32>, vector<2xi32>
    gpu.return
  }
}

// -----

// What is neither an instruction nor a function of the host's.

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @clamp
  // CHECK:       %[[A:.*]] = llvm.intr.maximum(%{{.*}}, %[[LOW:.*]])
  // CHECK-NEXT:  llvm.intr.minimum(%[[A]], %{{.*}})
  gpu.func @clamp(%x: f32, %low: f32, %high: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.clampf %x to [%low, %high] : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @tests
  // CHECK:       llvm.fcmp "uno" %[[X:.*]], %[[X]] : vector<2xf32>
  // CHECK:       llvm.fcmp "oeq"
  // CHECK:       llvm.fcmp "olt"
  gpu.func @tests(%x: vector<2xf32>, %y: memref<2xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.isnan %x : vector<2xf32>
    %1 = math.isinf %x : vector<2xf32>
    %2 = math.isfinite %x : vector<2xf32>
    %3 = arith.select %0, %1, %2 : vector<2xi1>, vector<2xi1>
    %4 = arith.uitofp %3 : vector<2xi1> to vector<2xf32>
    vector.store %4, %y[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // x^-3 has no logarithm of what may be negative.
  // CHECK-LABEL: llvm.func @power_of_constant
  // CHECK:       %[[SQUARE:.*]] = llvm.fmul %[[BASE:.*]], %[[BASE]] : f32
  // CHECK-NEXT:  %[[CUBE:.*]] = llvm.fmul %[[BASE]], %[[SQUARE]] : f32
  // CHECK-NEXT:  llvm.fdiv %{{.*}}, %[[CUBE]] : f32
  // CHECK-NOT:   llvm.intr
  gpu.func @power_of_constant(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant -3.0 : f32
    %0 = math.powf %x, %c3 : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // Nor has x^y, whose sign is apart.
  // CHECK-LABEL: llvm.func @power
  // CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32,
  // CHECK:       llvm.intr.fabs(%[[X]])
  // CHECK:       llvm.intr.exp2(
  // CHECK:       llvm.intr.trunc(%[[Y]])
  // CHECK:       llvm.fcmp "olt" %[[X]], %{{.*}}
  // CHECK-NOT:   llvm.call
  gpu.func @power(%x: f32, %p: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.powf %x, %p : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // Multiples of pi/2 are taken off in f64.
  // CHECK-LABEL: llvm.func @sine
  // CHECK-SAME:    %[[X:.*]]: f32,
  // CHECK:       %[[WIDE:.*]] = llvm.fpext %[[X]] : f32 to f64
  // CHECK:       llvm.intr.roundeven({{.*}}) : (f64) -> f64
  // CHECK:       llvm.intr.fma({{.*}}, %[[WIDE]]) : (f64, f64, f64) -> f64
  // CHECK:       llvm.fptrunc {{.*}} : f64 to f32
  // CHECK-NOT:   llvm.call
  gpu.func @sine(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.sin %x : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // Odd functions are of the magnitude. Near 0 asinh is log1p of a sum that does
  // not cancel.
  // CHECK-LABEL: llvm.func @asinh
  // CHECK-SAME:    %[[X:.*]]: f32,
  // CHECK:       %[[SIZE:.*]] = llvm.intr.fabs(%[[X]])
  // CHECK:       llvm.fmul %[[SIZE]], %[[SIZE]]
  // CHECK:       llvm.intr.sqrt
  // CHECK:       llvm.fadd %[[SIZE]]
  // CHECK:       llvm.intr.copysign({{.*}}, %[[X]])
  // CHECK-NOT:   llvm.call
  gpu.func @asinh(%x: f32, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.asinh %x : f32
    memref.store %0, %y[%c0] : memref<1xf32>
    gpu.return
  }

  // Functions of 16 bits are those of f32, and rounded one by one; halves go away
  // from zero.
  // CHECK-LABEL: llvm.func @round_narrow
  // CHECK-SAME:    %[[X:.*]]: f16,
  // CHECK-DAG:   %[[HALF:.*]] = llvm.mlir.constant(0.49999997{{.*}} : f32)
  // CHECK:       %[[WIDE:.*]] = llvm.fpext %[[X]] : f16 to f32
  // CHECK:       %[[SIGNED:.*]] = llvm.intr.copysign(%[[HALF]], %[[WIDE]])
  // CHECK-NEXT:  %[[SUM:.*]] = llvm.fadd %[[WIDE]], %[[SIGNED]] : f32
  // CHECK-NEXT:  %[[ROUNDED:.*]] = llvm.intr.trunc(%[[SUM]])
  // CHECK-NEXT:  %[[NARROW:.*]] = llvm.fptrunc %[[ROUNDED]] : f32 to f16
  // CHECK-NEXT:  %[[AGAIN:.*]] = llvm.fpext %[[NARROW]] : f16 to f32
  // CHECK-NEXT:  llvm.intr.sqrt(%[[AGAIN]])
  gpu.func @round_narrow(%x: f16, %y: memref<1xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %0 = math.round %x : f16
    %1 = math.sqrt %0 : f16
    memref.store %1, %y[%c0] : memref<1xf16>
    gpu.return
  }
}
