// Integers that are added to what an argument holds, and narrowed: 8-bit sums wrap.
func.func @main(%x: tensor<2x5x6x16xi8>, %w: tensor<32x3x3x16xi8>, %old: tensor<2x5x6x32xi32>)
    -> (tensor<2x5x6x32xi32>, tensor<2x5x6x32xi8>, tensor<2x5x6x32xi8>) {
  %sum = conv.forward ins(%x, %w : tensor<2x5x6x16xi8>, tensor<32x3x3x16xi8>) outs(%old : tensor<2x5x6x32xi32>) pad [1, 1] accumulate -> tensor<2x5x6x32xi32>
  %empty = tensor.empty() : tensor<2x5x6x32xi8>
  %narrow = conv.forward ins(%x, %w : tensor<2x5x6x16xi8>, tensor<32x3x3x16xi8>) outs(%empty : tensor<2x5x6x32xi8>) pad [1, 1] -> tensor<2x5x6x32xi8>
  %low = linalg.map ins(%old : tensor<2x5x6x32xi32>) outs(%empty : tensor<2x5x6x32xi8>) (%v: i32, %out: i8) {
    %three = arith.constant 3 : i32
    %more = arith.muli %v, %three : i32
    %r = arith.trunci %more : i32 to i8
    linalg.yield %r : i8
  }
  return %sum, %narrow, %low : tensor<2x5x6x32xi32>, tensor<2x5x6x32xi8>, tensor<2x5x6x32xi8>
}
