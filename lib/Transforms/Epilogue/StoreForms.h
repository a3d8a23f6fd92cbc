//===- StoreForms.h - how a tile of the result can leave --------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a `conv.scatter` of a tile, and what shared memory has left. Output:
// for each form (KernelPlan.td) why the tile cannot leave so, and what is
// staged where it can. Makes no IR: conv-plan-stores asks it. The passes that
// store do as the plan says, and ask once more whether it can be so.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_EPILOGUE_STOREFORMS_H
#define CONV_LIB_TRANSFORMS_EPILOGUE_STOREFORMS_H

#include "SharedRoom.h"
#include "StagedShape.h"
#include "conv/Dialect/Conv/IR/KernelPlan.h"
#include "conv/Schedule/Forms/PhasePairs.h"

namespace mlir::conv {

/// The phases that the kernel stores two by two; nothing where it has none.
std::optional<PhasePairs> findStoredPairs(ScatterOp op,
                                          const KernelTiles &tiles);

class StoreForms {
public:
  /// What besides the tile decides how it leaves.
  struct Site {
    bool isAhead;  ///< TMA loads an operand of the epilogue to its place.
    bool hasZeros; ///< Zeros beside its values leave with them.
  };

  StoreForms(ScatterOp op, const KernelTiles &tiles, Site site)
      : op(op), tiles(tiles), site(site), staged(op, tiles) {}

  /// The forms, the best one first.
  static ArrayRef<StoreForm> getInOrder();
  /// Why the tile cannot leave so; empty if it can.
  std::string whyNot(StoreForm form, const SharedRoom &room);
  /// The same, whether there is room or not.
  std::string whyImpossible(StoreForm form);
  /// Takes from the room what is staged of it.
  void takeRoom(StoreForm form, SharedRoom &room);

private:
  std::string whyNotFragments();
  std::string whyNoTile();
  std::string whyNotByWarpgroups();
  std::string whyNotPanels();
  std::string whyNotUnaligned();
  std::string whyNoChannels();
  std::string whyNotTransposed();
  std::string whyNoForm(StoreForm form);
  std::string whyNoRoom(StoreForm form, const SharedRoom &room);
  /// Of all warpgroups together.
  int64_t getStagedBytes();

  ScatterOp op;
  const KernelTiles &tiles;
  Site site;
  StagedShape staged;
};

/// What all threads stage of a tile together: rows of channels, or, with its
/// channels first, of positions.
convmlir::SharedTile getWorkgroupTile(ScatterOp op, const KernelTiles &tiles);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_EPILOGUE_STOREFORMS_H
