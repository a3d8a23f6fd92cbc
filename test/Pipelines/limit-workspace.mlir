// RUN: conv-opt %s -conv-to-matrices="chip=sm_80" -split-input-file | FileCheck %s --check-prefix=ANY
// RUN: conv-opt %s -conv-to-blocks="chip=sm_80 max-workspace=500000" -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=LESS
// RUN: conv-opt %s -conv-limit-workspace="chip=sm_80 max-workspace=500000" -conv-select-schedule="chip=sm_80" -split-input-file | FileCheck %s --check-prefix=PASS
// RUN: conv-opt %s -conv-limit-workspace="chip=sm_80" -split-input-file | FileCheck %s --check-prefix=NONE
// RUN: conv-opt %s -conv-limit-workspace="chip=sm_80 max-workspace=500000 schedule='tile=64x64x32 stages=2'" -split-input-file | FileCheck %s --check-prefix=KEYS
// RUN: conv-opt %s -conv-limit-workspace="chip=sm_80 max-workspace=500000 multiprocessors=4" -split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: conv-opt %s -conv-to-blocks="chip=sm_80 max-workspace=500000" -split-input-file --remarks-filter=conv-limit-workspace -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Missed] workspace-limited | Category:conv-limit-workspace | {{.*}}refuses the choice of schedules

// Six parts of gemm-k need more than is allowed, three do not.

// NONE-LABEL: func.func @parts
// NONE-NOT: conv.schedule
// ANY-LABEL: func.func @parts
// ANY: split-k=6>
// LESS-LABEL: func.func @parts
// LESS: memref.alloc() {{.*}}: memref<192x3x3x64xf32>
// LESS-NOT: memref.alloc() {{.*}}f32>
// Keys that are given stay. A device with four multiprocessors needs no parts.
// KEYS-LABEL: func.func @parts
// KEYS: tile=64x64x32 {{.*}}stages=2 {{.*}}split-k=3>
// SMALL-LABEL: func.func @parts
// SMALL-NOT: conv.schedule
// SMALL-LABEL: func.func @fits
// PASS-LABEL: func.func @parts
// PASS: split-k=3>
// expected-remark @below {{max-workspace=500000 refuses the choice of schedules: the kernels would need 884736 bytes of workspace}}
func.func @parts(%x: tensor<64x9x10x64xf16>, %dy: tensor<64x7x8x64xf16>, %e: tensor<64x3x3x64xf16>) -> tensor<64x3x3x64xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x9x10x64xf16>, tensor<64x7x8x64xf16>) outs(%e : tensor<64x3x3x64xf16>) -> tensor<64x3x3x64xf16>
  return %dw : tensor<64x3x3x64xf16>
}

// -----

// What fits stays as it is.

// ANY-LABEL: func.func @fits
// LESS-LABEL: func.func @fits
// ANY: split-k=12>
// PASS-LABEL: func.func @fits
// PASS: split-k=12>
func.func @fits(%x: tensor<64x9x10x16xf16>, %dy: tensor<64x7x8x64xf16>, %e: tensor<64x3x3x16xf16>) -> tensor<64x3x3x16xf16> {
  %dw = conv.wgrad ins(%x, %dy : tensor<64x9x10x16xf16>, tensor<64x7x8x64xf16>) outs(%e : tensor<64x3x3x16xf16>) -> tensor<64x3x3x16xf16>
  return %dw : tensor<64x3x3x16xf16>
}
