// RUN: conv-opt %s -conv-select-schedule=chip=sm_90a -split-input-file -verify-diagnostics

// What schedules with TMA and wgmma can break, beyond their shape.

func.func @staging(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{staging (96) must be a multiple or a part of 64 rows that divides the 128 of a warpgroup}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, staging = 96>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @staging_no_column(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{staging (1) takes 1/64 of a tile's columns at a time, which must be a multiple of 64, but the tile has 32}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 32, 64], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, staging = 1>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @shared(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{132096 bytes of shared memory, what is staged of the result among them, but sm_90a has 115712 for each of 2 workgroups}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 128, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, resident = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @accumulators(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{64 registers of sums a thread, but at most 32 leave room for the rest}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 64, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma, resident = 2, staging = 64>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @instruction(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{wgmma of 256 columns takes 154 registers, but a thread begins with 128}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 256, 64], warps = [4, 1], stages = 2, copy = tma, mma = wgmma, resident = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @window_of_one_tap(%x: tensor<1x8x9x64xf16>, %w: tensor<64x1x1x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{a window is for several taps, but there is 1}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x1x1x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @group_ends_in_window(%x: tensor<1x8x9x96xf16>, %w: tensor<64x3x3x48xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{TMA cannot end a window of 64 channels where a group of 48 channels ends}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x96xf16>, tensor<64x3x3x48xf16>) outs(%y0 : tensor<1x6x7x64xf16>) groups 2 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @merge_divides(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x16xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{merge (3) must divide the 4 groups}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x16xf16>) outs(%y0 : tensor<1x6x7x64xf16>) groups 4 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 16], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, merge = 3>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @window_of_phases(%dy: tensor<1x4x4x64xf16>, %w: tensor<64x3x3x64xf16>, %dx0: tensor<1x9x9x64xf16>) -> tensor<1x9x9x64xf16> {
  // expected-error @below {{a window needs one phase, as forward without input dilation and dgrad with stride 1 have}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x4x4x64xf16>, tensor<64x3x3x64xf16>) outs(%dx0 : tensor<1x9x9x64xf16>) {stride = array<i64: 2, 2>, conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x9x9x64xf16>
  return %dx : tensor<1x9x9x64xf16>
}

// -----

// Two windows of 6 x 66 lines, three filter tiles, and the result.
func.func @windows_without_room(%x: tensor<1x8x9x64xf16>, %w: tensor<192x3x3x64xf16>, %y0: tensor<1x6x7x192xf16>) -> tensor<1x6x7x192xf16> {
  // expected-error @below {{275456 bytes of shared memory, what is staged of the result among them, but sm_90a has 232448 for a workgroup}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<192x3x3x64xf16>) outs(%y0 : tensor<1x6x7x192xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [256, 192, 64], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x6x7x192xf16>
  return %y : tensor<1x6x7x192xf16>
}

// -----

func.func @cluster_size(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{cluster 4x2 has 8 workgroups, but at most 4 are possible}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [4, 2]>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @cluster_parts(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{cluster 4x1 loads tiles in 4 parts of a multiple of 8 rows, but one has 16}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [4, 1]>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @cluster_window(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{workgroups of a cluster share filters, but no window: with window=true a cluster is along gemm-m}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [1, 2], window = true>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @teams(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{one team of 4, 8 or 12 warps, or two of 4, take the tiles in turn, but the schedule has 2 teams of 8}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 64, 64], warps = [8, 1], stages = 2, copy = tma, mma = wgmma, teams = 2>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

// A tail needs tiles that are left after whole rounds, and blocks of gemm-k for its parts. There are 134 tiles of 64 rows.

func.func @tail_of_few(%x: tensor<1x131x65x64xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<1x131x65x16xf16>) -> tensor<1x131x65x16xf16> {
  // expected-error @below {{tail divides tiles that are left after whole rounds of 132, but there are 67; split-k divides all}}
  %y = conv.forward ins(%x, %w : tensor<1x131x65x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<1x131x65x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [128, 16, 32], warps = [8, 1], stages = 3, copy = tma, mma = wgmma, tail = 2>} -> tensor<1x131x65x16xf16>
  return %y : tensor<1x131x65x16xf16>
}

// -----

func.func @tail_of_none(%x: tensor<1x128x66x64xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<1x128x66x16xf16>) -> tensor<1x128x66x16xf16> {
  // expected-error @below {{tail divides tiles that are left after whole rounds of 132, but 132 leave none}}
  %y = conv.forward ins(%x, %w : tensor<1x128x66x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<1x128x66x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = 2>} -> tensor<1x128x66x16xf16>
  return %y : tensor<1x128x66x16xf16>
}

// -----

func.func @tail_in_many_parts(%x: tensor<1x131x65x64xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<1x131x65x16xf16>) -> tensor<1x131x65x16xf16> {
  // expected-error @below {{tail is 3, but gemm-k has 2 blocks of 32}}
  %y = conv.forward ins(%x, %w : tensor<1x131x65x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<1x131x65x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = 3>} -> tensor<1x131x65x16xf16>
  return %y : tensor<1x131x65x16xf16>
}

// -----

func.func @tail_and_split(%x: tensor<1x131x65x64xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<1x131x65x16xf16>) -> tensor<1x131x65x16xf16> {
  // expected-error @below {{tail (2) divides gemm-k of the last tiles and split-k (2) that of all: one of them must be 1}}
  %y = conv.forward ins(%x, %w : tensor<1x131x65x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<1x131x65x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, split = 2, tail = 2>} -> tensor<1x131x65x16xf16>
  return %y : tensor<1x131x65x16xf16>
}

// -----

func.func @tail_of_phases(%dy: tensor<1x67x67x64xf16>, %w: tensor<64x3x3x64xf16>, %dx0: tensor<1x133x133x64xf16>) -> tensor<1x133x133x64xf16> {
  // expected-error @below {{tail is for tiles of one length, and those of 4 stride phases fill the last round as they are}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x67x67x64xf16>, tensor<64x3x3x64xf16>) outs(%dx0 : tensor<1x133x133x64xf16>) stride [2, 2] pad [1:1, 1:1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = 2>} -> tensor<1x133x133x64xf16>
  return %dx : tensor<1x133x133x64xf16>
}

// -----

// Even parts are of a number of tiles that does not divide the workgroups, and want blocks for all: of 5 tiles two workgroups have the last blocks.

func.func @even_tail_of_divisor(%x: tensor<64x8x8x64xf16>, %dy: tensor<64x8x8x64xf16>, %dw0: tensor<64x1x1x64xf16>) -> tensor<64x1x1x64xf16> {
  // expected-error @below {{tail=even: of tiles that are left after whole rounds of 132 workgroups, of a number that does not divide 132, but 4 are}}
  %dw = conv.wgrad ins(%x, %dy : tensor<64x8x8x64xf16>, tensor<64x8x8x64xf16>) outs(%dw0 : tensor<64x1x1x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = even>} -> tensor<64x1x1x64xf16>
  return %dw : tensor<64x1x1x64xf16>
}

// -----

func.func @even_tail_of_few_blocks(%x: tensor<32x8x8x80xf16>, %dy: tensor<32x8x8x64xf16>, %dw0: tensor<64x1x1x80xf16>) -> tensor<64x1x1x80xf16> {
  // expected-error @below {{tail=even: 5 tiles want at least 222 blocks of gemm-k for 132 workgroups, but have 128}}
  %dw = conv.wgrad ins(%x, %dy : tensor<32x8x8x80xf16>, tensor<32x8x8x64xf16>) outs(%dw0 : tensor<64x1x1x80xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = even>} -> tensor<64x1x1x80xf16>
  return %dw : tensor<64x1x1x80xf16>
}

// -----

func.func @even_tail_with_dbias(%x: tensor<40x64x112xf16>, %dy: tensor<40x64x60xf16>, %dw0: tensor<60x1x112xf16>) -> (tensor<60x1x112xf16>, tensor<60xf32>) {
  // expected-error @below {{even parts (tail) have no sums of rows of dy, the gradient of a bias}}
  %dw = conv.wgrad ins(%x, %dy : tensor<40x64x112xf16>, tensor<40x64x60xf16>) outs(%dw0 : tensor<60x1x112xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = even>} -> tensor<60x1x112xf16>
  %e = tensor.empty() : tensor<60xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(k, n, p) -> (n, p, k)>, affine_map<(k, n, p) -> (k)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%dy : tensor<40x64x60xf16>) outs(%e : tensor<60xf32>) {
  ^bb0(%a: f16, %s: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<60xf32>
  return %dw, %db : tensor<60x1x112xf16>, tensor<60xf32>
}

// -----

func.func @even_tail_of_phases(%dy: tensor<1x67x67x64xf16>, %w: tensor<64x3x3x64xf16>, %dx0: tensor<1x133x133x64xf16>) -> tensor<1x133x133x64xf16> {
  // expected-error @below {{tail is for tiles of one length, and those of 4 stride phases fill the last round as they are}}
  %dx = conv.dgrad ins(%dy, %w : tensor<1x67x67x64xf16>, tensor<64x3x3x64xf16>) outs(%dx0 : tensor<1x133x133x64xf16>) stride [2, 2] pad [1:1, 1:1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 64, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, tail = even>} -> tensor<1x133x133x64xf16>
  return %dx : tensor<1x133x133x64xf16>
}

// -----

func.func @even_tail_in_teams(%x: tensor<64x8x8x80xf16>, %dy: tensor<64x8x8x64xf16>, %dw0: tensor<64x1x1x80xf16>) -> tensor<64x1x1x80xf16> {
  // expected-error @below {{teams take tiles in turn, but even parts (tail) of fewer tiles than 132 leave most workgroups one}}
  %dw = conv.wgrad ins(%x, %dy : tensor<64x8x8x80xf16>, tensor<64x8x8x64xf16>) outs(%dw0 : tensor<64x1x1x80xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, teams = 2, tail = even>} -> tensor<64x1x1x80xf16>
  return %dw : tensor<64x1x1x80xf16>
}

// -----

func.func @even_tail_in_clusters(%x: tensor<64x8x8x80xf16>, %dy: tensor<64x8x8x64xf16>, %dw0: tensor<64x1x1x80xf16>) -> tensor<64x1x1x80xf16> {
  // expected-error @below {{even parts (tail) have no kernel with clusters yet}}
  %dw = conv.wgrad ins(%x, %dy : tensor<64x8x8x80xf16>, tensor<64x8x8x64xf16>) outs(%dw0 : tensor<64x1x1x80xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 16], warps = [4, 1], stages = 4, copy = tma, mma = wgmma, cluster = [1, 2], tail = even>} -> tensor<64x1x1x80xf16>
  return %dw : tensor<64x1x1x80xf16>
}

// -----

// Tiles are gathered of what would be transposed.

func.func @gather_of_channels_last(%x: tensor<2x7x7x64xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16> {
  // expected-error @below {{gather transposes tiles of tensors with channels first, but this operation multiplies none that is transposed}}
  %y = conv.forward ins(%x, %w : tensor<2x7x7x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<2x7x7x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<2x7x7x16xf16>
  return %y : tensor<2x7x7x16xf16>
}

// -----

func.func @gather_of_bytes(%x: tensor<2x64x7x7xi8>, %w: tensor<16x1x1x64xi8>, %y0: tensor<2x7x7x16xi32>) -> tensor<2x7x7x16xi32> {
  %e = tensor.empty() : tensor<2x7x7x64xi8>
  %t = linalg.transpose ins(%x : tensor<2x64x7x7xi8>) outs(%e : tensor<2x7x7x64xi8>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather transposes elements of 16 bits, not of 8}}
  %y = conv.forward ins(%t, %w : tensor<2x7x7x64xi8>, tensor<16x1x1x64xi8>) outs(%y0 : tensor<2x7x7x16xi32>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<2x7x7x16xi32>
  return %y : tensor<2x7x7x16xi32>
}

// -----

func.func @gather_of_groups(%x: tensor<2x64x7x7xf16>, %w: tensor<32x1x1x32xf16>, %y0: tensor<2x7x7x32xf16>) -> tensor<2x7x7x32xf16> {
  %e = tensor.empty() : tensor<2x7x7x64xf16>
  %t = linalg.transpose ins(%x : tensor<2x64x7x7xf16>) outs(%e : tensor<2x7x7x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather has no groups yet}}
  %y = conv.forward ins(%t, %w : tensor<2x7x7x64xf16>, tensor<32x1x1x32xf16>) outs(%y0 : tensor<2x7x7x32xf16>) groups 2 {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<2x7x7x32xf16>
  return %y : tensor<2x7x7x32xf16>
}

// -----

func.func @gather_in_a_cluster(%x: tensor<2x64x7x7xf16>, %w: tensor<16x1x1x64xf16>, %y0: tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16> {
  %e = tensor.empty() : tensor<2x7x7x64xf16>
  %t = linalg.transpose ins(%x : tensor<2x64x7x7xf16>) outs(%e : tensor<2x7x7x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather has no clusters yet}}
  %y = conv.forward ins(%t, %w : tensor<2x7x7x64xf16>, tensor<16x1x1x64xf16>) outs(%y0 : tensor<2x7x7x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, cluster = [2, 1], gather = true>} -> tensor<2x7x7x16xf16>
  return %y : tensor<2x7x7x16xf16>
}

// -----

func.func @gather_of_few_channels(%x: tensor<2x12x7x7xf16>, %w: tensor<16x1x1x12xf16>, %y0: tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16> {
  %e = tensor.empty() : tensor<2x7x7x12xf16>
  %t = linalg.transpose ins(%x : tensor<2x12x7x7xf16>) outs(%e : tensor<2x7x7x12xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather takes a multiple of 8 channels, not 12}}
  %y = conv.forward ins(%t, %w : tensor<2x7x7x12xf16>, tensor<16x1x1x12xf16>) outs(%y0 : tensor<2x7x7x16xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 16, 32], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<2x7x7x16xf16>
  return %y : tensor<2x7x7x16xf16>
}

// -----

func.func @swapped_filters(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-n (96) must be a multiple of 64 filters, 16 for each of 4 warps, up to 256}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 96, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_positions(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-m (260) must be at most 256 positions}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [260, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_single_position(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-m (1) must be at least 2 positions}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [1, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_lines(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-m (60) must be a multiple of 8 positions}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [60, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_panels(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-k (128) must be 32, 64 or 128 bytes, but is 256, which wants a gemm-m that is a multiple of 8, no window and one warp along gemm-m}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 128], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_sums(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{240 sums a thread, padding between rows included, but at most 128 leave room for the rest}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [240, 128, 64], warps = [1, 4], stages = 2, copy = tma, mma = wgmma>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_teams(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{one team of 1 to 3 warpgroups, or two of 1, take the tiles in turn, but the schedule has 2 teams of 1 by 8 warps}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 128, 64], warps = [1, 8], stages = 3, copy = tma, mma = wgmma, teams = 2, window = true>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_split(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{split-k=2 has no kernel with filters as rows (warps along gemm-n), a form that goes with resident, teams, staging, merge, fold and gather}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, split = 2>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_channels(%x: tensor<1x8x9x64xf16>, %w: tensor<60x3x3x64xf16>, %y0: tensor<1x8x9x60xf16>) -> tensor<1x8x9x60xf16> {
  // expected-error @below {{TMA stores channels in multiples of 8, but the result has 60}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<60x3x3x64xf16>) outs(%y0 : tensor<1x8x9x60xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x60xf16>
  return %y : tensor<1x8x9x60xf16>
}

// -----

func.func @swapped_type(%x: tensor<1x8x9x64xi8>, %w: tensor<64x3x3x64xi8>, %y0: tensor<1x8x9x64xi32>) -> tensor<1x8x9x64xi32> {
  // expected-error @below {{filters are the rows of wgmma where operands and result have 16 bits}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xi8>, tensor<64x3x3x64xi8>) outs(%y0 : tensor<1x8x9x64xi32>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xi32>
  return %y : tensor<1x8x9x64xi32>
}

// -----

func.func @swapped_pairs(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>, %z0: tensor<1x64x8x9xf16>) -> tensor<1x64x8x9xf16> {
  // expected-error @below {{a result with its channels first takes rows of an even number of positions, in a tile and its window, but they have 9 and 11}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x9x64xf16>
  %z = linalg.transpose ins(%y : tensor<1x8x9x64xf16>) outs(%z0 : tensor<1x64x8x9xf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<1x64x8x9xf16>
}

// -----

func.func @swapped_staging(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{staging with filters as the rows of wgmma is 64, of tiles that are whole images of a result with its channels first, of a multiple of 64, without a window}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, staging = 64>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_staging_rows(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{staging with filters as the rows of wgmma is 64, of tiles that are whole images of a result with its channels first, of a multiple of 64, without a window}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, staging = 128>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @swapped_bytes(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x8x9x64xf16>) -> tensor<1x8x9x64xf16> {
  // expected-error @below {{tile gemm-k (192) must be a multiple of 32 bytes up to 256, but is 384}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x8x9x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 192], warps = [1, 4], stages = 3, copy = tma, mma = wgmma>} -> tensor<1x8x9x64xf16>
  return %y : tensor<1x8x9x64xf16>
}

// -----

func.func @parts_of_images(%x: tensor<4x7x7x64xf16>, %w: tensor<128x1x1x64xf16>, %y0: tensor<4x7x7x128xf16>, %z0: tensor<4x128x7x7xf16>) -> tensor<4x128x7x7xf16> {
  // expected-error @below {{tile gemm-m (100) must be a multiple of 8 positions, or whole images of a multiple of 64 channels, of which 64 are staged at a time}}
  %y = conv.forward ins(%x, %w : tensor<4x7x7x64xf16>, tensor<128x1x1x64xf16>) outs(%y0 : tensor<4x7x7x128xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [100, 64, 64], warps = [1, 4], stages = 3, copy = tma, mma = wgmma>} -> tensor<4x7x7x128xf16>
  %z = linalg.transpose ins(%y : tensor<4x7x7x128xf16>) outs(%z0 : tensor<4x128x7x7xf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<4x128x7x7xf16>
}

// -----

func.func @swapped_beside(%x: tensor<1x8x8x64xf16>, %w: tensor<128x3x3x64xf16>, %y0: tensor<1x8x8x128xf16>, %z0: tensor<1x128x8x8xf16>) -> tensor<1x128x8x8xf16> {
  // expected-error @below {{a result with its channels first takes whole images of up to 256 positions and 16 filters for each warp, or 4 warps along gemm-n and a multiple of 8 positions for each along gemm-m}}
  %y = conv.forward ins(%x, %w : tensor<1x8x8x64xf16>, tensor<128x3x3x64xf16>) outs(%y0 : tensor<1x8x8x128xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [64, 128, 64], warps = [1, 8], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x8x8x128xf16>
  %z = linalg.transpose ins(%y : tensor<1x8x8x128xf16>) outs(%z0 : tensor<1x128x8x8xf16>) permutation = [0, 3, 1, 2]
  return %z : tensor<1x128x8x8xf16>
}

// -----

// The algorithm is named, not the tile.

func.func @im2col(%x: tensor<1x8x9x64xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<1x6x7x64xf16>) -> tensor<1x6x7x64xf16> {
  // expected-error @below {{explicit im2col has no kernel with TMA and wgmma yet}}
  %y = conv.forward ins(%x, %w : tensor<1x8x9x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<1x6x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = im2col, tile = [32, 64, 64], warps = [4, 1], stages = 3, copy = tma, mma = wgmma, window = true>} -> tensor<1x6x7x64xf16>
  return %y : tensor<1x6x7x64xf16>
}

// -----

func.func @joined_positions(%x: tensor<9x64x7x7xf16>, %w: tensor<64x1x1x64xf16>, %y0: tensor<9x7x7x64xf16>) -> tensor<9x7x7x64xf16> {
  %e = tensor.empty() : tensor<9x7x7x64xf16>
  %t = linalg.transpose ins(%x : tensor<9x64x7x7xf16>) outs(%e : tensor<9x7x7x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather with filters as the rows of wgmma: a tile of whole images has a multiple of their 49 positions, not 104}}
  %y = conv.forward ins(%t, %w : tensor<9x7x7x64xf16>, tensor<64x1x1x64xf16>) outs(%y0 : tensor<9x7x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [104, 64, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<9x7x7x64xf16>
  return %y : tensor<9x7x7x64xf16>
}

// -----

func.func @joined_channels(%x: tensor<9x72x7x7xf16>, %w: tensor<64x1x1x72xf16>, %y0: tensor<9x7x7x64xf16>) -> tensor<9x7x7x64xf16> {
  %e = tensor.empty() : tensor<9x7x7x72xf16>
  %t = linalg.transpose ins(%x : tensor<9x72x7x7xf16>) outs(%e : tensor<9x7x7x72xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather with filters as the rows of wgmma: tile gemm-k (32) must divide the 72 channels of whole images}}
  %y = conv.forward ins(%t, %w : tensor<9x7x7x72xf16>, tensor<64x1x1x72xf16>) outs(%y0 : tensor<9x7x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [196, 64, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<9x7x7x64xf16>
  return %y : tensor<9x7x7x64xf16>
}

// -----

func.func @joined_bytes(%x: tensor<9x64x7x7xf16>, %w: tensor<64x1x1x64xf16>, %y0: tensor<9x7x7x64xf16>) -> tensor<9x7x7x64xf16> {
  %e = tensor.empty() : tensor<9x7x7x64xf16>
  %t = linalg.transpose ins(%x : tensor<9x64x7x7xf16>) outs(%e : tensor<9x7x7x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{TMA copies whole images that are a multiple of 128 bytes together, and of 16 each, but 3 of 32 channels have 9408 bytes}}
  %y = conv.forward ins(%t, %w : tensor<9x7x7x64xf16>, tensor<64x1x1x64xf16>) outs(%y0 : tensor<9x7x7x64xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [147, 64, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<9x7x7x64xf16>
  return %y : tensor<9x7x7x64xf16>
}

// -----

func.func @joined_shared(%x: tensor<9x64x7x7xf16>, %w: tensor<256x1x1x64xf16>, %y0: tensor<9x7x7x256xf16>) -> tensor<9x7x7x256xf16> {
  %e = tensor.empty() : tensor<9x7x7x64xf16>
  %t = linalg.transpose ins(%x : tensor<9x64x7x7xf16>) outs(%e : tensor<9x7x7x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{of shared memory, 2 slots of whole images and what is staged of the result among them, but a workgroup has 232448}}
  %y = conv.forward ins(%t, %w : tensor<9x7x7x64xf16>, tensor<256x1x1x64xf16>) outs(%y0 : tensor<9x7x7x256xf16>) {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [196, 256, 64], warps = [1, 8], stages = 4, copy = tma, mma = wgmma, gather = true>} -> tensor<9x7x7x256xf16>
  return %y : tensor<9x7x7x256xf16>
}

// -----

func.func @joined_taps(%x: tensor<3x64x9x8xf16>, %w: tensor<64x3x3x64xf16>, %y0: tensor<3x9x8x64xf16>) -> tensor<3x9x8x64xf16> {
  %e = tensor.empty() : tensor<3x9x8x64xf16>
  %t = linalg.transpose ins(%x : tensor<3x64x9x8xf16>) outs(%e : tensor<3x9x8x64xf16>) permutation = [0, 2, 3, 1]
  // expected-error @below {{gather with filters as the rows of wgmma: whole images are read by layers of one tap, without stride and padding}}
  %y = conv.forward ins(%t, %w : tensor<3x9x8x64xf16>, tensor<64x3x3x64xf16>) outs(%y0 : tensor<3x9x8x64xf16>) pad [1, 1] {conv.schedule = #conv.schedule<algorithm = implicit_gemm, tile = [72, 64, 32], warps = [1, 4], stages = 3, copy = tma, mma = wgmma, gather = true>} -> tensor<3x9x8x64xf16>
  return %y : tensor<3x9x8x64xf16>
}
