// Which prelude files the kernels of a family are made of, in order, by the names that Recipe has.
#pragma once

#include <string_view>
#include <vector>

namespace bifold::core {

using PreludeFiles = std::vector<std::string_view>;

/// Blocks of tiles in registers, block after block.
PreludeFiles tile_blocks_prelude();

/// Single-pass scans of tiles in registers, which groups draw.
PreludeFiles lookback_prelude();
/// The same where launches may overlap.
PreludeFiles overlapped_lookback_prelude();

/// Leaves of order v1, of which several launches make a result.
PreludeFiles order_leaf_prelude();
/// The same in one launch.
PreludeFiles order_single_prelude();
/// The same of tiles in index order, by groups and by single work-items.
PreludeFiles order_tile_single_prelude();
PreludeFiles order_loop_single_prelude();
/// Tiles of order v1 by work-items that loop over them, for CPUs.
PreludeFiles order_loop_prelude();

/// Scans' tiles of order v1 in registers.
PreludeFiles order_tile_prelude();
/// Single-pass scans of them: by a group for each tile, by groups a tile ahead, from a ring in
/// local memory, and for CPUs, which keep a tile by the file `tiles`.
PreludeFiles order_lookback_prelude();
PreludeFiles order_ahead_prelude();
PreludeFiles order_ring_prelude();
PreludeFiles order_drawn_prelude(std::string_view tiles);

}  // namespace bifold::core
