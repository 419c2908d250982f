// What the JSON documents of this tool have in common; docs/benchmark.md describes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "measure/result.hpp"

namespace bench {

/// Changes when a field changes its meaning or goes; new fields do not change it. Since 2, a suite
/// has results of lines, which n does not tell from others.
inline constexpr int json_schema_version = 2;

using Json = nlohmann::ordered_json;

Json text(std::string_view value);
/// The document as a file's content: each of its parts on a line, each row of a list on its own.
std::string dump(const Json& json);

/// "timed", "skipped", "wrong", "failed".
std::string_view name_of(Outcome outcome);
/// "back_to_back", "isolated", "blocking", "graph".
std::string_view name_of(Regime regime);

/// The fields that every document starts with.
Json json_header(const char* command, std::string_view library_version);
Json as_json(const bifold::DeviceInfo& info);
Json as_json(const bifold::Capabilities& capabilities);
Json as_json(const HostInfo& host);
Json as_json(const Matrix& matrix);
Json as_json(const std::vector<UnopenedDevice>& devices);
/// As `startup` has it, and `run` of a suite.
Json as_json(const StartResult& result);

/// Adds when and on which host was measured.
void add_origin(Json& json, const Measurements& measurements);
/// Adds the devices and the results.
void add_measurements(Json& json, const Measurements& measurements);

}  // namespace bench
