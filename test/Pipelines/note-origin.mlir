// RUN: conv-opt %s -conv-note-origin | FileCheck %s
// RUN: conv-opt %s -conv-to-matrices=chip=sm_80 | FileCheck %s
// RUN: conv-opt %s -conv-to-matrices="chip=sm_80 note-origin=false" | FileCheck %s --check-prefix=NONE

// The text of each function is kept; one that is there stays.

// CHECK: module attributes {{{.*}}conv.origin = {main = "func.func @main(%arg0: tensor<1x4x4x8xf16>{{.*}}conv.forward{{.*}}}", other = "func.func @other()"}}
// NONE-NOT: main =
// NONE: func.func @main
module attributes {conv.origin = {other = "func.func @other()"}} {
  func.func @main(%x: tensor<1x4x4x8xf16>, %w: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf16> {
    %y = tensor.empty() : tensor<1x4x4x8xf16>
    %r = conv.forward ins(%x, %w : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16>) outs(%y : tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
    return %r : tensor<1x4x4x8xf16>
  }
}
