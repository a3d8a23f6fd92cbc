// The chip of a module, as it is printed.
// RUN: conv-opt %s | conv-opt | FileCheck %s

// CHECK: module attributes {conv.chip = #conv.chip<"sm_90a", multiprocessors = 78, workgroup_shared = 232448, shared = 233472, registers = 65536, threads = 2048, l2 = 62914560, engines = [cp_async, mma_sync, mma_float8, launch_overlap, tma, wgmma]>}
module attributes {conv.chip = #conv.chip<"sm_90a", multiprocessors = 78, workgroup_shared = 232448, shared = 233472,
    registers = 65536, threads = 2048, l2 = 62914560,
    engines = [wgmma, tma, cp_async, mma_sync, mma_float8, launch_overlap]>} {
  // CHECK: func.func private @part() attributes {conv.chip = #conv.chip<"sm_80", multiprocessors = 14, workgroup_shared = 166912, shared = 167936, registers = 65536, threads = 2048, l2 = 5242880, engines = [cp_async]>}
  func.func private @part() attributes {conv.chip = #conv.chip<"sm_80", multiprocessors = 14, workgroup_shared = 166912,
      shared = 167936, registers = 65536, threads = 2048, l2 = 5242880, engines = [cp_async]>}
}
