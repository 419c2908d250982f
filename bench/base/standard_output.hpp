// The standard output: texts for people, and the document that `-` names.
#pragma once

#include <string>
#include <string_view>

namespace bench {

/// Writes a text for people: to the standard output, or to the standard error once a document has
/// the other. A failure is remembered, and nothing that was measured is lost by it.
void write_text(std::string_view text);
/// What was written so far is to be seen now.
void flush_text();
/// To the standard error. Fails silently: there is nowhere else to tell.
void write_error(std::string_view text);

/// Nothing is written from now on: another process of the same run tells it.
void silence();
/// Texts for people go to the standard error from now on.
void give_standard_output_to_document();
void write_document(std::string_view document);

/// Why something did not get to the standard output, once all is written; or nothing.
std::string standard_output_problem();

}  // namespace bench
