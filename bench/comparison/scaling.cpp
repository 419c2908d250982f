#include "comparison/scaling.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace bench {
namespace {

/// "NVIDIA H200", "NVIDIA H200 and others".
std::string devices_text(const GroupResult& group) {
  const std::string& first = group.ranks.front().device_name;
  const bool alike = std::ranges::all_of(
      group.ranks, [&](const RankReport& rank) { return rank.device_name == first; });
  return alike ? first : first + " and others";
}

/// The elements that a line of a chart has in common, of all ranks or of each.
std::uint64_t size_of_line(const GroupResult& group) {
  return group.scaling == Scaling::strong ? group.what.n : group.ranks.front().elements;
}

std::string line_text(const GroupResult& group) {
  return count_text(size_of_line(group)) +
         (group.scaling == Scaling::strong ? " elements" : " elements a rank");
}

/// "reduce f32", "inclusive scan i32 maximum, any order".
std::string call_text(const GroupResult& group) {
  const Configuration& what = group.what;
  std::string text = formatted("{} {}", algorithm_text(what), bifold::name_of(what.type));
  if (what.op != bifold::plus) text += formatted(" {}", what.op.name());
  return what.order == bifold::Order::any ? text + ", any order" : text;
}

std::string key_of(const GroupResult& group) {
  return formatted("{}, {}, {}, {}", name_of(group.scaling), call_text(group), devices_text(group),
                   group.transport);
}

bool is_largest(const std::vector<const GroupResult*>& all, const GroupResult& group) {
  return std::ranges::none_of(all, [&](const GroupResult* other) {
    return size_of_line(*other) > size_of_line(group) && key_of(*other) == key_of(group) &&
           other->ranks.size() == group.ranks.size();
  });
}

}  // namespace

std::vector<const GroupResult*> groups_of(const Comparison& comparison) {
  std::vector<const GroupResult*> groups;
  for (const RunFile& run : comparison.files) {
    for (const GroupResult& group : run.groups) groups.push_back(&group);
  }
  return groups;
}

std::vector<Column> scaling_columns() {
  return {{"ranks", true},    {"n", true},     {"group", true},    {"slice", true}, {"share", true},
          {"exchange", true}, {"whole", true}, {"speed-up", true}, {"bits"}};
}

std::vector<std::string> scaling_cells(const GroupResult& group) {
  std::vector<std::string> cells{std::to_string(group.ranks.size()), count_text(group.what.n)};
  if (group.outcome != Outcome::timed) {
    cells.emplace_back(name_of(group.outcome));
    cells.resize(scaling_columns().size());
    return cells;
  }
  for (std::string cell :
       {seconds_text(group.timing.median_s), seconds_text(group.slice_s()),
        share_text(group.slice_s(), group.timing.median_s), seconds_text(group.exchange_s()),
        seconds_text(group.whole.median_s), formatted("{:.2f}x", group.speedup()),
        std::string(group.same_bits() ? "agree" : "DIFFER")}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

Grid scaling_grid(const Comparison& comparison, bool largest_only) {
  Grid grid{{{""}, {"scaling"}, {"transport"}, {"call"}}, {}};
  for (Column& column : scaling_columns()) grid.columns.push_back(std::move(column));
  const auto groups = groups_of(comparison);
  for (const Side& side : comparison.sides) {
    if (side.device != 0) continue;
    for (const GroupResult& group : comparison.files[side.file].groups) {
      if (largest_only && !is_largest(groups, group)) continue;
      std::vector<std::string> row{side.letter, std::string(name_of(group.scaling)),
                                   group.transport, call_text(group)};
      for (std::string& cell : scaling_cells(group)) row.push_back(std::move(cell));
      grid.rows.push_back(std::move(row));
    }
  }
  return grid;
}

std::string scaling_summary(const Comparison& comparison) {
  const auto groups = groups_of(comparison);
  const auto same =
      std::ranges::count_if(groups, [](const GroupResult* group) { return group->same_bits(); });
  return formatted("Over several devices: {} of {} calls have the bits of one.", same,
                   groups.size());
}

std::vector<std::string> scaling_keys(const Comparison& comparison) {
  std::vector<std::string> keys;
  for (const GroupResult* group : groups_of(comparison)) {
    const std::string key = key_of(*group);
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

Json scaling_of(const Comparison& comparison) {
  Json points = Json::array();
  for (const GroupResult* group : groups_of(comparison)) {
    if (group->outcome != Outcome::timed) continue;
    points.push_back({{"key", key_of(*group)},
                      {"line", line_text(*group)},
                      {"ranks", group->ranks.size()},
                      {"speedup", group->speedup()}});
  }
  return points;
}

}  // namespace bench
