// RUN: conv-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(conv-fill-zero-phases))' | FileCheck %s
// RUN: conv-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(conv-fill-zero-phases))' --remarks-filter=conv-fill-zero-phases -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Passed] zero-phases-filled | Category:conv-fill-zero-phases | {{.*}}stores the zeros
// REMARK-DAG: remark: [Missed] zero-phases-apart | Category:conv-fill-zero-phases | {{.*}}stored apart: 

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// The phase that a tap reaches stores the zeros of the other, in whatever order they are. A cast keeps zeros.

// CHECK-LABEL: @zeros
// CHECK-SAME:    %[[Y0:[a-z0-9]+]]: tensor<2x9x24xf16>
// CHECK:         %[[SUM:.*]] = linalg.matmul
// CHECK:         %[[Y:.*]] = conv.scatter %[[SUM]] into %[[Y0]] view <rows = [5], {{.*}}> zero_fill : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @zeros(%a: tensor<10x16xf16>, %b: tensor<16x24xf16>, %i: tensor<10x24xf16>, %y0: tensor<2x9x24xf16>) -> tensor<2x9x24xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x16xf16>, tensor<16x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %zero = arith.constant 0.0 : f32
  %j = tensor.empty() : tensor<8x24xf32>
  %n = linalg.fill ins(%zero : f32) outs(%j : tensor<8x24xf32>) -> tensor<8x24xf32>
  %e = tensor.empty() : tensor<8x24xf16>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<8x24xf32>) outs(%e : tensor<8x24xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x24xf16>
  %y1 = conv.scatter %m into %y0 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %s into %y1 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  return %y2 : tensor<2x9x24xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// What an epilogue makes of zeros is stored as a phase of its own.

// CHECK-LABEL: @epilogue
// CHECK-NOT:     zero_fill
func.func @epilogue(%a: tensor<10x16xf16>, %b: tensor<16x24xf16>, %i: tensor<10x24xf16>, %x: tensor<8x24xf16>, %y0: tensor<2x9x24xf16>) -> tensor<2x9x24xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x16xf16>, tensor<16x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %zero = arith.constant 0.0 : f16
  %j = tensor.empty() : tensor<8x24xf16>
  %n = linalg.fill ins(%zero : f16) outs(%j : tensor<8x24xf16>) -> tensor<8x24xf16>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%n, %x : tensor<8x24xf16>, tensor<8x24xf16>) outs(%j : tensor<8x24xf16>) {
  ^bb0(%in: f16, %other: f16, %out: f16):
    %t = arith.mulf %in, %other : f16
    linalg.yield %t : f16
  } -> tensor<8x24xf16>
  %y1 = conv.scatter %s into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %m into %y1 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  return %y2 : tensor<2x9x24xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// Rows that do not begin with the tensor have no cells.

// CHECK-LABEL: @offset
// CHECK-NOT:     zero_fill
func.func @offset(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %i: tensor<8x24xf16>, %y0: tensor<2x9x24xf16>) -> tensor<2x9x24xf16> {
  %s = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%i : tensor<8x24xf16>) -> tensor<8x24xf16>
  %zero = arith.constant 0.0 : f16
  %j = tensor.empty() : tensor<10x24xf16>
  %n = linalg.fill ins(%zero : f16) outs(%j : tensor<10x24xf16>) -> tensor<10x24xf16>
  %y1 = conv.scatter %s into %y0 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %n into %y1 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  return %y2 : tensor<2x9x24xf16>
}

// -----

#schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [2, 1], stages = 3, copy = cp_async, mma = mma_sync>
#split = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, split = 2>
#full = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, resident = 2>
#even = #conv.view<rows = [5], taps = [1], stride = [2], step = [1], offset = [0], groups = 1>
#uneven = #conv.view<rows = [4], taps = [1], stride = [2], step = [1], offset = [1], groups = 1>

// Nor are there zeros in kernels without TMA, of parts of gemm-k, or without room in shared memory, or of rows that
// are no multiple of 16 bytes.

// CHECK-LABEL: @schedules
// CHECK-NOT:     zero_fill
func.func @schedules(%a: tensor<10x128xf16>, %b: tensor<128x24xf16>, %i: tensor<10x24xf16>, %c: tensor<128x20xf16>, %k: tensor<10x20xf16>, %y0: tensor<2x9x24xf16>, %z0: tensor<2x9x20xf16>) -> (tensor<2x9x24xf16>, tensor<2x9x24xf16>, tensor<2x9x24xf16>, tensor<2x9x20xf16>) {
  %zero = arith.constant 0.0 : f16
  %j = tensor.empty() : tensor<8x24xf16>
  %n = linalg.fill ins(%zero : f16) outs(%j : tensor<8x24xf16>) -> tensor<8x24xf16>
  %s0 = linalg.matmul {conv.schedule = #schedule} ins(%a, %b : tensor<10x128xf16>, tensor<128x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %y1 = conv.scatter %s0 into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y2 = conv.scatter %n into %y1 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %s1 = linalg.matmul {conv.schedule = #split} ins(%a, %b : tensor<10x128xf16>, tensor<128x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %y3 = conv.scatter %s1 into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y4 = conv.scatter %n into %y3 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %s2 = linalg.matmul {conv.schedule = #full} ins(%a, %b : tensor<10x128xf16>, tensor<128x24xf16>) outs(%i : tensor<10x24xf16>) -> tensor<10x24xf16>
  %y5 = conv.scatter %s2 into %y0 view #even : tensor<10x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %y6 = conv.scatter %n into %y5 view #uneven : tensor<8x24xf16> into tensor<2x9x24xf16> -> tensor<2x9x24xf16>
  %l = tensor.empty() : tensor<8x20xf16>
  %o = linalg.fill ins(%zero : f16) outs(%l : tensor<8x20xf16>) -> tensor<8x20xf16>
  %tma = linalg.matmul {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma>} ins(%a, %c : tensor<10x128xf16>, tensor<128x20xf16>) outs(%k : tensor<10x20xf16>) -> tensor<10x20xf16>
  %z1 = conv.scatter %tma into %z0 view #even : tensor<10x20xf16> into tensor<2x9x20xf16> -> tensor<2x9x20xf16>
  %z2 = conv.scatter %o into %z1 view #uneven : tensor<8x20xf16> into tensor<2x9x20xf16> -> tensor<2x9x20xf16>
  return %y2, %y4, %y6, %z2 : tensor<2x9x24xf16>, tensor<2x9x24xf16>, tensor<2x9x24xf16>, tensor<2x9x20xf16>
}
