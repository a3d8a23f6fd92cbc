// RUN: conv-opt %s -split-input-file -conv-select-schedule=chip=sm_90a -verify-diagnostics

// Why a depthwise convolution has no bands on tensor cores.

func.func @forward(%x: tensor<16x9x9x32xbf16>, %w: tensor<32x7x7x1xbf16>, %y0: tensor<16x9x9x32xbf16>) -> tensor<16x9x9x32xbf16> {
  // expected-error @below {{tile gemm-m (10) of algorithm=loops with mma=mma_sync is up to the 9 lines of the result}}
  %y = conv.forward ins(%x, %w : tensor<16x9x9x32xbf16>, tensor<32x7x7x1xbf16>) outs(%y0 : tensor<16x9x9x32xbf16>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [10, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<16x9x9x32xbf16>
  return %y : tensor<16x9x9x32xbf16>
}

// -----

func.func @forward_columns(%x: tensor<16x9x9x32xbf16>, %w: tensor<32x7x7x1xbf16>, %y0: tensor<16x9x9x32xbf16>) -> tensor<16x9x9x32xbf16> {
  // expected-error @below {{tile gemm-k (9) of algorithm=loops with mma=mma_sync is up to 8 columns of the result, where lines have 7 taps}}
  %y = conv.forward ins(%x, %w : tensor<16x9x9x32xbf16>, tensor<32x7x7x1xbf16>) outs(%y0 : tensor<16x9x9x32xbf16>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 9], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<16x9x9x32xbf16>
  return %y : tensor<16x9x9x32xbf16>
}

// -----

func.func @forward_parts(%x: tensor<16x9x9x32xbf16>, %w: tensor<32x7x7x1xbf16>, %y0: tensor<16x9x9x32xbf16>) -> tensor<16x9x9x32xbf16> {
  // expected-error @below {{algorithm=loops with mma=mma_sync has warps along gemm-n, copy=cp_async and no other keys (split-k is for wgrad)}}
  %y = conv.forward ins(%x, %w : tensor<16x9x9x32xbf16>, tensor<32x7x7x1xbf16>) outs(%y0 : tensor<16x9x9x32xbf16>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 2>} -> tensor<16x9x9x32xbf16>
  return %y : tensor<16x9x9x32xbf16>
}

// -----

func.func @forward_registers(%x: tensor<16x9x9x32xbf16>, %w: tensor<32x7x7x1xbf16>, %y0: tensor<16x9x9x32xbf16>) -> tensor<16x9x9x32xbf16> {
  // expected-error @below {{a thread of algorithm=loops with mma=mma_sync has up to 223 registers, but 7 lines of the filter and 8 channels need about}}
  %y = conv.forward ins(%x, %w : tensor<16x9x9x32xbf16>, tensor<32x7x7x1xbf16>) outs(%y0 : tensor<16x9x9x32xbf16>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<16x9x9x32xbf16>
  return %y : tensor<16x9x9x32xbf16>
}

// -----

func.func @type(%x: tensor<16x9x9x32xf32>, %dy: tensor<16x9x9x32xf32>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync multiplies f16 and bf16, not}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xf32>, tensor<16x9x9x32xf32>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @line(%x: tensor<16x9x32xbf16>, %dy: tensor<16x9x32xbf16>, %dw0: tensor<32x7x1xf32>) -> tensor<32x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync is for images of 2 dimensions, not 1}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x32xbf16>, tensor<16x9x32xbf16>) outs(%dw0 : tensor<32x7x1xf32>) pad [3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x1xf32>
  return %dw : tensor<32x7x1xf32>
}

// -----

func.func @stride(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x5x5x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync has strides and dilations of 1, and filters that are not flipped}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x5x5x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) stride [2, 2] pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [5, 32, 5], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @long(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x1x17x1xf32>) -> tensor<32x1x17x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync is for lines of up to 16 taps, not 17}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x1x17x1xf32>) pad [0, 8] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x1x17x1xf32>
  return %dw : tensor<32x1x17x1xf32>
}

// -----

func.func @channels(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{tile gemm-n (24) of algorithm=loops with mma=mma_sync must be 8, 16, 32 or 64 channels}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 24, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @slabs(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{tile gemm-n (64) of algorithm=loops with mma=mma_sync must divide the 32 channels}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 64, 8], warps = [1, 16], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @warps(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{warps of algorithm=loops with mma=mma_sync have 2, 4 or 8 channels each, but 32 warps along gemm-n share 32}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 32], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @rows(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync has warps along gemm-n, copy=cp_async, perhaps split-k, and no other keys}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [2, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @columns(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{tile gemm-k (9) of algorithm=loops with mma=mma_sync is up to 8 columns of dy, where lines have 7 taps}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 9], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @lines(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{tile gemm-m (10) of algorithm=loops with mma=mma_sync is up to the 9 lines of dy}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [10, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @parts(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{split-k (3) of algorithm=loops with mma=mma_sync is up to the 2 tasks: strips of columns, bands of lines and 16 images}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 3, copy = cp_async, mma = mma_sync, split = 3>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @stages(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync needs 2 stages or more}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 1, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @registers(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{a thread of algorithm=loops with mma=mma_sync has up to 223 registers, but 7 lines of the filter and 8 channels need about 376}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 4], stages = 3, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}

// -----

func.func @shared(%x: tensor<16x9x9x32xbf16>, %dy: tensor<16x9x9x32xbf16>, %dw0: tensor<32x7x7x1xf32>) -> tensor<32x7x7x1xf32> {
  // expected-error @below {{algorithm=loops with mma=mma_sync needs 247808 bytes of shared memory, but a workgroup has 232448}}
  %dw = conv.wgrad ins(%x, %dy : tensor<16x9x9x32xbf16>, tensor<16x9x9x32xbf16>) outs(%dw0 : tensor<32x7x7x1xf32>) pad [3, 3] groups 32 {conv.schedule = #conv.schedule<algorithm = loops, tile = [9, 32, 8], warps = [1, 8], stages = 11, copy = cp_async, mma = mma_sync, split = 1>} -> tensor<32x7x7x1xf32>
  return %dw : tensor<32x7x7x1xf32>
}
