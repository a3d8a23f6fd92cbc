// RUN: conv-opt %s -conv-to-kernels=chip=sm_90a -o %t.f6.mlir
// RUN: sed '/@residual_0/s/.panels./[fragments]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: sed '/@residual_0/s/.ahead./[staged]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=PRODUCER
// RUN: sed '/@residual_0/s/.ahead./[fragments, fragments]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=READS
// RUN: sed '/@residual_0/s/.panels./[panels, panels]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=STORES
// RUN: sed '/@residual_0/s/stores = /zero_rows = 64, stores = /' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=NOZEROS
// RUN: sed 's/zero_rows = 64/zero_rows = 0/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=WITH
// RUN: sed 's/zero_rows = 64/zero_rows = 24/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/zero_rows = 64/zero_rows = 257/' %t.f6.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sed 's/channel_boxes/channel_pairs/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: sed 's/channel_boxes/images/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=IMAGES
// RUN: sed 's/channel_boxes/panels/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=TMA
// RUN: sed 's/channel_boxes/unaligned_rows/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: sed '/@odd_5/s/unaligned_rows/channel_rows/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: sed '/@threads_6/s/.tile./[panels]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=WGMMA
// RUN: sed '/@threads_6/s/.staged./[ahead]/' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: sed '/@threads_6/s/.tile./[box]/' %t.f6.mlir | not conv-opt 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: sed '/@odd_5/,/gpu.return/s/3x128x64xbf16/13x128x64xbf16/g' %t.f6.mlir | not conv-opt -conv-rings-to-threads=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: sed -e '/@odd_5/,/gpu.return/s/3x128x64xbf16/13x128x64xbf16/g' -e '/@odd_5/s/, stores = .unaligned_rows.//' %t.f6.mlir | conv-opt -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=OTHERWISE
// RUN: sed 's/, reads = .*]>/>/' %t.f6.mlir > %t.none.mlir
// RUN: not conv-opt %t.none.mlir -conv-lower-tile-copies 2>&1 | FileCheck %s --check-prefix=NOREADS
// RUN: sed 's/, stores = .*]>/>/' %t.f6.mlir | not conv-opt -conv-map-to-wgmma 2>&1 | FileCheck %s --check-prefix=NOSTORES
// RUN: sed 's/, zero_rows = 64//' %t.f6.mlir | not conv-opt -conv-map-to-wgmma 2>&1 | FileCheck %s --check-prefix=NOROWS
// RUN: conv-opt %t.none.mlir -conv-rings-to-threads=chip=sm_90a | FileCheck %s --check-prefix=OLDER
// RUN: sed '/@residual_0/s/.ahead./[staged]/' %t.f6.mlir | not conv-opt -conv-lower-tile-copies 2>&1 | FileCheck %s --check-prefix=ALONEREAD
// RUN: sed '/@threads_6/s/.tile./[images]/' %t.f6.mlir | not conv-opt -conv-lower-tile-copies -conv-map-to-mma-sync 2>&1 | FileCheck %s --check-prefix=ALONESYNC
// RUN: sed '/@odd_5/s/unaligned_rows/panels/' %t.f6.mlir | not conv-opt -conv-map-to-wgmma 2>&1 | FileCheck %s --check-prefix=ALONETMA
// RUN: sed '/@residual_0/s/.panels./[fragments]/' %t.f6.mlir | not conv-opt -conv-map-to-wgmma 2>&1 | FileCheck %s --check-prefix=ALONEPLACE
// RUN: sed 's/zero_rows = 64/zero_rows = 24/' %t.f6.mlir | not conv-opt -conv-map-to-wgmma 2>&1 | FileCheck %s --check-prefix=ALONEROWS

// What a plan says by hand of reads and stores is refused with the limit that it breaks.

// PLACE:    'gpu.func' op has no plan as it is given: reads: ahead: the result is not staged in panels
// PRODUCER: 'gpu.func' op has no plan as it is given: reads: staged: a producer fills the memory of the operands ahead
// READS:    'gpu.func' op has no plan as it is given: reads: the epilogue reads 1 tiles, but 2 are given
// STORES:   'gpu.func' op has no plan as it is given: stores: the kernel stores 1 tiles, but 2 are given
// NOZEROS:  'gpu.func' op has no plan as it is given: zero_rows: there are no zeros between the rows of the result
// WITH:     'gpu.func' op has no plan as it is given: stores: panels: zeros beside the values leave with them
// ROWS:     'gpu.func' op has no plan as it is given: zero_rows: a panel has a multiple of 8 rows that divides the 64 of a warpgroup, not 24
// MANY:     'zero_rows' of a kernel plan are 0 to 256, not 257
// PAIRS:    'gpu.func' op has no plan as it is given: stores: channel_pairs: it has no pairs of phases
// IMAGES:   'gpu.func' op has no plan as it is given: stores: images: a tile is not whole images, of 64 filters of two bytes a warpgroup
// TMA:      'gpu.func' op has no plan as it is given: stores: panels: TMA cannot store the tile, or would store what is not the result's
// LAST:     'gpu.func' op has no plan as it is given: stores: unaligned_rows: it is of results with their channels last
// FIRST:    'gpu.func' op has no plan as it is given: stores: channel_rows: it is of results with their channels first
// WGMMA:    'gpu.func' op has no plan as it is given: stores: panels: it is of kernels with wgmma
// AHEAD:    'gpu.func' op has no plan as it is given: reads: ahead: TMA loads tiles of the result's shape, in kernels with wgmma
// WORD:     error: expected fragments, tile, panels, unaligned_rows, images, channel_boxes, channel_pairs, channel_rows for 'stores' of a kernel plan

// A larger ring leaves no room. Without a plan, threads store what they hold.

// ROOM:      'gpu.func' op has no plan as it is given: stores: unaligned_rows: it takes 16384 bytes of shared memory, but {{[0-9]+}} are left
// OTHERWISE: gpu.func @odd_5({{.*}} stores = [fragments]>

// A pass by itself needs the plan. The pipeline makes it.

// NOREADS:  'gpu.func' op needs 'reads' in its 'conv.kernel_plan', which conv-plan-stores writes
// NOSTORES: 'gpu.func' op needs 'stores' in its 'conv.kernel_plan', which conv-plan-stores writes
// NOROWS:   'gpu.func' op needs 'zero_rows' in its 'conv.kernel_plan', which conv-plan-stores writes
// OLDER:    gpu.func @residual_0({{.*}}, reads = [ahead], stores = [panels]>

// A pass by itself does nothing that conv-plan-stores would refuse.

// ALONEREAD:  'conv.im2col' op cannot be staged: a producer fills the memory of the operands ahead
// ALONESYNC:  'conv.scatter' op cannot leave as the plan of the kernel says: images: it is of kernels with wgmma
// ALONETMA:   'conv.scatter' op cannot leave as the plan of the kernel says: panels: TMA cannot store the tile, or would store what is not the result's
// ALONEPLACE: 'conv.scatter' op cannot leave as the plan of the kernel says: fragments: an operand of the epilogue is loaded ahead to where panels of the result are staged
// ALONEROWS:  'conv.scatter' op has no zeros that TMA stores: a panel has a multiple of 8 rows that divides the 64 of a warpgroup, not 24
#id = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @residual(%x: tensor<3x7x9x64xbf16>, %w: tensor<64x1x1x64xbf16>, %r: tensor<3x7x9x64xbf16>) -> tensor<3x7x9x64xbf16> {
  %e = tensor.empty() : tensor<3x7x9x64xbf16>
  %c = conv.forward ins(%x, %w : tensor<3x7x9x64xbf16>, tensor<64x1x1x64xbf16>) outs(%e : tensor<3x7x9x64xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x7x9x64xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<3x7x9x64xbf16>, tensor<3x7x9x64xbf16>) outs(%e : tensor<3x7x9x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %t = arith.addf %a, %b : bf16
    linalg.yield %t : bf16
  } -> tensor<3x7x9x64xbf16>
  return %s : tensor<3x7x9x64xbf16>
}

func.func @zeros(%dy: tensor<1x9x7x64xbf16>, %w: tensor<64x1x1x64xbf16>, %dx: tensor<1x18x13x64xbf16>) -> tensor<1x18x13x64xbf16> {
  %0 = conv.dgrad ins(%dy, %w : tensor<1x9x7x64xbf16>, tensor<64x1x1x64xbf16>) outs(%dx : tensor<1x18x13x64xbf16>) stride [2, 2]
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=2 copy=tma mma=wgmma split-k=1>} -> tensor<1x18x13x64xbf16>
  return %0 : tensor<1x18x13x64xbf16>
}

func.func @boxes(%x: tensor<3x16x8x8xbf16>, %w: tensor<40x16x3x3xbf16>) -> tensor<3x40x8x8xbf16> {
  %e = tensor.empty() : tensor<3x40x8x8xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x16x8x8xbf16>, tensor<40x16x3x3xbf16>) outs(%e : tensor<3x40x8x8xbf16>) pad [1, 1] layout nchw
       {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 48, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma>} -> tensor<3x40x8x8xbf16>
  return %y : tensor<3x40x8x8xbf16>
}

func.func @odd(%x: tensor<3x5x7x64xbf16>, %w: tensor<36x1x1x64xbf16>) -> tensor<3x5x7x36xbf16> {
  %e = tensor.empty() : tensor<3x5x7x36xbf16>
  %y = conv.forward ins(%x, %w : tensor<3x5x7x64xbf16>, tensor<36x1x1x64xbf16>) outs(%e : tensor<3x5x7x36xbf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=128x64x64 warps=8x1 stages=3 copy=tma mma=wgmma split-k=1>} -> tensor<3x5x7x36xbf16>
  return %y : tensor<3x5x7x36xbf16>
}

func.func @threads(%x: tensor<1x6x7x32xf16>, %w: tensor<32x1x1x32xf16>, %r: tensor<1x6x7x32xf16>) -> tensor<1x6x7x32xf16> {
  %e = tensor.empty() : tensor<1x6x7x32xf16>
  %c = conv.forward ins(%x, %w : tensor<1x6x7x32xf16>, tensor<32x1x1x32xf16>) outs(%e : tensor<1x6x7x32xf16>)
       {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=32x32x32 warps=2x1 stages=2 copy=cp_async mma=mma_sync split-k=1>} -> tensor<1x6x7x32xf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       ins(%c, %r : tensor<1x6x7x32xf16>, tensor<1x6x7x32xf16>) outs(%e : tensor<1x6x7x32xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %t = arith.addf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<1x6x7x32xf16>
  return %s : tensor<1x6x7x32xf16>
}
