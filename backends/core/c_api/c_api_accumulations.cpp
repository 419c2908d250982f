// The C interface: accumulations.
#include <bifold/accumulation/accumulation.hpp>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_shapes.hpp"
#include "core/operators/initial_value.hpp"

struct bifold_accumulation {
  std::variant<bifold::ReduceAccumulation, bifold::ScanAccumulation> value;
  std::optional<bifold::Type> found{};  // Of an element whose index comes with it.
};

namespace bifold::c_api {

namespace {

AccumulationOptions options_from(const bifold_accumulation_options* options) {
  const auto given = read_struct(
      options, BIFOLD_C_SIZE_TO(bifold_accumulation_options, piece_bytes), "accumulation options");
  AccumulationOptions known;
  if (given.piece_bytes > 0) known.piece_bytes = given.piece_bytes;
  return known;
}

using Search = ReduceAccumulation(const Queue&, Type, const AccumulationOptions&);

bifold_status create(Search search, bifold_queue* queue, bifold_type element,
                     const bifold_accumulation_options* options,
                     bifold_accumulation** accumulation) {
  return guard([&] {
    need(accumulation, "accumulation");
    const Type type = type_from(element);
    put_handle(accumulation, search(need(queue, "queue").value, type, options_from(options)), type);
  });
}

ReduceAccumulation& reduction_of(std::variant<ReduceAccumulation, ScanAccumulation>& value) {
  auto* const sum = std::get_if<ReduceAccumulation>(&value);
  if (sum == nullptr) refuse("a scan has no second array");
  return *sum;
}

void refuse_scans(bool given) {
  if (given) refuse("a reduction has no outputs");
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_reduce_accumulation_create(bifold_queue* queue,
                                                const bifold_reduce_shape* shape, const void* init,
                                                const bifold_accumulation_options* options,
                                                bifold_accumulation** accumulation) {
  return guard([&] {
    need(accumulation, "accumulation");
    const bifold::ReduceShape known = reduce_shape_from(shape);
    put_handle(accumulation, bifold::ReduceAccumulation(need(queue, "queue").value, known,
                                                        init_from(known.accumulator, init),
                                                        options_from(options)));
  });
}

bifold_status bifold_scan_accumulation_create(bifold_queue* queue, const bifold_scan_shape* shape,
                                              const void* init,
                                              const bifold_accumulation_options* options,
                                              bifold_accumulation** accumulation) {
  return guard([&] {
    need(accumulation, "accumulation");
    const bifold::ScanShape known = scan_shape_from(shape);
    put_handle(accumulation,
               bifold::ScanAccumulation(need(queue, "queue").value, known,
                                        init_from(known.accumulator, init), options_from(options)));
  });
}

bifold_status bifold_argmin_accumulation_create(bifold_queue* queue, bifold_type element,
                                                const bifold_accumulation_options* options,
                                                bifold_accumulation** accumulation) {
  return create(bifold::ReduceAccumulation::argmin, queue, element, options, accumulation);
}

bifold_status bifold_argmax_accumulation_create(bifold_queue* queue, bifold_type element,
                                                const bifold_accumulation_options* options,
                                                bifold_accumulation** accumulation) {
  return create(bifold::ReduceAccumulation::argmax, queue, element, options, accumulation);
}

void bifold_accumulation_destroy(bifold_accumulation* accumulation) { delete accumulation; }

bifold_status bifold_accumulation_feed(bifold_accumulation* accumulation, bifold_view chunk,
                                       const bifold_view* output) {
  return guard([&] {
    auto& value = need(accumulation, "accumulation").value;
    const bifold::ErasedView from = view_from(chunk, "the input's buffer");
    if (auto* const sum = std::get_if<bifold::ReduceAccumulation>(&value)) {
      refuse_scans(output != nullptr);
      sum->feed(from);
    } else {
      std::get<bifold::ScanAccumulation>(value).feed(
          from, view_from(need(output, "output"), "the output's buffer"));
    }
  });
}

bifold_status bifold_accumulation_feed_host(bifold_accumulation* accumulation, const void* elements,
                                            void* outputs, uint64_t count) {
  return guard([&] {
    auto& value = need(accumulation, "accumulation").value;
    if (count > 0) need(static_cast<const unsigned char*>(elements), "elements");
    if (auto* const sum = std::get_if<bifold::ReduceAccumulation>(&value)) {
      refuse_scans(outputs != nullptr);
      sum->feed_bytes(elements, count);
    } else {
      if (count > 0) need(static_cast<unsigned char*>(outputs), "outputs");
      std::get<bifold::ScanAccumulation>(value).feed_bytes(elements, outputs, count);
    }
  });
}

bifold_status bifold_accumulation_feed_pairs(bifold_accumulation* accumulation, bifold_view chunk,
                                             bifold_view second) {
  return guard([&] {
    reduction_of(need(accumulation, "accumulation").value)
        .feed(view_from(chunk, "the input's buffer"),
              view_from(second, "the second array's buffer"));
  });
}

bifold_status bifold_accumulation_feed_host_pairs(bifold_accumulation* accumulation,
                                                  const void* elements, const void* seconds,
                                                  uint64_t count) {
  return guard([&] {
    if (count > 0) need(static_cast<const unsigned char*>(elements), "elements");
    if (count > 0) need(static_cast<const unsigned char*>(seconds), "seconds");
    reduction_of(need(accumulation, "accumulation").value).feed_bytes(elements, seconds, count);
  });
}

bifold_status bifold_accumulation_count(bifold_accumulation* accumulation, uint64_t* count) {
  return guard([&] {
    need(count, "count") = std::visit([](const auto& value) { return value.count(); },
                                      need(accumulation, "accumulation").value);
  });
}

bifold_status bifold_accumulation_value(bifold_accumulation* accumulation, void* value,
                                        uint64_t* index) {
  return guard([&] {
    bifold_accumulation& own = need(accumulation, "accumulation");
    auto& out = need(static_cast<unsigned char*>(value), "value");
    if (own.found) {
      need(index, "index");
    } else if (index != nullptr) {
      refuse("index is of argmin and argmax alone");
    }
    auto* const sum = std::get_if<bifold::ReduceAccumulation>(&own.value);
    const bifold::Value all =
        sum != nullptr ? sum->value() : std::get<bifold::ScanAccumulation>(own.value).total();
    if (own.found) {
      put_indexed(all, *own.found, &out, index);
    } else {
      std::memcpy(&out, all.data(), all.size());
    }
  });
}

bifold_status bifold_accumulation_save(bifold_accumulation* accumulation, void* bytes, size_t room,
                                       size_t* size) {
  return guard([&] {
    need(size, "size");
    const std::vector<std::byte> saved = std::visit([](auto& value) { return value.save(); },
                                                    need(accumulation, "accumulation").value);
    *size = saved.size();
    if (bytes == nullptr) return;
    if (room < saved.size()) refuse("room for fewer bytes than are saved");
    std::memcpy(bytes, saved.data(), saved.size());
  });
}

bifold_status bifold_accumulation_resume(bifold_accumulation* accumulation, const void* bytes,
                                         size_t size) {
  return guard([&] {
    const auto* const saved = static_cast<const std::byte*>(bytes);
    if (size > 0) need(saved, "bytes");
    std::visit(
        [&](auto& value) {
          value.resume({saved, size});
        },
        need(accumulation, "accumulation").value);
  });
}
