// The peers that are here: modules beside the tool, opened when they are asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "peers/peer.hpp"

namespace bench {

/// The modules there may be, which --peers names, in the order of the tables.
std::vector<std::string_view> peer_module_names();

struct PeerModule {
  std::string name;            ///< Of the module.
  const Peer* peer = nullptr;  ///< Lives until the program ends; null where the module is missing.
  std::string reason;          ///< Why it is missing.
};

/// What a module exports, or why there is nothing.
struct ModuleEntry {
  void* entry = nullptr;
  std::string reason;
};

/// Opens the module in the folder `peers` beside this program, and looks for what it exports under
/// that name. A module stays open: objects of it may live until the program ends.
ModuleEntry open_module_entry(const std::string& name, const char* entry);

/// Opens those modules in the folder `peers` beside this program.
std::vector<PeerModule> open_peers(const std::vector<std::string>& names);

}  // namespace bench
