#include "core/kernel/scalars.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/text/kernel_names.hpp"

namespace bifold::core {

namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::string field_of(const KernelScalar& scalar) {
  return formatted("{}{}", scalar_prefix, scalar.name);
}

/// A word or a symbol; numbers count as words.
struct Token {
  std::string_view text;
  std::size_t at;
  std::size_t line;  ///< Of the text's own lines: those that end in a backslash go on.
  bool directive;    ///< In a line that begins with #.
};

/// A function or a macro, by the numbers of its tokens.
struct Definition {
  std::string_view name;
  bool entry = false;
  std::size_t open = 0;   ///< The bracket before a function's parameters.
  std::size_t close = 0;  ///< That behind them.
  std::size_t begin = 0;  ///< Of what it does.
  std::size_t end = 0;
};

/// What comes into the text at a place, instead of so many characters.
struct Added {
  std::size_t at;
  std::size_t instead_of;
  std::string what;
};

using Names = std::set<std::string_view>;

class Threading {
 public:
  explicit Threading(std::string_view text) : text_(text) {
    read_tokens();
    find_definitions();
    find_threaded();
  }

  std::string threaded(std::string_view parameters, std::string_view beginning) {
    for (const Definition& one : definitions_) {
      if (one.entry) {
        add_to(one.open, one.close, parameters);
        insert(tokens_[one.begin].at + 1, beginning);
      } else if (one.close > 0 && threaded_.contains(one.name)) {
        add_to(one.open, one.close, formatted("{} {}", scalars_type, scalars_word));
      }
      add_to_calls(one);
    }
    std::sort(added_.begin(), added_.end(),
              [](const Added& left, const Added& right) { return left.at < right.at; });
    std::string made;
    std::size_t done = 0;
    for (const Added& one : added_) {
      made += text_.substr(done, one.at - done);
      made += one.what;
      done = one.at + one.instead_of;
    }
    made += text_.substr(done);
    return made;
  }

 private:
  void read_tokens();
  void find_definitions();
  void find_threaded();
  void add_to_calls(const Definition& in);

  [[nodiscard]] bool is(std::size_t token, std::string_view text) const {
    return token < tokens_.size() && tokens_[token].text == text;
  }
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  void insert(std::size_t at, std::string_view what) {
    added_.push_back({at, 0, std::string(what)});
  }
  /// One more behind parameters or arguments.
  void add_to(std::size_t open, std::size_t close, std::string_view what) {
    if (close == open + 2 && is(open + 1, "void")) {
      added_.push_back({tokens_[open + 1].at, tokens_[open + 1].text.size(), std::string(what)});
      return;
    }
    insert(tokens_[close].at, close == open + 1 ? std::string(what) : formatted(", {}", what));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Definition> definitions_;
  Names threaded_;  ///< Functions, and macros that call them.
  Names macros_;
  std::vector<Added> added_;
};

void Threading::read_tokens() {
  std::size_t line = 0;
  bool directive = false;
  bool line_begins = true;
  for (std::size_t at = 0; at < text_.size();) {
    const char c = text_[at];
    std::size_t end = at + 1;
    if (c == '\n') {
      if (at == 0 || text_[at - 1] != '\\') {
        ++line;
        directive = false;
        line_begins = true;
      }
    } else if (text_.substr(at).starts_with("//")) {
      end = std::min(text_.find('\n', at), text_.size());
    } else if (c == '"') {
      while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
      ++end;
    } else if (c != ' ' && c != '\\') {
      if (is_word(c)) {
        while (end < text_.size() && is_word(text_[end])) ++end;
      }
      if (line_begins) directive = c == '#';
      line_begins = false;
      tokens_.push_back({text_.substr(at, end - at), at, line, directive});
    }
    at = end;
  }
}

std::size_t Threading::closing(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t at = open; at < tokens_.size(); ++at) {
    if (is(at, "(") || is(at, "{")) ++depth;
    if ((is(at, ")") || is(at, "}")) && --depth == 0) return at;
  }
  return tokens_.size();
}

void Threading::find_definitions() {
  bool entry = false;
  for (std::size_t at = 0; at < tokens_.size();) {
    if (tokens_[at].directive) {
      std::size_t end = at + 1;
      while (end < tokens_.size() && tokens_[end].directive &&
             tokens_[end].line == tokens_[at].line) {
        ++end;
      }
      if (is(at + 1, "define")) {
        definitions_.push_back({.name = tokens_[at + 2].text, .begin = at + 3, .end = end});
        macros_.insert(tokens_[at + 2].text);
      }
      at = end;
      continue;
    }
    const std::size_t close = is(at + 1, "(") ? closing(at + 1) : 0;
    if (close > 0 && is_word(tokens_[at].text.front()) && is(close + 1, "{")) {
      const std::size_t end = std::min(closing(close + 1) + 1, tokens_.size());
      definitions_.push_back({tokens_[at].text, entry, at + 1, close, close + 1, end});
      at = end;
      entry = false;
      continue;
    }
    if (is(at, "__global__") || is(at, "__kernel")) entry = true;
    at = is(at, "{") ? closing(at) + 1 : at + 1;
  }
}

void Threading::find_threaded() {
  std::vector<Names> words(definitions_.size());
  for (std::size_t i = 0; i < definitions_.size(); ++i) {
    for (std::size_t at = definitions_[i].begin; at < definitions_[i].end; ++at) {
      words[i].insert(tokens_[at].text);
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      if (threaded_.contains(definitions_[i].name)) continue;
      const bool needs = std::any_of(words[i].begin(), words[i].end(), [&](std::string_view word) {
        return word == scalars_word || threaded_.contains(word);
      });
      if (needs) threaded_.insert(definitions_[i].name);
      again = again || needs;
    }
  }
}

// A macro that is put in gives its functions the scalars itself.
void Threading::add_to_calls(const Definition& in) {
  for (std::size_t at = in.begin; at < in.end; ++at) {
    const std::string_view word = tokens_[at].text;
    if (!is(at + 1, "(") || !threaded_.contains(word) || macros_.contains(word)) continue;
    add_to(at + 1, closing(at + 1), scalars_word);
  }
}

}  // namespace

void KernelScalars::add(KernelScalar scalar) {
  const std::size_t end =
      all.empty() ? 0 : all.back().offset + size_of(accumulator_of(all.back().type));
  const Type type = accumulator_of(scalar.type);
  scalar.offset = rounded_up(end, align_of(type));
  alignment = std::max(alignment, align_of(type));
  bytes = rounded_up(scalar.offset + size_of(type), alignment);
  all.push_back(std::move(scalar));
}

bool KernelScalars::any_on_device() const noexcept {
  return std::any_of(all.begin(), all.end(),
                     [](const KernelScalar& scalar) { return scalar.on_device; });
}

void append_scalars(std::string& text, const KernelScalars& scalars) {
  std::string members;
  std::string layout = "1";
  for (const KernelScalar& one : scalars.all) {
    members += formatted(" {} {};", kernel_name(accumulator_of(one.type)), field_of(one));
    layout += formatted(" & (FIELD_OFFSET({}, {}) == {})", scalars_type, field_of(one), one.offset);
  }
  text += formatted("typedef struct {{{1} }} {0};\ntypedef char {2}{0}[({3}) ? 1 : -1];\n",
                    scalars_type, members, layout_prefix, layout);
}

std::string with_scalars(std::string_view text, const KernelScalars& scalars) {
  std::string parameters = formatted("{} {}", scalars_type, scalars_word);
  std::string beginning;
  for (const KernelScalar& one : scalars.all) {
    if (!one.on_device) continue;
    const std::string memory = formatted("{}from_{}", scalar_prefix, one.name);
    const std::string offset = formatted("{}at_{}", scalar_prefix, one.name);
    parameters +=
        formatted(", SCALAR_MEMORY({}) {}, u64 {}", kernel_name(one.type), memory, offset);
    const std::string element = formatted("{}[{}]", memory, offset);
    beginning += formatted(
        " {} = {};", scalar_word(one.name),
        is_storage(one.type) ? formatted("f32_of_{}({})", name_of(one.type), element) : element);
  }
  return Threading(text).threaded(parameters, beginning);
}

}  // namespace bifold::core
