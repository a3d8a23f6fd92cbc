// The layer of docs/tutorial: small, so that the emulator needs no second for
// it. Its schedule is written by hand, so that no model or record changes what
// the chapters show.

func.func @layer(%x: tensor<1x14x14x32xf16>, %w: tensor<32x3x3x32xf16>) -> tensor<1x14x14x32xf16> {
  %y = tensor.empty() : tensor<1x14x14x32xf16>
  %r = conv.forward ins(%x, %w : tensor<1x14x14x32xf16>, tensor<32x3x3x32xf16>)
                    outs(%y : tensor<1x14x14x32xf16>) pad [1, 1]
         {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=64x32x32 warps=2x1 stages=3
                                         copy=cp_async mma=mma_sync>}
         -> tensor<1x14x14x32xf16>
  return %r : tensor<1x14x14x32xf16>
}
