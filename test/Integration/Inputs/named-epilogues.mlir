// What follows a convolution in forms that are not linalg.generic, for the
// named-epilogues tests of Emulator and CUDA: each function is one kernel.

#id = affine_map<(n, p, q, k) -> (n, p, q, k)>

// A bias that the convolution begins with, a residual, an activation.
func.func @last(%x: tensor<2x8x9x32xbf16>, %w: tensor<48x3x3x32xbf16>, %bias: tensor<48xf32>, %r: tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x7x48xf32>
  %b = linalg.broadcast ins(%bias : tensor<48xf32>) outs(%e : tensor<2x6x7x48xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<2x8x9x32xbf16>, tensor<48x3x3x32xbf16>) outs(%b : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %s = linalg.map { arith.addf } ins(%y, %r : tensor<2x6x7x48xf32>, tensor<2x6x7x48xf32>) outs(%e : tensor<2x6x7x48xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %a = linalg.max ins(%s, %z : tensor<2x6x7x48xf32>, tensor<2x6x7x48xf32>) outs(%e : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %o = tensor.empty() : tensor<2x6x7x48xbf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<2x6x7x48xf32>) outs(%o : tensor<2x6x7x48xbf16>) {
  ^bb0(%v: f32, %out: bf16):
    %u = arith.truncf %v : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<2x6x7x48xbf16>
  return %t : tensor<2x6x7x48xbf16>
}

// A scale for each channel, of tensors with their channels first.
func.func @first(%x: tensor<2x16x8x8xbf16>, %w: tensor<24x16x1x1xbf16>, %scale: tensor<24xf32>) -> tensor<2x24x8x8xf32> {
  %e = tensor.empty() : tensor<2x24x8x8xf32>
  %one = arith.constant dense<1.0> : tensor<2x24x8x8xf32>
  %y = conv.forward ins(%x, %w : tensor<2x16x8x8xbf16>, tensor<24x16x1x1xbf16>) outs(%e : tensor<2x24x8x8xf32>) layout nchw -> tensor<2x24x8x8xf32>
  %b = linalg.broadcast ins(%scale : tensor<24xf32>) outs(%e : tensor<2x24x8x8xf32>) dimensions = [0, 2, 3]
  %m = linalg.mul ins(%y, %b : tensor<2x24x8x8xf32>, tensor<2x24x8x8xf32>) outs(%e : tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  %s = linalg.sub ins(%one, %m : tensor<2x24x8x8xf32>, tensor<2x24x8x8xf32>) outs(%e : tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  %n = linalg.elementwise kind=#linalg.elementwise_kind<negf> ins(%s : tensor<2x24x8x8xf32>) outs(%e : tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  return %n : tensor<2x24x8x8xf32>
}

// A scale in a tensor without dimensions, broadcast and as an operand.
func.func @one(%x: tensor<2x8x9x32xbf16>, %w: tensor<48x3x3x32xbf16>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<2x6x7x48xf32> {
  %e = tensor.empty() : tensor<2x6x7x48xf32>
  %y = conv.forward ins(%x, %w : tensor<2x8x9x32xbf16>, tensor<48x3x3x32xbf16>) outs(%e : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<2x6x7x48xf32>) dimensions = [0, 1, 2, 3]
  %m = linalg.mul ins(%y, %b : tensor<2x6x7x48xf32>, tensor<2x6x7x48xf32>) outs(%e : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %a = linalg.generic {indexing_maps = [#id, affine_map<(n, p, q, k) -> ()>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%m, %t : tensor<2x6x7x48xf32>, tensor<f32>) outs(%e : tensor<2x6x7x48xf32>) {
  ^bb0(%v: f32, %u: f32, %out: f32):
    %0 = arith.addf %v, %u : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x7x48xf32>
  return %a : tensor<2x6x7x48xf32>
}

// The same of a gradient, in as many parts as there are blocks of gemm-k.
func.func @gradient(%x: tensor<2x8x8x16xbf16>, %dy: tensor<2x8x8x24xbf16>, %s: tensor<f32>) -> tensor<24x1x1x16xf32> {
  %e = tensor.empty() : tensor<24x1x1x16xf32>
  %dw = conv.wgrad ins(%x, %dy : tensor<2x8x8x16xbf16>, tensor<2x8x8x24xbf16>) outs(%e : tensor<24x1x1x16xf32>) -> tensor<24x1x1x16xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<24x1x1x16xf32>) dimensions = [0, 1, 2, 3]
  %m = linalg.mul ins(%dw, %b : tensor<24x1x1x16xf32>, tensor<24x1x1x16xf32>) outs(%e : tensor<24x1x1x16xf32>) -> tensor<24x1x1x16xf32>
  return %m : tensor<24x1x1x16xf32>
}
