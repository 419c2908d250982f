// A folder that nobody but its owner writes to, and the files in it. Everything goes by descriptor:
// what was judged is what is read, whatever happens to names meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.hpp"

namespace bifold::core {

/// What opening came to. Neither a thing nor a problem: there is nothing of that name.
template <class Thing>
struct Opened {
  std::optional<Thing> thing;
  std::string problem;   ///< Why there is no thing: "it is another user's".
  bool refused = false;  ///< It could be opened, and is not trusted.
};

/// A regular file, open for reading.
class OpenFile {
 public:
  OpenFile(Descriptor descriptor, std::uint64_t bytes) noexcept
      : descriptor_(std::move(descriptor)), bytes_(bytes) {}

  /// Its length when it was opened.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Fills `to` with what follows the bytes read before. False where that is less, or fails.
  [[nodiscard]] bool read(std::span<std::byte> to);
  /// All of it, as text; nothing where that fails.
  [[nodiscard]] std::optional<std::string> text();
  /// Makes now the time of its last change. Failure is of no matter.
  void touch() const noexcept;

 private:
  Descriptor descriptor_;
  std::uint64_t bytes_;
};

/// Opens a file that the caller chose, whoever owns it. Does not wait for the other end of a FIFO.
Opened<OpenFile> open_regular(const std::filesystem::path& file);

/// A folder of the effective user's own, to which nobody else can write. Its parents do not matter:
/// whatever others put in its place is judged itself, and theirs.
class PrivateFolder {
 public:
  /// Opens a folder, through links if need be.
  static Opened<PrivateFolder> open(const std::filesystem::path& folder);
  /// The same; a missing one is made, with what is missing above it, for the owner alone.
  static Opened<PrivateFolder> make(const std::filesystem::path& folder);

  /// Opens a file of that name: a regular one, own, with no other name, to which nobody else can
  /// write. No link is followed, and a FIFO is not waited for.
  [[nodiscard]] Opened<OpenFile> file(const std::string& name) const;

  /// Writes the parts to a new file, for the owner alone, which then takes the name: readers see
  /// the old file or the new one, and the last of several writers wins. What went wrong, or
  /// nothing. Until then it is called NAME, a full stop and 32 hexadecimal digits.
  [[nodiscard]] std::string write(const std::string& name,
                                  std::initializer_list<std::string_view> parts) const;

  struct Entry {
    std::string name;
    std::uint64_t bytes;
    std::int64_t seconds;  ///< Of the time of the last change.
    std::int64_t nanoseconds;
  };
  /// The regular files in it. What vanishes meanwhile is left out.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// False where that fails.
  [[nodiscard]] bool remove(const std::string& name) const;

 private:
  explicit PrivateFolder(Descriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
};

}  // namespace bifold::core
