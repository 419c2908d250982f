// A document of `bifold-bench run` that was never measured.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace bifold::test {

using OrderedJson = nlohmann::ordered_json;

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}
inline void write(const std::filesystem::path& file, const OrderedJson& json) {
  write(file, json.dump(1));
}

/// A document of two devices that agree in every bit, made up.
inline OrderedJson made_up_run() {
  const std::string digest = "0123456789abcdef";
  const auto device = [](const char* selector, const char* backend) {
    return OrderedJson{{"selector", selector},
                       {"backend", backend},
                       {"index", 0},
                       {"kind", "gpu"},
                       {"name", "Made <Up> 9000"},
                       {"vendor", "Nobody"},
                       {"platform", "None"},
                       {"driver", "1.2"},
                       {"capabilities",
                        {{"global_bytes", 1 << 30},
                         {"cache_bytes", 0},
                         {"compute_units", 4},
                         {"architecture", ""}}},
                       {"limits", OrderedJson::array()},
                       {"kernels", {{"compiled", 1}, {"from_disk", 0}, {"compile_seconds", 0.5}}}};
  };
  const auto timing = [](double s) {
    return OrderedJson{{"samples", 9},
                       {"calls_per_sample", 4},
                       {"median_s", s},
                       {"p10_s", 0.99 * s},
                       {"p90_s", 1.01 * s}};
  };
  const auto result = [&](const char* selector, double seconds) {
    OrderedJson json{{"device", selector}, {"algorithm", "reduce"}, {"variant", "production"},
                     {"order", "v1"},      {"type", "f32"},         {"operator", "plus"},
                     {"n", 1 << 20},       {"data", "rounding"},    {"digest", digest},
                     {"outcome", "timed"}};
    json.update(timing(seconds));
    json.update(OrderedJson{{"in_cache", false},
                            {"limit_bytes", 1 << 22},
                            {"copy_gb_per_s", 900.0},
                            {"read_gb_per_s", 1000.0},
                            {"enqueue_s", seconds / 10},
                            {"regimes",
                             {{"back_to_back", timing(seconds)},
                              {"isolated", timing(0.9 * seconds)},
                              {"blocking", timing(1.5 * seconds)}}}});
    return json;
  };
  return {{"schema", "bifold-bench"},
          {"schema_version", 1},
          {"command", "run"},
          {"library_version", "1.2.3"},
          {"time", "2025-01-31T12:00:00Z"},
          {"host", {{"cpu", "x"}, {"threads", 2}, {"os", "y"}, {"cache_bytes", 0}}},
          {"settings",
           {{"seconds", 0.1},
            {"samples", 9},
            {"data_seed", 7},
            {"suite", "standard"},
            {"whole_suite", true}}},
          {"devices", {device("cuda:0", "cuda"), device("opencl:0", "opencl")}},
          {"results", {result("cuda:0", 1e-5), result("opencl:0", 2e-5)}}};
}

}  // namespace bifold::test
