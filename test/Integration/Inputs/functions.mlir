// exp, tanh and erf of f32, and what may be approximate.
!t = tensor<8192xf32>
func.func @functions(%x: !t) -> (!t, !t, !t, !t, !t) {
  %e = tensor.empty() : !t
  %exp = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %tanh = linalg.tanh ins(%x : !t) outs(%e : !t) -> !t
  %erf = linalg.erf ins(%x : !t) outs(%e : !t) -> !t
  %exp_fast = linalg.map ins(%x : !t) outs(%e : !t) (%v: f32, %out: f32) {
    %r = math.exp %v fastmath<afn> : f32
    linalg.yield %r : f32
  }
  %erf_fast = linalg.map ins(%x : !t) outs(%e : !t) (%v: f32, %out: f32) {
    %r = math.erf %v fastmath<afn> : f32
    linalg.yield %r : f32
  }
  return %exp, %tanh, %erf, %exp_fast, %erf_fast : !t, !t, !t, !t, !t
}
