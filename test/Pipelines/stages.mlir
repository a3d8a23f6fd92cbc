// RUN: conv-opt %s -conv-to-matrices=chip=sm_80 | FileCheck %s --check-prefix=F2
// RUN: conv-opt %s -conv-to-tiles=chip=sm_80 | FileCheck %s --check-prefix=F3
// RUN: conv-opt %s -conv-to-blocks=chip=sm_80 | FileCheck %s --check-prefix=F4
// RUN: conv-opt %s -conv-to-kernels=chip=sm_80 | FileCheck %s --check-prefix=F6
// RUN: conv-opt %s -conv-to-threads=chip=sm_80 | FileCheck %s --check-prefix=F7
// RUN: conv-opt %s -conv-to-nvvm=chip=sm_80 | FileCheck %s --check-prefix=F8

// The same problem seen at every stage of docs/Pipelines.md.

// F2: conv.im2col
// F2: linalg.generic {{.*}}"reduction", "reduction"{{.*}}conv.schedule
// F2: conv.scatter
// F2-NOT: conv.forward

// F3: scf.forall
// F3: scf.for
// F3: scf.forall.in_parallel

// F4: func.func @main(%{{.*}}: memref<2x9x11x40xf16>, %{{.*}}: memref<24x3x3x40xf16>, %{{.*}}: memref<2x7x9x24xf16>)
// F4: memref.alloc() {{.*}}#gpu.address_space<workgroup>
// F4: vector.contract

// F6: gpu.func @main_0
// F6: nvvm.cp.async.wait.group
// F6: func.func @main
// F6: gpu.launch_func @conv_kernels::@main_0

// F7: conv.shared_bytes
// F7: nvgpu.device_async_copy
// F7: nvgpu.ldmatrix
// F7: nvgpu.mma.sync
// F7-NOT: conv.im2col
// F7-NOT: vector.contract

// F8: llvm.func @main_0(%{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: !llvm.ptr{{.*}}) attributes {{.*}}nvvm.kernel
// F8: nvvm.ldmatrix
// F8: nvvm.mma.sync
func.func @main(%x: tensor<2x9x11x40xf16>, %w: tensor<24x3x3x40xf16>) -> tensor<2x7x9x24xf16> {
  %y0 = tensor.empty() : tensor<2x7x9x24xf16>
  %y = conv.forward ins(%x, %w : tensor<2x9x11x40xf16>, tensor<24x3x3x40xf16>) outs(%y0 : tensor<2x7x9x24xf16>) -> tensor<2x7x9x24xf16>
  return %y : tensor<2x7x9x24xf16>
}
