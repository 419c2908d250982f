// The C interface: extremes, counts, products, compensated sums, several results.
#include "core/c_api/c_api_reductions.hpp"

#include <cstddef>
#include <vector>

#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

namespace {

// Puts out the field of that place, of what was found among elements of that type. Those of 16 bits
// are accumulated as f32, and what is found is one of them.
void put_field(const Value& value, std::size_t place, Type element, void* out) {
  const StructField& field = value.type().structure()->fields[place];
  const void* const from = value.data() + field.offset;
  if (field.type != Type::f32 || size_of(element) == sizeof(float)) {
    std::memcpy(out, from, size_of(field.type));
    return;
  }
  float found = 0;
  std::memcpy(&found, from, sizeof found);
  const f16 half(found);
  const bf16 upper(found);
  std::memcpy(out, element == Type::f16 ? static_cast<const void*>(&half) : &upper, sizeof half);
}

void* need_memory(void* memory, const char* what) {
  return &need(static_cast<unsigned char*>(memory), what);
}

using Search = Value(Queue&, const ErasedView&, const ReduceOptions&);

// A search for two values, the fields of what `find` returns.
bifold_status search(Search find, bifold_queue* queue, const bifold_view& input, void* first,
                     const char* first_name, void* second, const char* second_name,
                     const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    static_cast<void>(need_memory(first, first_name));
    static_cast<void>(need_memory(second, second_name));
    CallOptions call(options);
    const ErasedView elements = view_from(input, "the input's buffer");
    const Value found = find(on, elements, call.reduce());
    put_field(found, 0, elements.type, first);
    put_field(found, 1, elements.type, second);
    call.put_done();
  });
}

// The element of a compensated sum of that type; none of any other.
std::optional<Type> summand_of(Type sum) {
  if (sum == type_of<CompensatedSum<float>>()) return Type::f32;
  if (sum == type_of<CompensatedSum<double>>()) return Type::f64;
  return {};
}

}  // namespace

std::vector<Reduction> reductions_from(const bifold_reduction* given, std::size_t count) {
  std::vector<Reduction> all;
  for (std::size_t i = 0; i < count; ++i) {
    const bifold_reduction& one = (&need(given, "reductions"))[i];
    const Type type = type_from(one.type);
    all.push_back({need(one.op, "an operator").value, type, map_or_identity(one.map),
                   init_from(type, one.init)});
  }
  return all;
}

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_argmin(bifold_queue* queue, bifold_view input, void* value, uint64_t* index,
                            const bifold_options* options) {
  return search(bifold::argmin, queue, input, value, "value", index, "index", options);
}

bifold_status bifold_argmax(bifold_queue* queue, bifold_view input, void* value, uint64_t* index,
                            const bifold_options* options) {
  return search(bifold::argmax, queue, input, value, "value", index, "index", options);
}

bifold_status bifold_minmax(bifold_queue* queue, bifold_view input, void* minimum, void* maximum,
                            const bifold_options* options) {
  return search(bifold::minmax, queue, input, minimum, "minimum", maximum, "maximum", options);
}

bifold_status bifold_count_if(bifold_queue* queue, bifold_view input, const bifold_map* predicate,
                              uint64_t* count, const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    const bifold::Map& holds = need(predicate, "predicate").value;
    uint64_t& out = need(count, "count");
    CallOptions call(options);
    out = bifold::count_if(on, view_from(input, "the input's buffer"), holds, call.reduce());
    call.put_done();
  });
}

bifold_status bifold_find_if(bifold_queue* queue, bifold_view input, const bifold_map* predicate,
                             uint64_t* index, const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    const bifold::Map& holds = map_or_identity(predicate);
    uint64_t& out = need(index, "index");
    CallOptions call(options);
    out = bifold::find_if(on, view_from(input, "the input's buffer"), holds, call.reduce())
              .value_or(bifold::no_index);
    call.put_done();
  });
}

bifold_status bifold_argmin_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                 const bifold_options* options) {
  return find_into<FindInto>(bifold::argmin_into, queue, input, result, options);
}

bifold_status bifold_argmax_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                 const bifold_options* options) {
  return find_into<FindInto>(bifold::argmax_into, queue, input, result, options);
}

bifold_status bifold_minmax_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                 const bifold_options* options) {
  return find_into<FindInto>(bifold::minmax_into, queue, input, result, options);
}

bifold_status bifold_count_if_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                   const bifold_map* predicate, const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    const bifold::Map& holds = need(predicate, "predicate").value;
    CallOptions call(options);
    bifold::count_if_into(on, view_from(input, "the input's buffer"),
                          view_from(result, "the result's buffer"), holds, call.reduce());
    call.put_done();
  });
}

bifold_status bifold_find_if_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                  const bifold_map* predicate, const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    const bifold::Map& holds = map_or_identity(predicate);
    CallOptions call(options);
    bifold::find_if_into(on, view_from(input, "the input's buffer"),
                         view_from(result, "the result's buffer"), holds, call.reduce());
    call.put_done();
  });
}

bifold_status bifold_inner_product(bifold_queue* queue, bifold_view first, bifold_view second,
                                   bifold_type type, const void* init, void* result,
                                   const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    void* const out = need_memory(result, "result");
    const bifold::Type of = type_from(type);
    CallOptions call(options);
    const bifold::Value value =
        bifold::inner_product(on, view_from(first, "the first array's buffer"),
                              view_from(second, "the second array's buffer"), of,
                              call.init(of, bifold::plus, init), call.reduce());
    std::memcpy(out, value.data(), value.size());
    call.put_done();
  });
}

bifold_status bifold_inner_product_into(bifold_queue* queue, bifold_view first, bifold_view second,
                                        bifold_view result, const void* init,
                                        const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    const bifold::ErasedView to = view_from(result, "the result's buffer");
    bifold::inner_product_into(on, view_from(first, "the first array's buffer"),
                               view_from(second, "the second array's buffer"), to,
                               call.init(to.type, bifold::plus, init), call.reduce());
    call.put_done();
  });
}

bifold_status bifold_sum_compensated(bifold_queue* queue, bifold_view input, bifold_type type,
                                     const void* init, void* result,
                                     const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    void* const out = need_memory(result, "result");
    const bifold::Type of = type_from(type);
    CallOptions call(options);
    const bifold::Value value = bifold::sum_compensated(on, view_from(input, "the input's buffer"),
                                                        of, init_from(of, init), call.reduce());
    std::memcpy(out, value.data(), value.size());
    call.put_done();
  });
}

bifold_status bifold_sum_compensated_into(bifold_queue* queue, bifold_view input,
                                          bifold_view result, const void* init,
                                          const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    const bifold::ErasedView to = view_from(result, "the result's buffer");
    const auto summand = summand_of(to.type);
    bifold::sum_compensated_into(
        on, view_from(input, "the input's buffer"), to,
        summand ? init_from(*summand, init) : std::optional<bifold::Value>(), call.reduce());
    call.put_done();
  });
}

bifold_status bifold_reduce_many(bifold_queue* queue, bifold_view input,
                                 const bifold_reduction* reductions, size_t count,
                                 const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    const std::vector<bifold::Reduction> all = reductions_from(reductions, count);
    for (size_t i = 0; i < count; ++i) {
      static_cast<void>(need_memory(reductions[i].result, "a result"));
    }
    CallOptions call(options);
    const std::vector<bifold::Value> values =
        bifold::reduce_many(on, view_from(input, "the input's buffer"), all, call.reduce());
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(reductions[i].result, values[i].data(), values[i].size());
    }
    call.put_done();
  });
}

bifold_status bifold_reduce_many_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                      const bifold_reduction* reductions, size_t count,
                                      const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    bifold::reduce_many_into(on, view_from(input, "the input's buffer"),
                             view_from(result, "the result's buffer"),
                             reductions_from(reductions, count), call.reduce());
    call.put_done();
  });
}
