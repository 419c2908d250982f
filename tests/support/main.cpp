// The main function of every test executable: opens the device under test, or skips visibly.
// A signal must end the process: the handlers of doctest allocate, and wait for ever where the
// signal has interrupted an allocation.
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "compiled/compiled_texts.hpp"
#include "environment.hpp"

namespace {

/// Lets a run whose filters match nothing fail: a misspelt suite name must not pass.
struct CountTests : doctest::IReporter {
  static inline unsigned matched = 0;

  explicit CountTests(const doctest::ContextOptions& /*options*/) {}
  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    matched = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData& /*data*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*data*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*signature*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*data*/) override {}
};

DOCTEST_REGISTER_LISTENER("count", 1, CountTests);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  try {
    const auto status = bifold::test::prepare(bifold::test::program_needs);
    if (status) return *status;
    const int result = context.run();
    if (context.shouldExit()) return result;
    if (CountTests::matched == 0) {
      std::cout << "FAILED: no test matches these filters\n";
      return 1;
    }
    if (result == 0) bifold::test::finish_compiled_texts();
    bifold::test::close_device();
    return result;
  } catch (const std::exception& failure) {
    std::cout << "FAILED: " << failure.what() << '\n';
    return 1;
  }
}
