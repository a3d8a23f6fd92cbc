module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x16x32xbf16>, %arg1: tensor<2x14x14x16xbf16>) -> (tensor<3x3x16x32xbf16> {jax.result_info = "result[0]"}, tensor<2x14x14x16xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x14x14x16xbf16>, tensor<3x3x16x32xbf16>) -> tensor<2x7x7x32xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x7x7x32xbf16>
    %2 = stablehlo.compare GT, %0, %1, FLOAT : (tensor<2x7x7x32xbf16>, tensor<2x7x7x32xbf16>) -> tensor<2x7x7x32xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x7x7x32xf32>
    %4 = stablehlo.convert %3 : (tensor<2x7x7x32xf32>) -> tensor<2x7x7x32xbf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<2x7x7x32xbf16>
    %6 = stablehlo.select %2, %4, %5 : tensor<2x7x7x32xi1>, tensor<2x7x7x32xbf16>
    %7 = stablehlo.convolution(%arg1, %6) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x14x14x16xbf16>, tensor<2x7x7x32xbf16>) -> tensor<3x3x16x32xbf16>
    %8 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x3x16x32xbf16>
    %9 = stablehlo.convolution(%6, %8) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x7x7x32xbf16>, tensor<3x3x16x32xbf16>) -> tensor<2x14x14x16xbf16>
    return %7, %9 : tensor<3x3x16x32xbf16>, tensor<2x14x14x16xbf16>
  }
}
