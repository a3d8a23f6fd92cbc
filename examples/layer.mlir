// One layer of ResNet-50 with a batch of 8: the convolution of the tour in
// README.md. Its schedule is written by hand; without it, conv-select-schedule
// chooses one.

func.func @layer(%x: tensor<8x56x56x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<8x56x56x64xbf16> {
  %y = tensor.empty() : tensor<8x56x56x64xbf16>
  %r = conv.forward ins(%x, %w : tensor<8x56x56x64xbf16>, tensor<64x3x3x64xbf16>)
                    outs(%y : tensor<8x56x56x64xbf16>) pad [1, 1]
         {conv.schedule = #conv.schedule<algorithm=implicit_gemm tile=256x64x64 warps=4x1 stages=4
                                         copy=cp_async mma=mma_sync>}
         -> tensor<8x56x56x64xbf16>
  return %r : tensor<8x56x56x64xbf16>
}
