// RUN: conv-opt %s -conv-lower-plain-kernels -split-input-file -verify-diagnostics | FileCheck %s

gpu.module @kernels {
  // Sixteen bytes where the extents and the index keep them aligned; else pieces
  // that are.

  // CHECK-LABEL: gpu.func @contiguous
  // CHECK:         vector.load {{.*}} {alignment = 16 : i64} : memref<4x24xf16>, vector<8xf16>
  // CHECK:         vector.load {{.*}} {alignment = 8 : i64} : memref<4x12xf16>, vector<4xf16>
  // CHECK-COUNT-4: vector.load {{.*}} {alignment = 2 : i64} : memref<4x12xf16>, vector<1xf16>
  // CHECK:         vector.store {{.*}} {alignment = 16 : i64} : memref<4x24xf16>, vector<8xf16>
  gpu.func @contiguous(%a: memref<4x24xf16>, %b: memref<4x12xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %j = affine.apply affine_map<(i) -> (i * 8)>(%i)
    %u = vector.transfer_read %a[%i, %j], %p {in_bounds = [true]} : memref<4x24xf16>, vector<8xf16>
    %v = vector.transfer_read %b[%i, %j], %p {in_bounds = [true]} : memref<4x12xf16>, vector<4xf16>
    %w = vector.transfer_read %b[%j, %i], %p {in_bounds = [true]} : memref<4x12xf16>, vector<4xf16>
    %x = arith.addf %v, %w : vector<4xf16>
    vector.transfer_write %u, %a[%i, %j] {in_bounds = [true]} : vector<8xf16>, memref<4x24xf16>
    vector.transfer_write %x, %b[%i, %j] {in_bounds = [true]} : vector<4xf16>, memref<4x12xf16>
    gpu.return
  }

  // Of fourteen four begin at a multiple of eight bytes, and so on.

  // CHECK-LABEL: gpu.func @pieces
  // CHECK-COUNT-3: vector.load {{.*}} {alignment = 8 : i64} : memref<4x28xf16>, vector<4xf16>
  // CHECK:         vector.load {{.*}} : memref<4x28xf16>, vector<2xf16>
  // CHECK-COUNT-3: vector.store {{.*}} {alignment = 8 : i64} : memref<4x28xf16>, vector<4xf16>
  // CHECK:         vector.store {{.*}} : memref<4x28xf16>, vector<2xf16>
  gpu.func @pieces(%a: memref<4x28xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %c0 = arith.constant 0 : index
    %u = vector.transfer_read %a[%i, %c0], %p {in_bounds = [true]} : memref<4x28xf16>, vector<14xf16>
    vector.transfer_write %u, %a[%i, %c0] {in_bounds = [true]} : vector<14xf16>, memref<4x28xf16>
    gpu.return
  }

  // Elements one by one down a column; one for all where it is the same.

  // CHECK-LABEL: gpu.func @scattered
  // CHECK-COUNT-2: memref.load %{{.*}} : memref<4x24xf16>
  // CHECK:         %[[V:.*]] = vector.from_elements
  // CHECK:         %[[S:.*]] = memref.load %{{.*}} : memref<4x24xf16>
  // CHECK:         vector.broadcast %[[S]] : f16 to vector<2xf16>
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<4x24xf16>
  gpu.func @scattered(%a: memref<4x24xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %u = vector.transfer_read %a[%i, %i], %p {in_bounds = [true], permutation_map = affine_map<(i, j) -> (i)>} : memref<4x24xf16>, vector<2xf16>
    %v = vector.transfer_read %a[%i, %i], %p {in_bounds = [true], permutation_map = affine_map<(i, j) -> (0)>} : memref<4x24xf16>, vector<2xf16>
    %w = arith.addf %u, %v : vector<2xf16>
    vector.transfer_write %w, %a[%i, %i] {in_bounds = [true], permutation_map = affine_map<(i, j) -> (i)>} : vector<2xf16>, memref<4x24xf16>
    gpu.return
  }

  // The same of a block, whose rows are columns of another one; where groups are
  // larger, elements one by one.

  // A block of one element lies along any dimension, contiguous or not.

  // CHECK-LABEL: gpu.func @element
  // CHECK-SAME:    (%[[A:[^:]*]]: memref<8x1x1x3xf32>, %[[U:[^:]*]]: vector<1x1xf32>, %[[I:[^:]*]]: index)
  // CHECK:         %[[E:.*]] = vector.extract %[[U]][0, 0]
  // CHECK:         memref.store %[[E]], %[[A]][%[[I]], %{{.*}}, %{{.*}}, %[[I]]] : memref<8x1x1x3xf32>
  gpu.func @element(%a: memref<8x1x1x3xf32>, %u: vector<1x1xf32>, %i: index) kernel attributes {conv.plain} {
    %c0 = arith.constant 0 : index
    vector.transfer_write %u, %a[%i, %c0, %c0, %i] {in_bounds = [true, true], permutation_map = affine_map<(a, b, c, d) -> (b, c)>} : vector<1x1xf32>, memref<8x1x1x3xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @blocks_of_groups
  // CHECK:         %[[R0:.*]] = vector.load {{.*}} {alignment = 8 : i64} : memref<512xf16>, vector<4xf16>
  // CHECK:         vector.shuffle %[[R0]], %[[R0]] [0, 2]
  // CHECK:         %[[R1:.*]] = vector.load {{.*}} {alignment = 8 : i64} : memref<512xf16>, vector<4xf16>
  // CHECK:         vector.shuffle %[[R1]], %[[R1]] [0, 2]
  // CHECK-COUNT-4: memref.load {{.*}} : memref<8x8x8xf16>
  gpu.func @blocks_of_groups(%x: memref<8x32x2xf16>, %y: memref<8x8x8xf16>, %z: memref<8x8xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %c0 = arith.constant 0 : index
    %j = affine.apply affine_map<(i) -> (i * 2)>(%i)
    %u = vector.transfer_read %x[%j, %j, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(a, b, c) -> (b, a)>} : memref<8x32x2xf16>, vector<2x2xf16>
    %v = vector.transfer_read %y[%j, %j, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(a, b, c) -> (b, a)>} : memref<8x8x8xf16>, vector<2x2xf16>
    %w = arith.addf %u, %v : vector<2x2xf16>
    vector.transfer_write %w, %z[%j, %j] {in_bounds = [true, true]} : vector<2x2xf16>, memref<8x8xf16>
    gpu.return
  }

  // Of groups of a few neighbours the first ones, by loads of whole groups.

  // CHECK-LABEL: gpu.func @groups
  // CHECK:         %[[V:.*]] = vector.load {{.*}} {alignment = 16 : i64} : memref<1344xf16>, vector<8xf16>
  // CHECK:         vector.shuffle %[[V]], %[[V]] [0, 2, 4, 6]
  // CHECK-COUNT-4: memref.load %{{.*}} : memref<12x2x28x2xf16>
  gpu.func @groups(%a: memref<12x2x28x2xf16>, %b: memref<12x28xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %c0 = arith.constant 0 : index
    %j = affine.apply affine_map<(i) -> (i * 4)>(%i)
    %u = vector.transfer_read %a[%i, %c0, %j, %c0], %p {in_bounds = [true], permutation_map = affine_map<(i, r, j, s) -> (j)>} : memref<12x2x28x2xf16>, vector<4xf16>
    %v = vector.transfer_read %a[%i, %c0, %j, %i], %p {in_bounds = [true], permutation_map = affine_map<(i, r, j, s) -> (j)>} : memref<12x2x28x2xf16>, vector<4xf16>
    %w = arith.addf %u, %v : vector<4xf16>
    vector.transfer_write %w, %b[%i, %j] {in_bounds = [true]} : vector<4xf16>, memref<12x28xf16>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @matrix
  // CHECK:         %[[V:.*]] = scf.if %{{.*}} -> (vector<8xbf16>)
  // CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<1512xbf16>, vector<8xbf16>
  // CHECK:         } else {
  // CHECK:           scf.yield %[[ZERO:.*]] : vector<8xbf16>
  // CHECK:         vector.shape_cast %[[V]] : vector<8xbf16> to vector<1x1x8xbf16>
  gpu.func @matrix(%x: memref<1x7x9x24xbf16>, %i: index) kernel attributes {conv.plain} {
    %c = affine.apply affine_map<(i) -> (i * 8)>(%i)
    %m = conv.im2col %x[%i, %i, %c] view <rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1> : memref<1x7x9x24xbf16> -> vector<1x1x8xbf16>
    %v = vector.shape_cast %m : vector<1x1x8xbf16> to vector<8xbf16>
    %w = vector.shape_cast %v : vector<8xbf16> to vector<1x8xbf16>
    // Every row of this view is inside of its tensor.
    // CHECK-NOT:     scf.if
    // CHECK:         vector.store {{.*}} {alignment = 16 : i64} : memref<1512xbf16>, vector<8xbf16>
    conv.scatter %w into %x[%i, %i, %c] view <rows = [3, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1> : vector<1x8xbf16> into memref<1x7x9x24xbf16>
    gpu.return
  }

  // Channels of a position that are images of 63 positions apart.

  // CHECK-LABEL: gpu.func @channels_first
  // CHECK-SAME:    %[[V:[a-z0-9]*]]: vector<1x2xbf16>
  // CHECK:         %[[A:.*]] = vector.extract %{{.*}}[0] : bf16 from vector<2xbf16>
  // CHECK:         memref.store %[[A]], %[[FLAT:.*]][%[[I:.*]]] : memref<1512xbf16>
  // CHECK:         %[[K:.*]] = arith.muli %{{.*}}, %c63
  // CHECK:         %[[J:.*]] = arith.addi %{{.*}}, %[[K]]
  // CHECK:         %[[B:.*]] = vector.extract %{{.*}}[1] : bf16 from vector<2xbf16>
  // CHECK:         memref.store %[[B]], %[[FLAT]][%[[J]]] : memref<1512xbf16>
  gpu.func @channels_first(%x: memref<1x24x7x9xbf16>, %v: vector<1x2xbf16>, %i: index) kernel attributes {conv.plain} {
    %c0 = arith.constant 0 : index
    %c = affine.apply affine_map<(i) -> (i * 2)>(%i)
    conv.scatter %v into %x[%i, %c0, %c] view <rows = [7, 9], taps = [1, 1], stride = [1, 1], step = [1, 1], offset = [0, 0], groups = 1> channels_first : vector<1x2xbf16> into memref<1x24x7x9xbf16>
    gpu.return
  }

  // Eight lanes add what they have, whatever the other lanes of the warp do.

  // CHECK-LABEL: gpu.func @lanes
  // CHECK-SAME:    %[[V:[a-z0-9]*]]: vector<2xf32>
  // CHECK:         %[[T:.*]] = gpu.thread_id x
  // CHECK:         %[[FIRST:.*]] = arith.andi %[[T]], %c24
  // CHECK:         %[[SHIFT:.*]] = arith.index_cast{{.*}} %[[FIRST]]
  // CHECK:         %[[MASK:.*]] = arith.shli %c255{{.*}}, %[[SHIFT]]
  // CHECK:         %[[A:.*]] = nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %c1{{.*}}, %c31
  // CHECK:         %[[B:.*]] = nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %c1{{.*}}, %c31
  // CHECK:         %[[OTHER:.*]] = vector.from_elements %[[A]], %[[B]]
  // CHECK:         arith.addf %[[V]], %[[OTHER]]
  // CHECK-COUNT-2: nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %c2
  // CHECK-COUNT-2: nvvm.shfl.sync bfly %[[MASK]], %{{.*}}, %c4
  // CHECK-NOT:     nvvm.shfl.sync
  gpu.func @lanes(%v: vector<2xf32>, %y: memref<4x2xf32>, %i: index) kernel attributes {conv.plain} {
    %c0 = arith.constant 0 : index
    %s = gpu.subgroup_reduce add %v cluster(size = 8) : (vector<2xf32>) -> vector<2xf32>
    vector.transfer_write %s, %y[%i, %c0] {in_bounds = [true]} : vector<2xf32>, memref<4x2xf32>
    gpu.return
  }

  // A block is read in rows along one dimension and written in rows along the
  // other, eight elements each.

  // CHECK-LABEL: gpu.func @block
  // CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<2x16x40xbf16>, %[[Y:[a-z0-9]*]]: memref<2x40x16xbf16>
  // CHECK-COUNT-8: vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<2x16x40xbf16>, vector<8xbf16>
  // CHECK-NOT:     vector.load
  // CHECK-COUNT-8: vector.store {{.*}}, %[[Y]][{{.*}}] {alignment = 16 : i64} : memref<2x40x16xbf16>, vector<8xbf16>
  // CHECK-NOT:     vector.store
  gpu.func @block(%x: memref<2x16x40xbf16>, %y: memref<2x40x16xbf16>, %n: index, %i: index, %j: index) kernel attributes {conv.plain} {
    %c = affine.apply affine_map<(i) -> (i * 8)>(%i)
    %p = affine.apply affine_map<(i) -> (i * 8)>(%j)
    %pad = ub.poison : bf16
    %v = vector.transfer_read %x[%n, %c, %p], %pad {in_bounds = [true, true], permutation_map = affine_map<(n, c, p) -> (p, c)>} : memref<2x16x40xbf16>, vector<8x8xbf16>
    vector.transfer_write %v, %y[%n, %p, %c] {in_bounds = [true, true]} : vector<8x8xbf16>, memref<2x40x16xbf16>
    gpu.return
  }

  // Another kind of kernel is left alone.

  // CHECK-LABEL: gpu.func @scheduled
  // CHECK:         vector.transfer_read
  gpu.func @scheduled(%a: memref<4x24xf16>, %i: index) kernel {
    %p = ub.poison : f16
    %u = vector.transfer_read %a[%i, %i], %p {in_bounds = [true]} : memref<4x24xf16>, vector<8xf16>
    vector.transfer_write %u, %a[%i, %i] {in_bounds = [true]} : vector<8xf16>, memref<4x24xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tail(%a: memref<4x24xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    // expected-error @below {{cannot be part of a plain kernel: expected a whole vector of one or two dimensions}}
    %u = vector.transfer_read %a[%i, %i], %p : memref<4x24xf16>, vector<8xf16>
    vector.transfer_write %u, %a[%i, %i] {in_bounds = [true]} : vector<8xf16>, memref<4x24xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @rows(%x: memref<1x7x9x24xbf16>, %i: index) kernel attributes {conv.plain} {
    // expected-error @below {{cannot be part of a plain kernel: expected one row of a matrix, but got 'vector<2x8xbf16>'}}
    %m = conv.im2col %x[%i, %i, %i] view <rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1> : memref<1x7x9x24xbf16> -> vector<2x8xbf16>
    conv.scatter %m into %x[%i, %i, %i] view <rows = [3, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1> : vector<2x8xbf16> into memref<1x7x9x24xbf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @maximum(%v: f32) kernel attributes {conv.plain} {
    // expected-error @below {{cannot be part of a plain kernel: expected a sum of f32, f64 or i32 over neighbouring lanes of a warp}}
    %s = gpu.subgroup_reduce maximumf %v cluster(size = 8) : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @outer(%x: memref<4x8x8xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    %u = vector.transfer_read %x[%i, %i, %i], %p {in_bounds = [true, true], permutation_map = affine_map<(a, b, c) -> (a, b)>} : memref<4x8x8xf16>, vector<4x8xf16>
    // expected-error @below {{cannot be part of a plain kernel: none of its two dimensions is contiguous}}
    vector.transfer_write %u, %x[%i, %i, %i] {in_bounds = [true, true], permutation_map = affine_map<(a, b, c) -> (a, b)>} : vector<4x8xf16>, memref<4x8x8xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @registers(%x: memref<1x7x9x65536xbf16>, %i: index) kernel attributes {conv.plain} {
    // expected-error @below {{cannot be part of a plain kernel: the registers of a thread hold 1020 bytes, not 'vector<1x65536xbf16>'}}
    %m = conv.im2col %x[%i, %i, %i] view <rows = [7, 9], taps = [3, 2], stride = [1, 1], step = [1, 1], offset = [-1, 0], groups = 1> : memref<1x7x9x65536xbf16> -> vector<1x65536xbf16>
    conv.scatter %m into %x[%i, %i, %i] view <rows = [3, 4], taps = [1, 1], stride = [2, 2], step = [1, 1], offset = [1, 0], groups = 1> : vector<1x65536xbf16> into memref<1x7x9x65536xbf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @long(%a: memref<4x2048xf16>, %i: index) kernel attributes {conv.plain} {
    %p = ub.poison : f16
    // expected-error @below {{cannot be part of a plain kernel: the registers of a thread hold 1020 bytes, not 'vector<2048xf16>'}}
    %u = vector.transfer_read %a[%i, %i], %p {in_bounds = [true]} : memref<4x2048xf16>, vector<2048xf16>
    vector.transfer_write %u, %a[%i, %i] {in_bounds = [true]} : vector<2048xf16>, memref<4x2048xf16>
    gpu.return
  }
}
