// A block of a network as torch-mlir prints it in linalg on tensors, f16: two convolutions, the
// first with a stride and a normalisation, and a shortcut; and its gradients. with_weights.py
// writes the bytes of its constants behind it.

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5 + d2, d6 + d3)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5 * 2 + d2, d6 * 2 + d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0, d5, d6)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5, d6)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0) -> (d0)>
module {
  func.func @forward(%x: tensor<2x16x9x7xf16>) -> tensor<2x24x5x4xf16> {
    %w1 = arith.constant dense_resource<torch_tensor_24_16_3_3_torch.float16> : tensor<24x16x3x3xf16>
    %w2 = arith.constant dense_resource<torch_tensor_24_24_3_3_torch.float16> : tensor<24x24x3x3xf16>
    %ws = arith.constant dense_resource<torch_tensor_24_16_1_1_torch.float16> : tensor<24x16x1x1xf16>
    %gamma = arith.constant dense_resource<torch_tensor_24_torch.float16_1> : tensor<24xf16>
    %var = arith.constant dense_resource<torch_tensor_24_torch.float16_4> : tensor<24xf16>
    %beta = arith.constant dense_resource<torch_tensor_24_torch.float16_2> : tensor<24xf16>
    %mean = arith.constant dense_resource<torch_tensor_24_torch.float16_3> : tensor<24xf16>
    %b2 = arith.constant dense_resource<torch_tensor_24_torch.float16> : tensor<24xf16>
    %zero = arith.constant 0.000000e+00 : f16
    %zero_f32 = arith.constant 0.000000e+00 : f32
    %eps = arith.constant 1.000000e-05 : f64
    %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zero : f16
    } : tensor<2x16x9x7xf16> to tensor<2x16x11x9xf16>
    %e = tensor.empty() : tensor<2x24x5x4xf32>
    %i = linalg.fill ins(%zero_f32 : f32) outs(%e : tensor<2x24x5x4xf32>) -> tensor<2x24x5x4xf32>
    %c1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %w1 : tensor<2x16x11x9xf16>, tensor<24x16x3x3xf16>) outs(%i : tensor<2x24x5x4xf32>) -> tensor<2x24x5x4xf32>
    %t1_e = tensor.empty() : tensor<2x24x5x4xf16>
    %t1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c1 : tensor<2x24x5x4xf32>) outs(%t1_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x24x5x4xf16>
    %n_e = tensor.empty() : tensor<2x24x5x4xf16>
    %n = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%t1, %gamma, %beta, %mean, %var : tensor<2x24x5x4xf16>, tensor<24xf16>, tensor<24xf16>, tensor<24xf16>, tensor<24xf16>) outs(%n_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %in_1: f16, %in_2: f16, %in_3: f16, %in_4: f16, %out: f16):
      %0 = arith.truncf %eps : f64 to f16
      %1 = arith.addf %in_4, %0 : f16
      %2 = math.rsqrt %1 : f16
      %3 = arith.subf %in, %in_3 : f16
      %4 = arith.mulf %3, %2 : f16
      %5 = arith.mulf %4, %in_1 : f16
      %6 = arith.addf %5, %in_2 : f16
      linalg.yield %6 : f16
    } -> tensor<2x24x5x4xf16>
    %y1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%n : tensor<2x24x5x4xf16>) outs(%n_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %out: f16):
      %p = arith.cmpf ugt, %in, %zero : f16
      %s = arith.select %p, %in, %zero : f16
      linalg.yield %s : f16
    } -> tensor<2x24x5x4xf16>
    %padded_1 = tensor.pad %y1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zero : f16
    } : tensor<2x24x5x4xf16> to tensor<2x24x7x6xf16>
    %ib = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b2 : tensor<24xf16>) outs(%e : tensor<2x24x5x4xf32>) {
    ^bb0(%in: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      linalg.yield %0 : f32
    } -> tensor<2x24x5x4xf32>
    %c2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_1, %w2 : tensor<2x24x7x6xf16>, tensor<24x24x3x3xf16>) outs(%ib : tensor<2x24x5x4xf32>) -> tensor<2x24x5x4xf32>
    %t2_e = tensor.empty() : tensor<2x24x5x4xf16>
    %t2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c2 : tensor<2x24x5x4xf32>) outs(%t2_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x24x5x4xf16>
    %cs = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%x, %ws : tensor<2x16x9x7xf16>, tensor<24x16x1x1xf16>) outs(%i : tensor<2x24x5x4xf32>) -> tensor<2x24x5x4xf32>
    %ts_e = tensor.empty() : tensor<2x24x5x4xf16>
    %ts = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cs : tensor<2x24x5x4xf32>) outs(%ts_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x24x5x4xf16>
    %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%t2, %ts : tensor<2x24x5x4xf16>, tensor<2x24x5x4xf16>) outs(%n_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %0 = arith.addf %in, %in_1 : f16
      linalg.yield %0 : f16
    } -> tensor<2x24x5x4xf16>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sum : tensor<2x24x5x4xf16>) outs(%n_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %out: f16):
      %p = arith.cmpf ugt, %in, %zero : f16
      %s = arith.select %p, %in, %zero : f16
      linalg.yield %s : f16
    } -> tensor<2x24x5x4xf16>
    return %y : tensor<2x24x5x4xf16>
  }

  func.func @backward(%dy: tensor<2x24x5x4xf16>, %x: tensor<2x16x9x7xf16>, %y1: tensor<2x24x5x4xf16>, %y: tensor<2x24x5x4xf16>) -> (tensor<2x16x9x7xf16>, tensor<24x16x3x3xf16>, tensor<24x24x3x3xf16>, tensor<24x16x1x1xf16>, tensor<24xf16>) {
    %w1 = arith.constant dense_resource<torch_tensor_24_16_3_3_torch.float16> : tensor<24x16x3x3xf16>
    %w2 = arith.constant dense_resource<torch_tensor_24_24_3_3_torch.float16> : tensor<24x24x3x3xf16>
    %ws = arith.constant dense_resource<torch_tensor_24_16_1_1_torch.float16> : tensor<24x16x1x1xf16>
    %gamma = arith.constant dense_resource<torch_tensor_24_torch.float16_1> : tensor<24xf16>
    %var = arith.constant dense_resource<torch_tensor_24_torch.float16_4> : tensor<24xf16>
    %zero = arith.constant 0.000000e+00 : f16
    %zero_f32 = arith.constant 0.000000e+00 : f32
    %eps = arith.constant 1.000000e-05 : f64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %e = tensor.empty() : tensor<2x24x5x4xf16>
    %d2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %dy : tensor<2x24x5x4xf16>, tensor<2x24x5x4xf16>) outs(%e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %p = arith.cmpf ole, %in, %zero : f16
      %s = arith.select %p, %zero, %in_1 : f16
      linalg.yield %s : f16
    } -> tensor<2x24x5x4xf16>
    %dy1_z = tensor.empty() : tensor<2x24x7x6xf16>
    %dy1_f = linalg.fill ins(%zero : f16) outs(%dy1_z : tensor<2x24x7x6xf16>) -> tensor<2x24x7x6xf16>
    %dy1_s = tensor.insert_slice %d2 into %dy1_f[0, 0, 1, 1] [2, 24, 5, 4] [1, 1, 1, 1] : tensor<2x24x5x4xf16> into tensor<2x24x7x6xf16>
    %dy1_w = tensor.empty() : tensor<24x24x3x3xf16>
    %dy1_b = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%dy1_w : tensor<24x24x3x3xf16>) {
    ^bb0(%out: f16):
      %0 = linalg.index 0 : index
      %1 = linalg.index 1 : index
      %2 = linalg.index 2 : index
      %3 = linalg.index 3 : index
      %4 = arith.subi %c2, %2 : index
      %5 = arith.subi %c2, %3 : index
      %6 = tensor.extract %w2[%0, %1, %4, %5] : tensor<24x24x3x3xf16>
      linalg.yield %6 : f16
    } -> tensor<24x24x3x3xf16>
    %dy1_i = tensor.empty() : tensor<2x24x5x4xf32>
    %dy1_0 = linalg.fill ins(%zero_f32 : f32) outs(%dy1_i : tensor<2x24x5x4xf32>) -> tensor<2x24x5x4xf32>
    %dy1_g = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%dy1_s, %dy1_b : tensor<2x24x7x6xf16>, tensor<24x24x3x3xf16>) outs(%dy1_0 : tensor<2x24x5x4xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<2x24x5x4xf32>
    %dy1_e = tensor.empty() : tensor<2x24x5x4xf16>
    %dy1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dy1_g : tensor<2x24x5x4xf32>) outs(%dy1_e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x24x5x4xf16>
    %padded = tensor.pad %y1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zero : f16
    } : tensor<2x24x5x4xf16> to tensor<2x24x7x6xf16>
    %dw2_i = tensor.empty() : tensor<24x24x3x3xf32>
    %dw2_0 = linalg.fill ins(%zero_f32 : f32) outs(%dw2_i : tensor<24x24x3x3xf32>) -> tensor<24x24x3x3xf32>
    %dw2_g = linalg.generic {indexing_maps = [#map2, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %d2 : tensor<2x24x7x6xf16>, tensor<2x24x5x4xf16>) outs(%dw2_0 : tensor<24x24x3x3xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<24x24x3x3xf32>
    %dw2_e = tensor.empty() : tensor<24x24x3x3xf16>
    %dw2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dw2_g : tensor<24x24x3x3xf32>) outs(%dw2_e : tensor<24x24x3x3xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<24x24x3x3xf16>
    %dxs_z = tensor.empty() : tensor<2x24x9x7xf16>
    %dxs_f = linalg.fill ins(%zero : f16) outs(%dxs_z : tensor<2x24x9x7xf16>) -> tensor<2x24x9x7xf16>
    %dxs_s = tensor.insert_slice %d2 into %dxs_f[0, 0, 0, 0] [2, 24, 5, 4] [1, 1, 2, 2] : tensor<2x24x5x4xf16> into tensor<2x24x9x7xf16>
    %dxs_w = tensor.empty() : tensor<24x16x1x1xf16>
    %dxs_b = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%dxs_w : tensor<24x16x1x1xf16>) {
    ^bb0(%out: f16):
      %0 = linalg.index 0 : index
      %1 = linalg.index 1 : index
      %2 = linalg.index 2 : index
      %3 = linalg.index 3 : index
      %4 = arith.subi %c0, %2 : index
      %5 = arith.subi %c0, %3 : index
      %6 = tensor.extract %ws[%0, %1, %4, %5] : tensor<24x16x1x1xf16>
      linalg.yield %6 : f16
    } -> tensor<24x16x1x1xf16>
    %dxs_i = tensor.empty() : tensor<2x16x9x7xf32>
    %dxs_0 = linalg.fill ins(%zero_f32 : f32) outs(%dxs_i : tensor<2x16x9x7xf32>) -> tensor<2x16x9x7xf32>
    %dxs_g = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%dxs_s, %dxs_b : tensor<2x24x9x7xf16>, tensor<24x16x1x1xf16>) outs(%dxs_0 : tensor<2x16x9x7xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<2x16x9x7xf32>
    %dxs_e = tensor.empty() : tensor<2x16x9x7xf16>
    %dxs = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dxs_g : tensor<2x16x9x7xf32>) outs(%dxs_e : tensor<2x16x9x7xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x16x9x7xf16>
    %dws_i = tensor.empty() : tensor<24x16x1x1xf32>
    %dws_0 = linalg.fill ins(%zero_f32 : f32) outs(%dws_i : tensor<24x16x1x1xf32>) -> tensor<24x16x1x1xf32>
    %dws_g = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %d2 : tensor<2x16x9x7xf16>, tensor<2x24x5x4xf16>) outs(%dws_0 : tensor<24x16x1x1xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<24x16x1x1xf32>
    %dws_e = tensor.empty() : tensor<24x16x1x1xf16>
    %dws = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dws_g : tensor<24x16x1x1xf32>) outs(%dws_e : tensor<24x16x1x1xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<24x16x1x1xf16>
    %db_i = tensor.empty() : tensor<24xf32>
    %db_0 = linalg.fill ins(%zero_f32 : f32) outs(%db_i : tensor<24xf32>) -> tensor<24xf32>
    %db_g = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%d2 : tensor<2x24x5x4xf16>) outs(%db_0 : tensor<24xf32>) {
    ^bb0(%in: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.addf %0, %out : f32
      linalg.yield %1 : f32
    } -> tensor<24xf32>
    %db_e = tensor.empty() : tensor<24xf16>
    %db = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel"]} ins(%db_g : tensor<24xf32>) outs(%db_e : tensor<24xf16>) {
    ^bb0(%in: f32, %out: f16):
      %0 = arith.truncf %in : f32 to f16
      linalg.yield %0 : f16
    } -> tensor<24xf16>
    %dn = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y1, %dy1 : tensor<2x24x5x4xf16>, tensor<2x24x5x4xf16>) outs(%e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %p = arith.cmpf ole, %in, %zero : f16
      %s = arith.select %p, %zero, %in_1 : f16
      linalg.yield %s : f16
    } -> tensor<2x24x5x4xf16>
    %d1 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dn, %gamma, %var : tensor<2x24x5x4xf16>, tensor<24xf16>, tensor<24xf16>) outs(%e : tensor<2x24x5x4xf16>) {
    ^bb0(%in: f16, %in_1: f16, %in_2: f16, %out: f16):
      %0 = arith.truncf %eps : f64 to f16
      %1 = arith.addf %in_2, %0 : f16
      %2 = math.rsqrt %1 : f16
      %3 = arith.mulf %in_1, %2 : f16
      %4 = arith.mulf %in, %3 : f16
      linalg.yield %4 : f16
    } -> tensor<2x24x5x4xf16>
    %dx1_z = tensor.empty() : tensor<2x24x11x9xf16>
    %dx1_f = linalg.fill ins(%zero : f16) outs(%dx1_z : tensor<2x24x11x9xf16>) -> tensor<2x24x11x9xf16>
    %dx1_s = tensor.insert_slice %d1 into %dx1_f[0, 0, 1, 1] [2, 24, 5, 4] [1, 1, 2, 2] : tensor<2x24x5x4xf16> into tensor<2x24x11x9xf16>
    %dx1_w = tensor.empty() : tensor<24x16x3x3xf16>
    %dx1_b = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%dx1_w : tensor<24x16x3x3xf16>) {
    ^bb0(%out: f16):
      %0 = linalg.index 0 : index
      %1 = linalg.index 1 : index
      %2 = linalg.index 2 : index
      %3 = linalg.index 3 : index
      %4 = arith.subi %c2, %2 : index
      %5 = arith.subi %c2, %3 : index
      %6 = tensor.extract %w1[%0, %1, %4, %5] : tensor<24x16x3x3xf16>
      linalg.yield %6 : f16
    } -> tensor<24x16x3x3xf16>
    %dx1_i = tensor.empty() : tensor<2x16x9x7xf32>
    %dx1_0 = linalg.fill ins(%zero_f32 : f32) outs(%dx1_i : tensor<2x16x9x7xf32>) -> tensor<2x16x9x7xf32>
    %dx1_g = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%dx1_s, %dx1_b : tensor<2x24x11x9xf16>, tensor<24x16x3x3xf16>) outs(%dx1_0 : tensor<2x16x9x7xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<2x16x9x7xf32>
    %dx1_e = tensor.empty() : tensor<2x16x9x7xf16>
    %dx1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dx1_g : tensor<2x16x9x7xf32>) outs(%dx1_e : tensor<2x16x9x7xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<2x16x9x7xf16>
    %padded_1 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zero : f16
    } : tensor<2x16x9x7xf16> to tensor<2x16x11x9xf16>
    %dw1_i = tensor.empty() : tensor<24x16x3x3xf32>
    %dw1_0 = linalg.fill ins(%zero_f32 : f32) outs(%dw1_i : tensor<24x16x3x3xf32>) -> tensor<24x16x3x3xf32>
    %dw1_g = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded_1, %d1 : tensor<2x16x11x9xf16>, tensor<2x24x5x4xf16>) outs(%dw1_0 : tensor<24x16x3x3xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %0 = arith.extf %in : f16 to f32
      %1 = arith.extf %in_1 : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %out : f32
      linalg.yield %3 : f32
    } -> tensor<24x16x3x3xf32>
    %dw1_e = tensor.empty() : tensor<24x16x3x3xf16>
    %dw1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dw1_g : tensor<24x16x3x3xf32>) outs(%dw1_e : tensor<24x16x3x3xf16>) {
    ^bb0(%in: f32, %out: f16):
      %t = arith.truncf %in : f32 to f16
      linalg.yield %t : f16
    } -> tensor<24x16x3x3xf16>
    %dx_e = tensor.empty() : tensor<2x16x9x7xf16>
    %dx = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dx1, %dxs : tensor<2x16x9x7xf16>, tensor<2x16x9x7xf16>) outs(%dx_e : tensor<2x16x9x7xf16>) {
    ^bb0(%in: f16, %in_1: f16, %out: f16):
      %0 = arith.addf %in, %in_1 : f16
      linalg.yield %0 : f16
    } -> tensor<2x16x9x7xf16>
    return %dx, %dw1, %dw2, %dws, %db : tensor<2x16x9x7xf16>, tensor<24x16x3x3xf16>, tensor<24x24x3x3xf16>, tensor<24x16x1x1xf16>, tensor<24xf16>
  }
}
