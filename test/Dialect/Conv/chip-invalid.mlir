// What is no chip, and what its target does not have.
// RUN: conv-opt %s -verify-diagnostics -split-input-file

// expected-error @below {{'conv.chip' must be a #conv.chip, but is "sm_90a"}}
module attributes {conv.chip = "sm_90a"} {}

// -----

// expected-error @below {{unknown target 'sm_70' of a chip, expected one of sm_80, sm_86}}
module attributes {conv.chip = #conv.chip<"sm_70", multiprocessors = 80, workgroup_shared = 98304, shared = 98304, registers = 65536, threads = 2048, l2 = 6291456, engines = []>} {}

// -----

// expected-error @below {{'multiprocessors' of a chip of sm_80 must be 1 to 4096, but is 0}}
module attributes {conv.chip = #conv.chip<"sm_80", multiprocessors = 0, workgroup_shared = 166912, shared = 167936, registers = 65536, threads = 2048, l2 = 5242880, engines = []>} {}

// -----

// expected-error @below {{'workgroup_shared' of a chip of sm_86 must be 1 to 101376, but is 166912}}
module attributes {conv.chip = #conv.chip<"sm_86", multiprocessors = 28, workgroup_shared = 166912, shared = 102400, registers = 65536, threads = 1536, l2 = 5242880, engines = []>} {}

// -----

// expected-error @below {{'threads' of a chip of sm_86 must be 1 to 1536, but is 2048}}
module attributes {conv.chip = #conv.chip<"sm_86", multiprocessors = 28, workgroup_shared = 101376, shared = 102400, registers = 65536, threads = 2048, l2 = 5242880, engines = []>} {}

// -----

// expected-error @below {{kernels for sm_90 use no tma, wgmma}}
module attributes {conv.chip = #conv.chip<"sm_90", multiprocessors = 132, workgroup_shared = 232448, shared = 233472, registers = 65536, threads = 2048, l2 = 52428800, engines = [cp_async, tma, wgmma]>} {}

// -----

// expected-error @below {{unknown engine 'tcgen05', expected some of cp_async, mma_sync, mma_float8, launch_overlap, tma, wgmma}}
module attributes {conv.chip = #conv.chip<"sm_90", multiprocessors = 132, workgroup_shared = 232448, shared = 233472, registers = 65536, threads = 2048, l2 = 52428800, engines = [tcgen05]>} {}
