// Uses an installed plain C++ library: no MLIR.

#include "conv/Geometry/ConvGeometry.h"

int main() {
  convmlir::ConvGeometry geometry;
  geometry.spatialRank = 1;
  geometry.input = {10, 1, 1};
  geometry.filter = {3, 1, 1};
  return geometry.check() && geometry.output(0) == 8 ? 0 : 1;
}
