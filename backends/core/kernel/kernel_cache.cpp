#include "core/kernel/kernel_cache.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/version.hpp>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/base/process.hpp"

namespace bifold::core {

namespace {

// What must be equal for a stored binary to do what a new one would.
std::string disk_key(const backend::Device& device, const backend::Source& source) {
  std::string key = "bifold ";
  key += version();
  for (const std::string& part : {device.binary_key(), source.options, source.text}) {
    key += '\n';
    key += part;
  }
  return key;
}

// The cache is an optimisation: whatever goes wrong in it, running out of memory included, is a
// miss.

DiskCache::Lookup look_up(const DiskCache& disk, const std::string& key) {
  try {
    return disk.load(key);
  } catch (const std::exception& error) {
    log().debug("kernel cache: not read: {}", error.what());
    return {{}, true};
  }
}

void keep(const DiskCache& disk, const std::string& key, const backend::Program& program) {
  if (!disk.enabled()) return;
  try {
    disk.store(key, program.binary());
  } catch (const std::exception& error) {
    log().debug("kernel cache: not written: {}", error.what());
  }
}

}  // namespace

KernelCache::KernelCache(backend::Device& device, const CacheOptions& options)
    : device_(device), disk_(options), limit_(options.programs) {}

std::shared_ptr<const backend::Kernel> KernelCache::get(const KernelSpec& spec) {
  const backend::Source source = kernel_source(device_, spec);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = entries_[source.options + '\n' + source.text];
    if (!slot) slot = std::make_shared<Entry>();
    slot->may_go = slot->may_go && spec.may_go;
    slot->asked = ++clock_;
    entry = slot;
  }
  const std::lock_guard lock(entry->mutex);
  if (!entry->program) entry->program = make(source);
  auto& kernel = entry->kernels[std::string(spec.entry)];
  if (!kernel) {
    // Plans of the user's hold it.
    using Kept = std::shared_ptr<const backend::Kernel>;
    const auto state =
        make_state<Kept>(entry->program->kernel(std::string(spec.entry), spec.launch));
    kernel = Kept(state, state->get());
  }
  return kernel;
}

std::shared_ptr<const backend::Program> KernelCache::make(const backend::Source& source) {
  const std::string key = disk_key(device_, source);
  const DiskCache::Lookup found = look_up(disk_, key);
  bool rejected = found.rejected;
  if (!found.binary.empty()) {
    try {
      auto program = device_.load(found.binary, source.options);
      log().debug("{}: loaded from the kernel cache", source.name);
      const std::lock_guard lock(mutex_);
      ++statistics_.from_disk;
      return program;
    } catch (const Error& error) {
      // A driver may refuse what it wrote itself, for instance after a silent update.
      log().debug("{}: cached binary refused, compiling: {}", source.name, error.what());
      rejected = true;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  auto program = device_.build(source);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  log().debug("{}: compiled in {:.1f} ms", source.name, seconds.count() * 1e3);
  keep(disk_, key, *program);
  const std::lock_guard lock(mutex_);
  ++statistics_.compiled;
  statistics_.rejected += rejected ? 1 : 0;
  statistics_.compile_seconds += seconds.count();
  return program;
}

CacheStatistics KernelCache::statistics() const {
  const std::lock_guard lock(mutex_);
  CacheStatistics now = statistics_;
  now.programs = entries_.size();
  return now;
}

bool KernelCache::is_half_full() const {
  const std::lock_guard lock(mutex_);
  return entries_.size() >= limit_ / 2;
}

bool KernelCache::is_over_full() const {
  const std::lock_guard lock(mutex_);
  return entries_.size() > limit_;
}

bool KernelCache::drop_unused() {
  std::vector<std::shared_ptr<Entry>> dropped;  // Ends after the lock.
  const std::lock_guard lock(mutex_);
  using Place = decltype(entries_)::iterator;
  std::vector<Place> unused;
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    const std::shared_ptr<Entry>& entry = at->second;
    // Who makes or takes something of it has it in hand.
    if (!entry->may_go || entry.use_count() > 1) continue;
    const bool used = std::any_of(entry->kernels.begin(), entry->kernels.end(),
                                  [](const auto& kernel) { return kernel.second.use_count() > 1; });
    if (!used) unused.push_back(at);
  }
  std::sort(unused.begin(), unused.end(), [](const Place& left, const Place& right) {
    return left->second->asked < right->second->asked;
  });
  for (const Place& at : unused) {
    if (entries_.size() <= limit_) break;
    dropped.push_back(std::move(at->second));
    entries_.erase(at);
  }
  return !dropped.empty();
}

}  // namespace bifold::core
