#include "embed/live_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ranges>
#include <set>

#include "core/base/ascii.hpp"

namespace bifold::embed {

namespace {

enum class Kind : std::uint8_t { function, entry, macro, condition, other };

/// Lines that stay or go together.
struct Piece {
  Kind kind = Kind::other;
  std::string_view text;
  std::string name;  ///< Of what it defines; empty: of nothing that could go.
};

/// The words of a text, without those in comments and quotes.
std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.substr(at).starts_with("//")) {
      end = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
      ++end;
    } else if (core::is_word(text[at])) {
      while (end < text.size() && core::is_word(text[end])) ++end;
      words.emplace(text.substr(at, end - at));
    }
    at = end;
  }
  return words;
}

/// How the brackets of a line change how deep the next one lies.
int depth_of(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (line.substr(i).starts_with("//")) break;
      if (c == '{' || c == '(') ++depth;
      if (c == '}' || c == ')') --depth;
    }
  }
  return depth;
}

std::string_view trimmed(std::string_view line) {
  const auto comment = line.find("//");
  line = line.substr(0, comment);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\n')) {
    line.remove_suffix(1);
  }
  return line;
}

std::string first_word(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !core::is_word(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && core::is_word(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

/// The word before the parenthesis of a function's parameters; attributes have theirs first.
std::string function_name(std::string_view text) {
  std::size_t open = text.find('(');
  while (open != std::string_view::npos) {
    std::size_t end = open;
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && core::is_word(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (!name.empty() && !name.starts_with("__") && name != "reqd_work_group_size" &&
        name != "intel_reqd_sub_group_size" && name != "GROUP_SIZE") {
      return std::string(name);
    }
    open = text.find('(', open + 1);
  }
  return {};
}

void describe(Piece& piece, std::string_view code) {
  const auto words = words_of(code.substr(0, code.find('{')));
  if (words.contains("__global__") || words.contains("__kernel")) {
    piece.kind = Kind::entry;
    // Behind `void`, with or without attributes in between.
    piece.name = function_name(code.substr(code.find("void")));
  } else if (code.starts_with("DEVICE")) {
    piece.kind = Kind::function;
    piece.name = function_name(code);
  }
}

/// The text in pieces, each with the comments before it.
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;  // Of the piece, with its comments.
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    const std::string_view code = trimmed(line);
    Piece piece;
    if (code.empty()) {
      // A blank line ends a comment that is nobody's.
      if (line.find("//") == std::string_view::npos) {
        pieces.push_back({Kind::other, text.substr(begin, end - begin), {}});
        begin = end;
      }
      at = end;
      continue;
    }
    if (code.starts_with('#')) {
      for (std::string_view last = code; last.ends_with('\\') && end < text.size();) {
        const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
        last = trimmed(text.substr(end, next - end));
        end = next;
      }
      const std::string directive = first_word(code);
      if (directive == "define") {
        piece.kind = Kind::macro;
        piece.name = first_word(code.substr(code.find("define") + 6));
      } else if (directive.starts_with("if") || directive.starts_with("el") ||
                 directive == "endif") {
        piece.kind = Kind::condition;
      }
    } else {
      int depth = depth_of(line);
      std::string_view last = code;
      const auto open = [&] { return depth > 0 || (!last.ends_with(';') && !last.ends_with('}')); };
      while (open() && end < text.size()) {
        const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
        const std::string_view more = text.substr(end, next - end);
        depth += depth_of(more);
        last = trimmed(more);
        end = next;
      }
      describe(piece, text.substr(at, end - at));
    }
    piece.text = text.substr(begin, end - begin);
    pieces.push_back(std::move(piece));
    begin = at = end;
  }
  if (begin < text.size()) pieces.push_back({Kind::other, text.substr(begin), {}});
  return pieces;
}

bool may_go(const Piece& piece) {
  return piece.kind == Kind::function || piece.kind == Kind::macro;
}

/// Which names are reached.
std::set<std::string, std::less<>> reached_names(const std::vector<Piece>& pieces,
                                                 std::span<const std::string> entries) {
  std::multimap<std::string, const Piece*, std::less<>> defined;
  std::set<std::string, std::less<>> reached;
  std::vector<std::string> open;
  const auto reach = [&](std::string_view text) {
    for (const std::string& word : words_of(text)) {
      if (reached.insert(word).second) open.push_back(word);
    }
  };
  for (const Piece& piece : pieces) {
    if (may_go(piece)) {
      defined.emplace(piece.name, &piece);
    } else if (piece.kind == Kind::entry) {
      if (std::find(entries.begin(), entries.end(), piece.name) != entries.end()) {
        reach(piece.text);
      }
    } else if (piece.kind == Kind::condition) {
      // That a name is asked for is no use of it.
      const std::string_view line = trimmed(piece.text.substr(piece.text.find('#')));
      if (!line.starts_with("#ifndef") && !line.starts_with("#ifdef")) reach(line);
    } else {
      reach(piece.text);
    }
  }
  while (!open.empty()) {
    const std::string word = std::move(open.back());
    open.pop_back();
    const auto [first, last] = defined.equal_range(word);
    for (auto at = first; at != last; ++at) reach(at->second->text);
  }
  return reached;
}

bool stays(const Piece& piece, const std::set<std::string, std::less<>>& reached,
           std::span<const std::string> entries) {
  if (piece.kind == Kind::entry) {
    return std::find(entries.begin(), entries.end(), piece.name) != entries.end();
  }
  return !may_go(piece) || reached.contains(piece.name);
}

bool is_directive(const Piece& piece, std::string_view name) {
  return piece.kind == Kind::condition &&
         trimmed(piece.text.substr(piece.text.find('#'))).starts_with(name);
}

/// Without conditions around nothing, and `#line`s before nothing.
void drop_empty(std::vector<Piece>& pieces) {
  const auto blank = [](const Piece& piece) {
    return piece.kind == Kind::other &&
           piece.text.find_first_not_of(" \n") == std::string_view::npos;
  };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      if (!is_directive(pieces[i], "#if")) continue;
      std::size_t end = i + 1;
      while (end < pieces.size() && (blank(pieces[end]) || is_directive(pieces[end], "#el"))) ++end;
      if (end == pieces.size() || !is_directive(pieces[end], "#endif")) continue;
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i),
                   pieces.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      again = true;
      break;
    }
  }
  std::vector<Piece> kept;
  for (const Piece& piece : pieces) {
    const bool doubled = blank(piece) && (kept.empty() || blank(kept.back()));
    if (!doubled) kept.push_back(piece);
  }
  pieces = std::move(kept);
}

}  // namespace

std::string live_text(std::string_view text, std::span<const std::string> entries) {
  std::vector<Piece> pieces = pieces_of(text);
  const auto reached = reached_names(pieces, entries);
  std::erase_if(pieces, [&](const Piece& piece) { return !stays(piece, reached, entries); });
  drop_empty(pieces);
  std::string live;
  for (const Piece& piece : pieces) live += piece.text;
  return live;
}

std::vector<std::string> unused_parts(std::string_view text) {
  constexpr std::string_view directive = "#line 1 \"";
  struct Section {
    std::string name;  ///< Empty for generated lines.
    std::string_view text;
  };
  std::vector<Section> sections;
  for (std::size_t at = text.find(directive); at < text.size();) {
    const std::size_t next = std::min(text.find(directive, at + 1), text.size());
    const std::size_t begin = at + directive.size();
    const std::string_view file = text.substr(begin, text.find('"', begin) - begin);
    const bool part = file.ends_with(".cu") || file.ends_with(".cl");
    sections.push_back({part ? std::string(file.substr(0, file.size() - 3)) : std::string(),
                        text.substr(at, next - at)});
    at = next;
  }
  std::vector<std::string> unused;
  std::set<std::string, std::less<>> behind;
  bool last = true;
  for (const auto& section : std::views::reverse(sections)) {
    bool used = section.name.empty() || last;
    if (!section.name.empty()) last = false;
    for (const Piece& piece : pieces_of(section.text)) {
      if (!piece.name.empty() && behind.contains(piece.name)) used = true;
      // A type's name is one of its words; no other of them is a kernel's.
      if (piece.kind != Kind::other) continue;
      const std::string_view code = piece.text;
      if (code.find("typedef") == std::string_view::npos &&
          code.find("struct ") == std::string_view::npos &&
          code.find("union ") == std::string_view::npos) {
        continue;
      }
      std::size_t end = code.rfind(';');
      if (end == std::string_view::npos) end = code.size();
      std::size_t begin = end;
      while (begin > 0 && core::is_word(code[begin - 1])) --begin;
      if (behind.contains(code.substr(begin, end - begin))) used = true;
      for (const std::string_view word : {"struct ", "union "}) {
        const std::size_t at = code.find(word);
        if (at != std::string_view::npos &&
            behind.contains(first_word(code.substr(at + word.size())))) {
          used = true;
        }
      }
    }
    if (!used) unused.push_back(section.name);
    behind.merge(words_of(section.text));
  }
  return unused;
}

std::vector<std::string> unreached_functions(std::string_view text,
                                             std::span<const std::string> entries) {
  const std::vector<Piece> pieces = pieces_of(text);
  const auto reached = reached_names(pieces, entries);
  std::vector<std::string> names;
  for (const Piece& piece : pieces) {
    if (piece.kind == Kind::function && !reached.contains(piece.name)) names.push_back(piece.name);
  }
  return names;
}

}  // namespace bifold::embed
