#include "core/text/text_functions.hpp"

#include <algorithm>
#include <array>

namespace bifold::core {

namespace {

constexpr std::array table{
    TextFunction{"abs", 1, "text_abs", "text_abs"},
    TextFunction{"min", 2, "text_min", "text_min"},
    TextFunction{"max", 2, "text_max", "text_max"},
    TextFunction{"clamp", 3, "text_clamp", "text_clamp"},
    TextFunction{"minimum", 2, "text_min", "minimum"},
    TextFunction{"maximum", 2, "text_max", "maximum"},

    TextFunction{"popcount", 1, "text_popcount", ""},
    TextFunction{"clz", 1, "text_clz", ""},
    TextFunction{"mul_hi", 2, "text_mul_hi", ""},
    TextFunction{"rotate", 2, "text_rotate", ""},

    TextFunction{"fabs", 1, "", "text_abs"},
    TextFunction{"fmin", 2, "", "text_min"},
    TextFunction{"fmax", 2, "", "text_max"},
    TextFunction{"floor", 1, "", "text_floor"},
    TextFunction{"ceil", 1, "", "text_ceil"},
    TextFunction{"trunc", 1, "", "text_trunc"},
    TextFunction{"rint", 1, "", "text_rint"},
    TextFunction{"round", 1, "", "text_round"},
    TextFunction{"fmod", 2, "", "text_fmod"},
    TextFunction{"copysign", 2, "", "text_copysign"},
    TextFunction{"fma", 3, "", "text_fma"},
    TextFunction{"sqrt", 1, "", "text_sqrt"},
    TextFunction{"isnan", 1, "", "text_isnan", Gives::truth},
    TextFunction{"isinf", 1, "", "text_isinf", Gives::truth},
    TextFunction{"isfinite", 1, "", "text_isfinite", Gives::truth},
    TextFunction{"signbit", 1, "", "text_signbit", Gives::truth},
    TextFunction{"comes_before", 2, "", "comes_before", Gives::truth},
    TextFunction{"comes_behind", 2, "", "comes_behind", Gives::truth},
    TextFunction{"rounding_of_sum", 2, "", "rounding_of_sum"},
    TextFunction{"bits_of", 1, "", "bits_of", Gives::bits},
    TextFunction{"f32_of_bits", 1, "", "f32_of_bits", Gives::same, Type::u32, Type::f32},
    TextFunction{"f64_of_bits", 1, "", "f64_of_bits", Gives::same, Type::u64, Type::f64},

    TextFunction{"exp", 1, "", "exponential"},
    TextFunction{"exp2", 1, "", "text_exp2"},
    TextFunction{"expm1", 1, "", "text_expm1"},
    TextFunction{"log", 1, "", "logarithm"},
    TextFunction{"log2", 1, "", "text_log2"},
    TextFunction{"log10", 1, "", "text_log10"},
    TextFunction{"log1p", 1, "", "text_log1p"},
    TextFunction{"pow", 2, "", "text_pow"},
    TextFunction{"cbrt", 1, "", "text_cbrt"},
    TextFunction{"hypot", 2, "", "text_hypot"},
    TextFunction{"sin", 1, "", "text_sin"},
    TextFunction{"cos", 1, "", "text_cos"},
    TextFunction{"tan", 1, "", "text_tan"},
    TextFunction{"asin", 1, "", "text_asin"},
    TextFunction{"acos", 1, "", "text_acos"},
    TextFunction{"atan", 1, "", "text_atan"},
    TextFunction{"atan2", 2, "", "text_atan2"},
    TextFunction{"sinh", 1, "", "text_sinh"},
    TextFunction{"cosh", 1, "", "text_cosh"},
    TextFunction{"tanh", 1, "", "text_tanh"},

    TextFunction{"minimum_f32", 2, "", "minimum_f32", Gives::same, Type::f32},
    TextFunction{"maximum_f32", 2, "", "maximum_f32", Gives::same, Type::f32},
    TextFunction{"comes_before_f32", 2, "", "comes_before_f32", Gives::truth, Type::f32},
    TextFunction{"comes_behind_f32", 2, "", "comes_behind_f32", Gives::truth, Type::f32},
    TextFunction{"rounding_of_sum_f32", 2, "", "rounding_of_sum_f32", Gives::same, Type::f32},
    TextFunction{"minimum_f64", 2, "", "minimum_f64", Gives::same, Type::f64},
    TextFunction{"maximum_f64", 2, "", "maximum_f64", Gives::same, Type::f64},
    TextFunction{"comes_before_f64", 2, "", "comes_before_f64", Gives::truth, Type::f64},
    TextFunction{"comes_behind_f64", 2, "", "comes_behind_f64", Gives::truth, Type::f64},
    TextFunction{"rounding_of_sum_f64", 2, "", "rounding_of_sum_f64", Gives::same, Type::f64},
};

}  // namespace

std::span<const TextFunction> text_functions() { return table; }

const TextFunction* find_text_function(std::string_view word) {
  const auto* const found = std::find_if(
      table.begin(), table.end(), [word](const TextFunction& one) { return one.word == word; });
  return found == table.end() ? nullptr : found;
}

}  // namespace bifold::core
