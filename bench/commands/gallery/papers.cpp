#include "commands/gallery/papers.hpp"

#include <array>
#include <cmath>

namespace bench {
namespace {

using bifold::Algorithm;

constexpr double ms = 1e-3;
constexpr double us = 1e-6;

constexpr std::array<std::string_view, 1> i32{"i32"};
constexpr std::array<std::string_view, 1> f32{"f32"};
constexpr std::array<std::string_view, 2> i32_and_f32{"i32", "f32"};

// --- Jradi, do Nascimento & Martins 2017, section 4 ---

constexpr std::uint64_t jradi_n = 5'533'214;
constexpr std::array<std::uint64_t, 1> jradi_sizes{jradi_n};

constexpr std::array<PaperRow, 19> jradi_rows{{
    {"catanzaro", "F = 1"},       {"persistent_f1"},           {"persistent_f2", "F = 2"},
    {"persistent_f3", "F = 3"},   {"persistent_f4", "F = 4"},  {"persistent_f5", "F = 5"},
    {"persistent_f6", "F = 6"},   {"persistent_f7", "F = 7"},  {"persistent_f8", "F = 8"},
    {"persistent_f16", "F = 16"}, {"persistent_f1_coalesced"}, {"persistent_f2_coalesced"},
    {"persistent_f3_coalesced"},  {"persistent_f4_coalesced"}, {"persistent_f5_coalesced"},
    {"persistent_f6_coalesced"},  {"persistent_f7_coalesced"}, {"persistent_f8_coalesced"},
    {"persistent_f16_coalesced"},
}};

// Table 2: time, GB/s, percent of the bandwidth, speed-up.
constexpr std::array<Figure, 9> jradi_table_2{{
    {"catanzaro", jradi_n, 0.249780 * ms, 88.6094002722, 26.63, 1},
    {"persistent_f2", jradi_n, 0.173930 * ms, 127.2515149773, 38.24, 1.4360949807},
    {"persistent_f3", jradi_n, 0.139260 * ms, 158.9318971708, 47.76, 1.7936234382},
    {"persistent_f4", jradi_n, 0.127700 * ms, 173.3191542678, 52.08, 1.955990603},
    {"persistent_f5", jradi_n, 0.113930 * ms, 194.2671464935, 58.37, 2.1923988414},
    {"persistent_f6", jradi_n, 0.100810 * ms, 219.5502033528, 65.97, 2.4777303839},
    {"persistent_f7", jradi_n, 0.093740 * ms, 236.1089822914, 70.95, 2.6646042245},
    {"persistent_f8", jradi_n, 0.089490 * ms, 247.3221142027, 74.32, 2.7911498491},
    {"persistent_f16", jradi_n, 0.088160 * ms, 251.0532667877, 75.44, 2.8332577132},
}};
constexpr std::array<std::string_view, 2> jradi_notes_2{
    "The paper measured vectors of integers and of floats and found no difference; its one table "
    "stands beside both.",
    "F = 1 is the runtime of Catanzaro's code there; persistent_f1 is the paper's kernel at F = 1. "
    "The variants _coalesced read the same elements in coalesced order and have no figures there."};

constexpr std::array<PaperRow, 2> jradi_rows_3{
    {{"harris7", "Kernel 7"}, {"persistent_f8", "New Approach"}}};
// Table 3: times only, and 99.4 percent.
constexpr std::array<Figure, 2> jradi_table_3{{
    {"harris7", jradi_n, 0.17766 * ms},
    {"persistent_f8", jradi_n, 0.17867 * ms, 0, 0, 0.994},
}};
constexpr std::array<std::string_view, 1> jradi_notes_3{
    "The text's formula, 100 T_new / T_k7, would give 100.6; the 99.4 that it prints is "
    "100 T_k7 / T_new, which is the speed-up here."};

constexpr std::array<PaperTable, 2> jradi_tables{{
    {"Table 2: F elements per step", Algorithm::reduce, "catanzaro", i32_and_f32, jradi_sizes,
     jradi_rows, jradi_table_2, 1e-6 * ms, 4, 0, jradi_notes_2},
    {"Table 3: Harris' kernel 7 against F = 8, in CUDA on a Tesla C2075", Algorithm::reduce,
     "harris7", i32_and_f32, jradi_sizes, jradi_rows_3, jradi_table_3, 1e-5 * ms, 0, 0,
     jradi_notes_3},
}};

// --- Harris 2007, as tabulated in Jradi's section 2.1 ---

constexpr std::uint64_t harris_n = std::uint64_t{1} << 22;
constexpr std::array<std::uint64_t, 1> harris_sizes{harris_n};

constexpr std::array<PaperRow, 7> harris_rows{{
    {"harris1", "Kernel 1: interleaved addressing with divergent branching"},
    {"harris2", "Kernel 2: interleaved addressing with bank conflicts"},
    {"harris3", "Kernel 3: sequential addressing"},
    {"harris4", "Kernel 4: first add during global load"},
    {"harris5", "Kernel 5: unroll last warp"},
    {"harris6", "Kernel 6: completely unrolled"},
    {"harris7", "Kernel 7: multiple elements per thread"},
}};

// Table 1: time, GB/s, cumulative and step speed-up.
constexpr std::array<Figure, 7> harris_table_1{{
    {"harris1", harris_n, 8.054 * ms, 2.083},
    {"harris2", harris_n, 3.456 * ms, 4.854, 0, 2.33, 2.33},
    {"harris3", harris_n, 1.722 * ms, 9.741, 0, 4.68, 2.01},
    {"harris4", harris_n, 0.965 * ms, 17.377, 0, 8.34, 1.78},
    {"harris5", harris_n, 0.536 * ms, 31.289, 0, 15.01, 1.8},
    {"harris6", harris_n, 0.381 * ms, 43.996, 0, 21.16, 1.41},
    {"harris7", harris_n, 0.268 * ms, 62.671, 0, 30.04, 1.42},
}};
constexpr std::array<std::string_view, 2> harris_notes{
    "The paper's shares are of the 86.4 GB/s that it gives for its device.",
    "The paper's cumulative speed-ups are products of its rounded steps; the quotients of its "
    "times "
    "differ from them in the last digits."};

constexpr std::array<PaperTable, 1> harris_tables{{
    {"Table 1: seven kernels, one step each", Algorithm::reduce, "harris1", i32, harris_sizes,
     harris_rows, harris_table_1, 1e-3 * ms, 4, 86.4, harris_notes},
}};

// --- Oancea & Henriksen 2023, slide "Using Atomics" ---

constexpr std::array<std::uint64_t, 2> oancea_sizes{1'000, 1'000'000};

constexpr std::array<PaperRow, 5> oancea_rows{{
    {"tree", "Tree reduction"},
    {"block", "Block reduction"},
    {"chunked", "Chunked reduction"},
    {"atomic", "Atomics"},
    {"staged_ordered"},
}};

constexpr std::array<Figure, 8> oancea_table{{
    {"tree", 1'000, 77 * us},
    {"tree", 1'000'000, 363 * us},
    {"block", 1'000, 17 * us},
    {"block", 1'000'000, 179 * us},
    {"chunked", 1'000, 70 * us},
    {"chunked", 1'000'000, 103 * us},
    {"atomic", 1'000, 8 * us},
    {"atomic", 1'000'000, 1278 * us},
}};
constexpr std::array<std::string_view, 1> oancea_notes{
    "The slides do not name the device, and give no figures for the staged reduction of "
    "non-commutative operators."};

constexpr std::array<PaperTable, 1> oancea_tables{{
    {"Slide \"Using Atomics\": four reductions", Algorithm::reduce, "tree", i32, oancea_sizes,
     oancea_rows, oancea_table, us, 0, 0, oancea_notes},
}};

// --- Luitjens 2014 ---

constexpr std::array<std::uint64_t, 3> luitjens_sizes{
    std::uint64_t{1} << 22, std::uint64_t{1} << 24, std::uint64_t{1} << 26};

constexpr std::array<PaperRow, 7> luitjens_rows{{
    {"shuffle_two_pass"},
    {"shuffle_warp_atomic"},
    {"shuffle_block_atomic"},
    {"shuffle_vectorized_x2"},
    {"shuffle_vectorized_x4"},
    {"shuffle_multi", "one reduction"},
    {"shuffle_multi", "three interleaved", true},
}};
constexpr std::array<std::string_view, 2> luitjens_notes{
    "The text has charts only; the sizes are this benchmark's.",
    "Three interleaved: sum, minimum and maximum of the elements in one pass, which reads them "
    "once; "
    "the rate counts them once."};

constexpr std::array<PaperTable, 1> luitjens_tables{{
    {"Figures 3 to 6: reductions by shuffle",
     Algorithm::reduce,
     "shuffle_two_pass",
     i32,
     luitjens_sizes,
     luitjens_rows,
     {},
     0,
     0,
     0,
     luitjens_notes},
}};

// --- Dillhoff 2024 ---

constexpr std::array<std::uint64_t, 2> dillhoff_sizes{std::uint64_t{1} << 22,
                                                      std::uint64_t{1} << 24};

constexpr std::array<PaperRow, 5> dillhoff_rows{{
    {"interleaved_simple"},
    {"interleaved_convergent"},
    {"shared"},
    {"hierarchical"},
    {"coarsened"},
}};
constexpr std::array<std::string_view, 1> dillhoff_notes{
    "The text prints no times; the sizes are this benchmark's."};

constexpr std::array<PaperTable, 1> dillhoff_tables{{
    {"Five steps from a tree in global memory to a coarsened one",
     Algorithm::reduce,
     "interleaved_simple",
     f32,
     dillhoff_sizes,
     dillhoff_rows,
     {},
     0,
     0,
     0,
     dillhoff_notes},
}};

// --- Willen & Brolos 2022, section 4 ---

constexpr std::array<std::uint64_t, 4> willen_sizes{5'003'565, 50'003'565, 500'003'565,
                                                    1'000'003'565};

constexpr std::array<PaperRow, 7> willen_rows{{
    {"reduce_then_scan", "reduce-then-scan"},
    {"chained", "version 0"},
    {"lookback", "version 1"},
    {"lookback_warp_copy", "version 2"},
    {"lookback_warp", "version 3"},
    {"blelloch"},
    {"hillis_steele"},
}};

constexpr Validity valid = Validity::valid;
constexpr Validity invalid = Validity::invalid;

// Table 2 (times), Table 3 (GB/s), Table 4 (percent of 616 GB/s), Table 1 (valid or not). The
// rates and percentages are given as printed, also where they contradict the times.
constexpr std::array<Figure, 20> willen_tables_1_to_4{{
    {"reduce_then_scan", 5'003'565, 137 * us, 438.27, 71},
    {"chained", 5'003'565, 3047 * us, 26.53, 4.3, 0, 0, valid},
    {"lookback", 5'003'565, 383 * us, 142.62, 23.15, 0, 0, valid},
    {"lookback_warp_copy", 5'003'565, 644 * us, 92.23, 15, 0, 0, valid},
    {"lookback_warp", 5'003'565, 380 * us, 156.77, 25.4, 0, 0, valid},
    {"reduce_then_scan", 50'003'565, 1230 * us, 438.27, 71},
    {"chained", 50'003'565, 20037 * us, 19.71, 3.2, 0, 0, valid},
    {"lookback", 50'003'565, 1597 * us, 142.62, 23.15, 0, 0, valid},
    {"lookback_warp_copy", 50'003'565, 15321 * us, 93.23, 15, 0, 0, valid},
    {"lookback_warp", 50'003'565, 1005 * us, 597.06, 96.9, 0, 0, valid},
    {"reduce_then_scan", 500'003'565, 11996 * us, 500.17, 81.2},
    {"chained", 500'003'565, 208068 * us, 28.84, 4.7, 0, 0, valid},
    {"lookback", 500'003'565, 12109 * us, 495.5, 80.4, 0, 0, valid},
    {"lookback_warp_copy", 500'003'565, 1518315 * us, 3.95, 0.64, 0, 0, valid},
    {"lookback_warp", 500'003'565, 0, 0, 0, 0, 0, invalid},
    {"reduce_then_scan", 1'000'003'565, 23924 * us, 500.84, 81.3},
    {"chained", 1'000'003'565, 418624 * us, 28.67, 4.65, 0, 0, valid},
    {"lookback", 1'000'003'565, 23360 * us, 513.7, 83.4, 0, 0, valid},
    {"lookback_warp_copy", 1'000'003'565, 5410449 * us, 2.22, 0.36, 0, 0, valid},
    {"lookback_warp", 1'000'003'565, 0, 0, 0, 0, 0, invalid},
}};
constexpr std::array<std::string_view, 3> willen_notes{
    "The report counts 12 bytes per element in every version, which is what reduce-then-scan moves "
    "(2 n read, n written). The column beside counts 8 (n read, n written), as for this library: "
    "the "
    "97 % of version 3 are 65 % in that count.",
    "Its Table 3 contradicts its Table 2 in nine of eighteen places: reduce-then-scan and version "
    "1 "
    "have the same rates at 5,003,565 and at 50,003,565, although ten times the input took 9.0 and "
    "4.2 times the time, and the rates of versions 0 and 2 at 50,003,565 are those of 5,003,565. "
    "Rates marked * and their shares of 616 GB/s are derived from its times instead.",
    "No version of the report ran on an A100."};

constexpr std::array<PaperTable, 1> willen_tables{{
    {"Tables 1 to 4: validity, time, rate", Algorithm::scan, "reduce_then_scan", i32, willen_sizes,
     willen_rows, willen_tables_1_to_4, us, 12, 616, willen_notes},
}};

constexpr std::array<Paper, 6> all_papers{{
    {"jradi", "Jradi, do Nascimento & Martins 2017: persistent threads, unrolling, algebra",
     "an AMD GPU that the text does not name (Table 2), a Tesla C2075 (Table 3)", jradi_tables},
    {"harris", "Harris 2007, as tabulated by Jradi: seven steps of one kernel",
     "a G80 GPU of 86.4 GB/s", harris_tables},
    {"oancea", "Oancea & Henriksen 2023: four ways to sum", "a GPU that the slides do not name",
     oancea_tables},
    {"luitjens", "Luitjens 2014: registers exchanged between lanes", "a Tesla K20X",
     luitjens_tables},
    {"dillhoff", "Dillhoff 2024: the reduction pattern in five steps", "", dillhoff_tables},
    {"single-pass", "Willen & Brolos 2022: single-pass scans", "a GPU of 616 GB/s", willen_tables},
}};

}  // namespace

const Figure* PaperTable::find(std::string_view row, std::uint64_t n) const {
  for (const Figure& figure : figures) {
    if (figure.row == row && figure.n == n) return &figure;
  }
  return nullptr;
}

std::span<const Paper> papers() { return all_papers; }

PaperRate rate_of(const PaperTable& table, const Figure& figure) {
  if (figure.gb_per_s == 0 || figure.time_s == 0) return {};
  const double derived =
      static_cast<double>(figure.n) * table.bytes_per_element / figure.time_s / 1e9;
  // Both are printed rounded: the time to its last digit, the rate to a hundredth.
  const double rounding = derived * table.time_unit_s / 2 / figure.time_s + 0.006;
  if (std::abs(derived - figure.gb_per_s) <= rounding) return {figure.gb_per_s, false};
  return {derived, true};
}

}  // namespace bench
