#include "core/gallery/gallery_preludes.hpp"

#include <initializer_list>

namespace bifold::core {

namespace {

PreludeFiles joined(PreludeFiles files, std::initializer_list<std::string_view> more) {
  files.insert(files.end(), more);
  return files;
}

PreludeFiles scan_tile_prelude() {
  return {"count",    "init",      "total",       "lanes",    "units_in",
          "packs_in", "packs_out", "joined_rows", "scan_tile"};
}

PreludeFiles single_pass_prelude() {
  return joined(scan_tile_prelude(), {"atomics", "tile_words", "missing_tile"});
}

PreludeFiles order_strip_prelude(std::string_view elements) {
  return {"count",        "init",           "total",      "lanes_of_32", "order_lanes",
          "units_in",     "packs_in",       "packs_out",  elements,      "element_packs",
          "shifted_rows", "joined_results", "order_strip"};
}

}  // namespace

PreludeFiles tile_blocks_prelude() { return joined(scan_tile_prelude(), {"blocks"}); }

PreludeFiles lookback_prelude() { return joined(single_pass_prelude(), {"tiles", "tiles_drawn"}); }

PreludeFiles overlapped_lookback_prelude() {
  return joined(single_pass_prelude(), {"tiles", "tiles_taken", "launch"});
}

PreludeFiles order_leaf_prelude() {
  return {"count",    "lanes_of_32",   "columns",    "neighbours", "units_in",    "packs_in",
          "elements", "element_packs", "leaf_shape", "leaf_rows",  "order_leaves"};
}

PreludeFiles order_single_prelude() {
  return joined(order_leaf_prelude(),
                {"launch", "init", "atomics", "last_group", "order_nodes", "group_results"});
}

PreludeFiles order_loop_prelude() {
  return {"count", "init", "total", "elements", "blocks", "order_tiles", "order_prefix_local"};
}

PreludeFiles order_tile_prelude() {
  return joined(order_strip_prelude("elements"), {"order_tile_shape", "order_tile"});
}

PreludeFiles order_tile_single_prelude() {
  return joined(order_tile_prelude(),
                {"launch", "atomics", "last_group", "neighbours", "order_nodes", "group_results"});
}

PreludeFiles order_loop_single_prelude() {
  return joined(order_loop_prelude(), {"atomics", "last_group", "neighbours_local", "order_nodes"});
}

PreludeFiles order_lookback_prelude() {
  return joined(order_tile_prelude(), {"launch", "atomics", "tile_words", "tiles", "tiles_taken",
                                       "order_words", "order_lookback"});
}

PreludeFiles order_ahead_prelude() {
  return joined(order_tile_prelude(),
                {"atomics", "tile_words", "tiles", "tiles_drawn", "order_words", "order_lookback"});
}

PreludeFiles order_ring_prelude() {
  return joined(order_strip_prelude("ring_elements"),
                {"launch", "atomics", "tile_words", "order_words", "bulk_copies", "order_ring",
                 "ring_items", "ring_reduce", "ring_scan", "ring_lookback"});
}

PreludeFiles order_drawn_prelude(std::string_view tiles) {
  return {"count",   "init",       "total",       "elements",           tiles,
          "atomics", "tile_words", "order_words", "order_prefix_local", "order_groups_local"};
}

}  // namespace bifold::core
