// RUN: conv-opt %s -split-input-file -conv-to-kernels='chip=sm_90a schedule="tile=128x128x64,warps=8x1,stages=3,copy=tma,mma=wgmma"' -conv-map-to-wgmma -canonicalize -cse | FileCheck %s

// Each of two warpgroups stages its 64 rows in two panels of 64 columns, which
// are interleaved, and stores them by one of its threads. The first panel's last
// block of 16 columns is 48 elements beside the lane's first, up to the
// permutation of chunks; the second panel begins eight rows, 512 elements,
// further. Rows divide into tiles: no test.

// CHECK-LABEL: gpu.func @even_0
// CHECK-SAME:    %[[Y:[^:,]*]]: memref<16x32x32x128xbf16>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C48:.*]] = arith.constant 48 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG:     %[[PANEL:.*]] = arith.constant 512 : index
// CHECK-DAG:     %[[FIRST:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[THREADS:.*]] = arith.constant 128 : i32
// CHECK:         %[[WARPGROUP32:.*]] = nvvm.shfl.sync
// CHECK:         %[[WARPGROUP:.*]] = arith.index_cast %[[WARPGROUP32]]
// CHECK:         %[[ALL:.*]] = memref.alloc() : memref<2x64x128xbf16, #gpu.address_space<workgroup>>
// CHECK:         %[[PART:.*]] = memref.subview %[[ALL]][%[[WARPGROUP]], 0, 0] [1, 64, 128] [1, 1, 1]
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[PART]]
// CHECK:         %[[BEGIN:.*]] = arith.muli %[[WARPGROUP]], %[[C64]]
//
// The last tile's panels have been read, for all threads of the warpgroup.
// CHECK:         %[[THREAD:.*]] = arith.remui %{{.*}}, %[[C128]]
// CHECK-NEXT:    nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT:    %[[ID:.*]] = arith.addi %[[WARPGROUP32]], %[[FIRST]]
// CHECK-NEXT:    nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
// CHECK:         engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[FLAT]][%[[LANE:.*]]] :
// CHECK:         %[[LAST:.*]] = arith.xori %[[LANE]], %[[C48]]
// CHECK:         engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[FLAT]][%[[LAST]]] :
// CHECK:         %[[NEXT:.*]] = arith.addi %[[LANE]], %[[PANEL]]
// CHECK:         engine.store_matrices %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[FLAT]][%[[NEXT]]] :
// CHECK-COUNT-3: engine.store_matrices
// CHECK-NOT:     engine.store_matrices
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:    nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
// CHECK:         %[[ROW:.*]] = arith.addi %{{.*}}, %[[BEGIN]]
// CHECK:         %[[ELECTED:.*]] = arith.cmpi ult, %[[THREAD]], %[[C1]]
// CHECK-NEXT:    scf.if %[[ELECTED]] {
// CHECK-NEXT:      engine.store_tile %[[PART]] into %[[Y]][%[[ROW]], %[[C0]], %[[C0]]] view <{{.*}}> interleaved :
// CHECK-NEXT:      nvvm.cp.async.bulk.commit.group
// CHECK:         nvvm.cp.async.bulk.wait_group 0
// CHECK-NEXT:    gpu.return
func.func @even(%x: tensor<16x32x32x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> tensor<16x32x32x128xbf16> {
  %y = tensor.empty() : tensor<16x32x32x128xbf16>
  %r = conv.forward ins(%x, %w : tensor<16x32x32x64xbf16>, tensor<128x1x1x64xbf16>) outs(%y : tensor<16x32x32x128xbf16>) -> tensor<16x32x32x128xbf16>
  return %r : tensor<16x32x32x128xbf16>
}

// -----

// 147 rows: the second warpgroup of the last tile has none, and stores nothing.
// Results of f32 are written pair by pair, in panels of 32 columns, one panel
// after the other: groups of eight rows would end past the tensor.

// CHECK-LABEL: gpu.func @floats_0
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 147 : index
// CHECK:         %[[ALL:.*]] = memref.alloc() : memref<2x64x128xf32, #gpu.address_space<workgroup>>
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-32: vector.store %{{.*}}, %{{.*}}[%{{.*}}] {alignment = 8 : i64} : memref<8192xf32, {{.*}}>, vector<2xf32>
// CHECK-NOT:     vector.store
// CHECK:         nvvm.fence.proxy
// CHECK-DAG:     %[[ELECTED:.*]] = arith.cmpi ult, %{{.*}}, %[[C1]] :
// CHECK-DAG:     %[[THERE:.*]] = arith.cmpi ult, %{{.*}}, %[[ROWS]]
// CHECK:         %[[STORES:.*]] = arith.andi %[[ELECTED]], %[[THERE]]
// CHECK:         scf.if %[[STORES]] {
// CHECK-NEXT:      engine.store_tile
// CHECK-NOT:       interleaved
func.func @floats(%x: tensor<3x7x7x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> tensor<3x7x7x128xf32> {
  %y = tensor.empty() : tensor<3x7x7x128xf32>
  %r = conv.forward ins(%x, %w : tensor<3x7x7x64xbf16>, tensor<128x1x1x64xbf16>) outs(%y : tensor<3x7x7x128xf32>) -> tensor<3x7x7x128xf32>
  return %r : tensor<3x7x7x128xf32>
}

// -----

// Rows of 56 bytes are no multiple of 16, and few chunks: pieces of 8 bytes,
// after a barrier of all consumers.

// CHECK-LABEL: gpu.func @narrow_0
// CHECK-DAG:     %[[CONSUMERS:.*]] = arith.constant 256 : i32
// CHECK-NOT:     engine.store_tile
// CHECK-NOT:     engine.store_matrices
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %[[CONSUMERS]]
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %[[CONSUMERS]]
// CHECK:         vector.store %{{.*}}, %{{.*}}[%{{.*}}] {alignment = 8 : i64} : memref<21952xbf16>, vector<4xbf16>
// CHECK-NOT:     nvvm.cp.async.bulk
func.func @narrow(%x: tensor<16x7x7x64xbf16>, %w: tensor<28x1x1x64xbf16>) -> tensor<16x7x7x28xbf16> {
  %y = tensor.empty() : tensor<16x7x7x28xbf16>
  %r = conv.forward ins(%x, %w : tensor<16x7x7x64xbf16>, tensor<28x1x1x64xbf16>) outs(%y : tensor<16x7x7x28xbf16>) -> tensor<16x7x7x28xbf16>
  return %r : tensor<16x7x7x28xbf16>
}

// -----

// Rows of 74 bytes: the threads of a warpgroup load the two staged chunks that a
// chunk of memory overlaps, move their words by up to 16 bytes (of four, by four
// and two, then one), and the bits of a word, and store it; of the first and last
// ones of a row what is the row's, element by element. 64 rows overlap 17 chunks
// at most, of a part of 128 columns.

// CHECK-LABEL: gpu.func @unaligned_0
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 15 : index
// CHECK-DAG:     %[[CHUNKS:.*]] = arith.constant 17 : index
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 1088 : index
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 512 : index
// CHECK-DAG:     %[[UP:.*]] = arith.constant 1536 : index
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[THREADS:.*]] = arith.constant 128 : i32
// CHECK:         nvvm.barrier id = %[[ID:.*]] number_of_threads = %[[THREADS]]
// CHECK-COUNT-8: engine.store_matrices
// CHECK-NOT:     engine.store_matrices
// CHECK:         nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
// CHECK:         scf.for %{{.*}} = %[[C0]] to %[[UP]] step %[[STEP]] {
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[INDEX:.*]], %[[ALL]]
// CHECK:           %[[OWN:.*]] = arith.select %[[EXISTS]], %[[INDEX]], %[[C0]]
// CHECK:           arith.divui %[[OWN]], %[[CHUNKS]]
// CHECK:           %[[NUMBER:.*]] = arith.remui %[[OWN]], %[[CHUNKS]]
// CHECK:           arith.minui %[[NUMBER]], %[[LAST]]
// CHECK-COUNT-2:   vector.load %{{.*}} {alignment = 16 : i64} : memref<8192xbf16, {{.*}}>, vector<8xbf16>
// CHECK:           %[[FROM:.*]] = arith.subi %[[BYTES]], %{{.*}} : i32
// CHECK-COUNT-4:   arith.select %{{.*}} : i32
// CHECK:           arith.andi %[[FROM]], %[[THREE]] : i32
// CHECK-COUNT-4:   llvm.intr.fshr
// CHECK:           vector.store %{{.*}} {alignment = 16 : i64} : memref<29008xbf16>, vector<8xbf16>
// CHECK:         } else {
// CHECK-COUNT-8:   vector.store %{{.*}} {alignment = 2 : i64} : memref<29008xbf16>, vector<1xbf16>
// CHECK-NOT:     nvvm.cp.async.bulk
func.func @unaligned(%x: tensor<16x7x7x64xbf16>, %w: tensor<37x1x1x64xbf16>) -> tensor<16x7x7x37xbf16> {
  %y = tensor.empty() : tensor<16x7x7x37xbf16>
  %r = conv.forward ins(%x, %w : tensor<16x7x7x64xbf16>, tensor<37x1x1x64xbf16>) outs(%y : tensor<16x7x7x37xbf16>) -> tensor<16x7x7x37xbf16>
  return %r : tensor<16x7x7x37xbf16>
}

// -----

// Rows of 72 bytes: no bits of a word are left to move, and pieces are of 8
// bytes.

// CHECK-LABEL: gpu.func @half_chunks_0
// CHECK:         engine.store_matrices
// CHECK-NOT:     llvm.intr.fshr
// CHECK:         vector.store %{{.*}} {alignment = 16 : i64} : memref<28224xbf16>, vector<8xbf16>
// CHECK:         } else {
// CHECK-COUNT-2:   vector.store %{{.*}} {alignment = 8 : i64} : memref<28224xbf16>, vector<4xbf16>
func.func @half_chunks(%x: tensor<16x7x7x64xbf16>, %w: tensor<36x1x1x64xbf16>) -> tensor<16x7x7x36xbf16> {
  %y = tensor.empty() : tensor<16x7x7x36xbf16>
  %r = conv.forward ins(%x, %w : tensor<16x7x7x64xbf16>, tensor<36x1x1x64xbf16>) outs(%y : tensor<16x7x7x36xbf16>) -> tensor<16x7x7x36xbf16>
  return %r : tensor<16x7x7x36xbf16>
}
