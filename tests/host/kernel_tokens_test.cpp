#include "host/kernel_tokens.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace bifold::test {

namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What one dialect writes, and what stands for it here. Longer ones come first.
const std::vector<std::pair<Tokens, Tokens>>& renamings() {
  static const auto table = [] {
    constexpr std::pair<std::string_view, std::string_view> rows[] = {
        {"barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "__syncthreads()"},
        {"barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)", "__syncthreads()"},
        {"barrier(CLK_LOCAL_MEM_FENCE)", "__syncthreads()"},
        {"barrier(CLK_GLOBAL_MEM_FENCE)", "__syncthreads()"},
        {"(u32)get_local_id(0)", "threadIdx.x"},
        {"get_local_id(0)", "threadIdx.x"},
        {"(u32)get_group_id(0)", "blockIdx.x"},
        {"get_group_id(0)", "blockIdx.x"},
        {"(u32)get_num_groups(0)", "gridDim.x"},
        {"get_num_groups(0)", "gridDim.x"},
        {"(void)", "()"},
        {"(u64)(size_t)", "(u64)"},
        {"(size_t)", "(u64)"},
        {"(uint4)(", "make_uint4("},
        {"(uint2)(", "make_uint2("},
        {"extern \"C\"", ""},
    };
    std::vector<std::pair<Tokens, Tokens>> split;
    for (const auto& [from, to] : rows) split.emplace_back(tokens_of(from), tokens_of(to));
    return split;
  }();
  return table;
}

const std::set<std::string, std::less<>>& dropped() {
  static const std::set<std::string, std::less<>> words{"__global", "__local",    "__private",
                                                        "__kernel", "restrict",   "const",
                                                        "extern",   "__shared__", "__global__"};
  return words;
}

/// Those that are dropped with the parentheses behind them.
const std::set<std::string, std::less<>>& dropped_with_arguments() {
  static const std::set<std::string, std::less<>> words{"__attribute__", "__launch_bounds__",
                                                        "__align__"};
  return words;
}

/// Behind the bracket that closes the one at `open`.
std::size_t behind_brackets(const Tokens& tokens, std::size_t open, std::string_view opening,
                            std::string_view closing) {
  std::size_t depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at] == opening) ++depth;
    if (tokens[at] == closing && --depth == 0) return at + 1;
  }
  return tokens.size();
}

/// `struct Name { ... };` as C writes it.
Tokens with_typedefs(const Tokens& tokens) {
  Tokens result;
  for (std::size_t at = 0; at < tokens.size();) {
    const bool names = (tokens[at] == "struct" || tokens[at] == "union") &&
                       at + 2 < tokens.size() && tokens[at + 2] == "{" && tokens[at + 1] != "{";
    if (!names || (at > 0 && (tokens[at - 1] == "typedef" || tokens[at - 1] == ">"))) {
      result.push_back(tokens[at++]);
      continue;
    }
    const std::size_t end = behind_brackets(tokens, at + 2, "{", "}");
    result.insert(result.end(), {"typedef", tokens[at]});
    result.insert(result.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                  tokens.begin() + static_cast<std::ptrdiff_t>(end));
    result.push_back(tokens[at + 1]);
    at = end;
  }
  return result;
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  Tokens tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '/' && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
    } else if (c == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
      end = std::min(end + 1, text.size());
    }
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0 ||
                       (c == '\\' && end < text.size() && text[end] == '\n');
    if (!blank) tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::vector<std::string> common_tokens(std::string_view text) {
  const Tokens tokens = tokens_of(text);
  Tokens common;
  for (std::size_t at = 0; at < tokens.size();) {
    if (dropped_with_arguments().contains(tokens[at])) {
      at = behind_brackets(tokens, at + 1, "(", ")");
      continue;
    }
    const auto here = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    const auto matches = [&](const auto& row) {
      return row.first.size() <= tokens.size() - at &&
             std::equal(row.first.begin(), row.first.end(), here);
    };
    const auto& table = renamings();
    const auto row = std::find_if(table.begin(), table.end(), matches);
    if (row != table.end()) {
      common.insert(common.end(), row->second.begin(), row->second.end());
      at += row->first.size();
      continue;
    }
    if (!dropped().contains(tokens[at])) common.push_back(tokens[at]);
    ++at;
  }
  return with_typedefs(common);
}

TEST_SUITE_BEGIN("kernel_mirror");

TEST_CASE("the words of either dialect are told as the same") {
  CHECK(common_tokens("extern \"C\" __global__ void __launch_bounds__(G, 1) f(const IN* x) {\n"
                      "  __shared__ ACC y[2];  // Why.\n  y[threadIdx.x] = 0;\n"
                      "  __syncthreads();\n}\nstruct A {\n  u32 b;\n};\n") ==
        common_tokens("__kernel __attribute__((reqd_work_group_size(G, 1, 1))) void f(\n"
                      "    const __global IN* restrict x) {\n  __local ACC y[2];\n"
                      "  y[(u32)get_local_id(0)] = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n"
                      "typedef struct {\n  u32 b;\n} A;\n"));
  CHECK(common_tokens("x += y;") != common_tokens("x -= y;"));
}

TEST_SUITE_END();

}  // namespace bifold::test
