// What no convolution has is an error of the script, whatever it is applied to.
//
// RUN: conv-opt %s -split-input-file -verify-diagnostics

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected forward, dgrad or wgrad as kind, got 'backward'}}
  transform.conv.match %module kind "backward" : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected one to three positive numbers as filter, got [3, 0]}}
  transform.conv.match %module filter [3, 0] : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected one to three positive numbers as stride, got []}}
  transform.conv.match %module stride [] : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected a letter of 'nckgdhwtrszpq' as extent, got 'channels'}}
  %0 = transform.conv.find extents {channels = 64} in %module : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected a number that is not negative as extent 'c', got "64"}}
  %0 = transform.conv.find extents {c = "64"} in %module : (!transform.any_op) -> !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{schedule: unknown key 'tiles'}}
  transform.conv.schedule %module keys "tiles=64x64x32" : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{schedule: expected three positive numbers, as in 128x128x32, but got 'tile=64x64'}}
  transform.conv.schedule %module keys "tile=64x64" : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{unknown target 'sm_1', expected one of}}
  transform.conv.schedule %module chip "sm_1" : !transform.any_op
}

// -----

transform.sequence failures(propagate) {
^bb0(%module: !transform.any_op):
  // expected-error @+1 {{expected 'keys' or 'schedule', got both}}
  transform.conv.schedule %module keys "stages=3" {schedule = #conv.schedule<algorithm=implicit_gemm tile=64x64x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync>} : !transform.any_op
}
