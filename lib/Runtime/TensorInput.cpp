//===- TensorInput.cpp - generated tensors and input files ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/TensorInput.h"

#include "conv/Runtime/Npy.h"

#include <charconv>

namespace convmlir {

/// splitmix64's finalizer: a bijection that mixes every bit into every other.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t randomBits(uint64_t seed, uint64_t position) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  return mix(mix(seed + golden) + (position + 1) * golden);
}

/// Uniform in [-1, 1) on a grid of 2^-52.
static double uniform(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

static double smallInteger(uint64_t bits) {
  static constexpr double values[8] = {0, 0, 0, 0, -2, -1, 1, 2};
  return values[bits >> 61];
}

static double randomValue(ElementType type, uint64_t bits) {
  if (isInteger(type))
    return static_cast<double>(static_cast<int64_t>(bits >> 56) - 128);
  return uniform(bits);
}

static Result<Tensor> generate(const InputSpec &spec, ElementType type,
                               const Shape &shape, uint64_t seed) {
  Result<Tensor> tensor = Tensor::create(type, shape);
  if (!tensor || spec.kind == InputSpec::Kind::Zeros)
    return tensor;
  for (int64_t i = 0; i < tensor->elements(); ++i) {
    uint64_t bits = randomBits(seed, static_cast<uint64_t>(i));
    double value = 1;
    if (spec.kind == InputSpec::Kind::Random)
      value = randomValue(type, bits);
    else if (spec.kind == InputSpec::Kind::Integers)
      value = smallInteger(bits);
    tensor->set(i, value);
  }
  return tensor;
}

static Result<Tensor> loadFile(const InputSpec &spec, ElementType type,
                               const Shape &shape) {
  Result<NpyArray> array =
      spec.key.empty() ? readNpy(spec.path) : readNpz(spec.path, spec.key);
  if (!array)
    return array.takeError();
  std::string name = spec.key.empty() ? spec.path : spec.path + ":" + spec.key;
  if (array->shape != shape)
    return Error{name + ": expected shape " + toString(shape) + ", got " +
                 toString(array->shape)};
  return tensorFromNpy(*array, type, name);
}

Result<Tensor> makeInput(const InputSpec &spec, ElementType type,
                         const Shape &shape, uint64_t defaultSeed) {
  if (spec.kind == InputSpec::Kind::File)
    return loadFile(spec, type, shape);
  return generate(spec, type, shape, spec.seed.value_or(defaultSeed));
}

static Error badSpec(const std::string &text) {
  return Error{"bad input '" + text +
               "': expected random[:SEED], integers[:SEED], ones, zeros, "
               "PATH.npy or PATH.npz:KEY"};
}

static Result<InputSpec> parseSeeded(InputSpec::Kind kind,
                                     const std::string &text,
                                     std::string_view rest) {
  InputSpec spec;
  spec.kind = kind;
  if (rest.empty())
    return spec;
  uint64_t seed = 0;
  rest.remove_prefix(1);
  auto [end, code] =
      std::from_chars(rest.data(), rest.data() + rest.size(), seed);
  if (code != std::errc() || end != rest.data() + rest.size())
    return Error{"bad input '" + text +
                 "': expected a number below 2^64 as "
                 "the seed, got '" +
                 std::string(rest) + "'"};
  spec.seed = seed;
  return spec;
}

static Result<InputSpec> parseFile(const std::string &text) {
  InputSpec spec;
  spec.kind = InputSpec::Kind::File;
  if (text.size() > 4 && text.ends_with(".npy")) {
    spec.path = text;
    return spec;
  }
  size_t split = text.rfind(".npz:");
  if (split == std::string::npos || split == 0)
    return badSpec(text);
  spec.path = text.substr(0, split + 4);
  spec.key = text.substr(split + 5);
  if (spec.key.empty())
    return Error{"bad input '" + text + "': no key after '.npz:'"};
  return spec;
}

Result<InputSpec> parseInputSpec(const std::string &text) {
  std::string_view view = text;
  for (auto [name, kind] : {std::pair("random", InputSpec::Kind::Random),
                            std::pair("integers", InputSpec::Kind::Integers)})
    if (view.starts_with(name)) {
      std::string_view rest = view.substr(std::string_view(name).size());
      if (rest.empty() || rest.front() == ':')
        return parseSeeded(kind, text, rest);
    }
  for (auto [name, kind] : {std::pair("ones", InputSpec::Kind::Ones),
                            std::pair("zeros", InputSpec::Kind::Zeros)})
    if (view == name) {
      InputSpec spec;
      spec.kind = kind;
      return spec;
    }
  return parseFile(text);
}

} // namespace convmlir
