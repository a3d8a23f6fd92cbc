// RUN: not --crash mlir-opt %s

// An array of numbers without a width is reported as ill-formed only after the
// parser has asked for that width.

module attributes {sizes = array<index: 32, 1>} {}
