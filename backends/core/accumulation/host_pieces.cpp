#include "core/accumulation/host_pieces.hpp"

#include <algorithm>
#include <bit>
#include <system_error>

namespace bifold::core {

HostPieces::HostPieces(Type input, std::optional<Type> output, std::uint64_t bytes,
                       std::uint64_t unit)
    : input_(input), output_(output) {
  const std::uint64_t most = std::max<std::uint64_t>(bytes / size_of(input), 1);
  // A power of two of units is one node of the tree over them.
  piece_ = most < unit ? most : std::bit_floor(most / unit) * unit;
}

void HostPieces::make_room(const Device& device, std::uint64_t count) {
  if (room_ >= count) return;
  room_ = 0;
  for (Place& place : places_) {
    place.input = DeviceArray(device, count, input_);
    if (output_) place.output = DeviceArray(device, count, *output_);
  }
  room_ = count;
}

void HostPieces::wait_for(const Event& work) {
  try {
    work.wait();
  } catch (...) {
    lost_work_ = true;
    throw;
  }
}

void HostPieces::download(Queue& queue, const Event& work, const ErasedView& from, std::byte* to) {
  wait_for(work);
  queue.download_bytes(from, to, from.count);
}

void HostPieces::run(Queue& queue, std::uint64_t first, const HostArrays& arrays,
                     const std::function<void(const ErasedView&, const ErasedView&)>& work) {
  lost_work_ = false;
  make_room(queue.device(), std::min(arrays.count, piece_));
  const auto made = [&](std::optional<Queue>& own) -> Queue& {
    return own ? *own : own.emplace(queue.device());
  };
  Queue& uploads = made(uploads_);
  Queue& downloads = output_ ? made(downloads_) : uploads;
  try {
    std::size_t turn = 0;
    for (std::uint64_t at = 0; at < arrays.count; ++turn) {
      const std::uint64_t count = std::min(arrays.count - at, piece_ - (first + at) % piece_);
      Place& place = places_[turn % places_.size()];
      if (place.downloaded.valid()) place.downloaded.get();
      wait_for(place.done);
      const ErasedView input = place.input.view(0, count);
      uploads.upload_bytes(input, arrays.elements + at * size_of(input_), count);
      if (!output_) {
        work(input, {});
        place.done = queue.record();
      } else {
        const ErasedView output = place.output.view(0, count);
        work(input, output);
        place.done = queue.record();
        const auto load = [this, &downloads, done = place.done, output,
                           to = arrays.outputs + at * size_of(output.type)] {
          download(downloads, done, output, to);
        };
        try {
          place.downloaded = std::async(std::launch::async, load);
        } catch (const std::system_error&) {
          load();  // Without another thread.
        }
      }
      at += count;
    }
    for (std::size_t i = 0; i < places_.size(); ++i, ++turn) {
      Place& place = places_[turn % places_.size()];
      if (place.downloaded.valid()) place.downloaded.get();
    }
  } catch (...) {
    for (const Place& place : places_) {
      if (place.downloaded.valid()) place.downloaded.wait();
    }
    // Work that uses their memory may go on.
    for (Place& place : places_) place = {};
    room_ = 0;
    throw;
  }
}

}  // namespace bifold::core
