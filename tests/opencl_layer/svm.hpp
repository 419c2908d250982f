// Shared virtual memory that a device hides, and what is written to after it was freed.
#pragma once

#include <CL/cl_icd.h>

namespace bifold::test {

/// Puts both in front of the driver.
void watch_svm(cl_icd_dispatch& target);

/// Whether devices say that they have none.
void hide_svm(bool hidden);

/// Whether blocks that are freed stay, with a pattern by which late writes are seen. The driver
/// then counts them as taken, and its context as in use.
void keep_freed_svm(bool kept);

/// Of those that stay, how many were written to after they were freed.
long svm_written_late();

}  // namespace bifold::test
