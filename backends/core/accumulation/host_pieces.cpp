#include "core/accumulation/host_pieces.hpp"

#include <algorithm>
#include <bit>
#include <system_error>
#include <utility>

namespace bifold::core {

namespace {

// A job that goes on beside the caller, or has ended where it may not, or there is no thread.
std::future<void> begun(bool beside, const std::function<void()>& job) {
  if (beside) {
    try {
      return std::async(std::launch::async, job);
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): it goes on below.
    }
  }
  std::packaged_task<void()> task(job);
  task();
  return task.get_future();
}

}  // namespace

HostPieces::HostPieces(Type input, std::optional<Type> second, std::optional<Type> output,
                       std::uint64_t bytes, std::uint64_t unit)
    : input_(input), second_(second), output_(output) {
  const std::uint64_t most = std::max<std::uint64_t>(bytes / size_of(input), 1);
  // A power of two of units is one node of the tree over them.
  piece_ = most < unit ? most : std::bit_floor(most / unit) * unit;
}

void HostPieces::make_room(const Device& device, std::uint64_t count) {
  if (room_ >= count) return;
  room_ = 0;
  for (Place& place : places_) {
    place.input = DeviceArray(device, count, input_);
    if (second_) place.second = DeviceArray(device, count, *second_);
    if (output_) place.output = DeviceArray(device, count, *output_);
    if (!place.copies) place.copies = Queue(device);
  }
  room_ = count;
}

void HostPieces::wait_for(const Event& work) {
  try {
    work.wait();
  } catch (...) {
    if (!lost_work_.exchange(true)) loss_ = std::current_exception();
    throw;
  }
}

// Until nothing goes on there any more.
void HostPieces::wait_for(Place& place) {
  if (place.copied.valid()) place.copied.get();
  wait_for(place.done);
}

// The pieces of one pair of arrays.
struct HostPieces::Run {
  HostPieces& own;
  std::uint64_t first;
  const HostArrays& arrays;
  bool beside;
  std::uint64_t at = 0;  // Of the next element to be uploaded.
  std::size_t turn = 0;  // Of the next piece.

  struct Piece {
    Place* place;
    std::uint64_t at;
    std::uint64_t count;
  };

  // Begins to upload the next piece, if there is one.
  std::optional<Piece> upload() {
    if (at == arrays.count) return {};
    const std::uint64_t left = arrays.count - at;
    const Piece piece{&own.places_.at(turn++ % own.places_.size()), at,
                      std::min(left, own.piece_ - (first + at) % own.piece_)};
    at += piece.count;
    own.wait_for(*piece.place);
    piece.place->copied =
        begun(beside, [&place = *piece.place, &all = arrays, second = own.second_,
                       from = arrays.elements + piece.at * size_of(own.input_), piece] {
          Queue& copies = place.copies.value();
          copies.upload_bytes(place.input.view(0, piece.count), from, piece.count);
          if (second) {
            copies.upload_bytes(place.second.view(0, piece.count),
                                all.second + piece.at * size_of(*second), piece.count);
          }
          // Work of another queue is behind a finished one, not behind a blocking copy.
          copies.finish();
        });
    return piece;
  }

  void download(const Piece& piece, const ErasedView& outputs) {
    piece.place->copied = begun(beside, [this, &place = *piece.place, outputs,
                                         to = arrays.outputs + piece.at * size_of(outputs.type)] {
      own.wait_for(place.done);
      place.copies.value().download_bytes(outputs, to, outputs.count);
    });
  }
};

void HostPieces::run(Queue& queue, std::uint64_t first, const HostArrays& arrays,
                     const Work& work) {
  lost_work_ = false;
  loss_ = nullptr;
  make_room(queue.device(), std::min(arrays.count, piece_));
  Run run{*this, first, arrays, arrays.count > piece_};
  try {
    std::optional<Run::Piece> next = run.upload();
    while (next) {
      const Run::Piece piece = *next;
      next = run.upload();
      piece.place->copied.get();
      const auto part_of = [&piece](const DeviceArray& array, bool there) {
        return there ? array.view(0, piece.count) : ErasedView{};
      };
      const ErasedView outputs = part_of(piece.place->output, output_.has_value());
      work({part_of(piece.place->input, true), part_of(piece.place->second, second_.has_value()),
            outputs});
      piece.place->done = queue.record();
      if (output_) run.download(piece, outputs);
    }
    for (Place& place : places_) {
      if (place.copied.valid()) place.copied.get();
    }
  } catch (...) {
    for (const Place& place : places_) {
      if (place.copied.valid()) place.copied.wait();
    }
    // Work that uses their memory may go on.
    for (Place& place : places_) place = {};
    room_ = 0;
    throw;
  }
}

}  // namespace bifold::core
