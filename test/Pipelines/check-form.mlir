// RUN: conv-opt %s -conv-check-form="first=f6 last=f6 pipeline=name" -split-input-file -verify-diagnostics
// RUN: not conv-opt %s -conv-rings-to-threads -split-input-file 2>&1 | FileCheck %s
// RUN: not conv-opt %s -conv-check-form=first=f9 -split-input-file 2>&1 | FileCheck %s --check-prefix=NAME

// The form of a module is what all of its operations allow. A pipeline of a
// step refuses every other one, and says where to go on.

// CHECK: error: conv-rings-to-threads: expected a module of form F6 (rings), got F0 (operations), from which conv-operations-to-schedules goes on
// NAME: error: expected forms f0 to f8, got 'f9'

module {
  // expected-error @below {{name: expected a module of form F6 (rings), got F0 (operations), from which conv-operations-to-schedules goes on}}
  func.func @operations(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>, %y: tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16> {
    %r = conv.forward ins(%x, %w : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16>) outs(%y : tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
    return %r : tensor<1x4x4x8xf16>
  }
}

// -----

module {
  // expected-error @below {{name: expected a module of form F6 (rings), got F2 (matrices), from which conv-matrices-to-tiles goes on}}
  func.func @matrices(%x: tensor<1x4x4x8xf16>) -> tensor<16x1x8xf16> {
    %r = conv.im2col %x view <rows = [4, 4], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> : tensor<1x4x4x8xf16> -> tensor<16x1x8xf16>
    return %r : tensor<16x1x8xf16>
  }
}

// -----

module {
  // expected-error @below {{name: expected a module of form F6 (rings), got F4 (block programs), from which conv-blocks-to-kernels goes on}}
  func.func @blocks(%x: memref<8xf16>) {
    scf.forall (%i) in (8) {
    } {mapping = [#gpu.thread<linear_dim_0>]}
    return
  }
}

// -----

// A plain kernel has no ring: it is of F6 as it is of F5.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @plain(%x: memref<8xf16>) kernel attributes {conv.plain} { gpu.return }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{got F7 (threads), from which conv-threads-to-nvvm goes on}}
  gpu.module @kernels {
    gpu.func @threads(%x: memref<8xf16>) kernel attributes {conv.shared_bytes = 0 : i64} { gpu.return }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{name: expected a module of form F6 (rings), got F8 (nvvm)}}
  gpu.module @kernels {
    llvm.func @target() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-note @below {{a kernel of threads is of form F7 (threads)}}
    gpu.func @threads(%x: memref<8xf16>) kernel attributes {conv.shared_bytes = 0 : i64} { gpu.return }
  }
  // expected-error @below {{expected a module of one form, but a function of tensors is of form F0 (operations) to F3 (tiles)}}
  func.func @operations(%x: tensor<8xf16>) -> tensor<8xf16> {
    return %x : tensor<8xf16>
  }
}
