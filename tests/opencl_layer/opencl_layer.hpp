// What the layer exports for a test to steer it by, found with dlsym in the loaded layer.
#pragma once

extern "C" {

/// From now on the `nth` call (1 is the next, -1 all of them) of the entry point fails with `code`
/// and does not reach the driver; the calls after it go through again. Returns 0 for an entry point
/// that the layer does not cover.
int bifold_layer_fail(const char* entry, int nth, int code);

/// The same for the `nth` call of all that the layer covers, whatever its entry point.
void bifold_layer_fail_any(int nth, int code);

/// The entry point that failed for bifold_layer_fail_any(); "" as long as none has.
const char* bifold_layer_failed();

/// Whether this thread is in a function of the driver.
bool bifold_layer_within();

/// From now on devices say that they have no shared virtual memory, or, with 0, what is true.
void bifold_layer_hide_svm(int hidden);

/// From now on blocks of it that are freed stay, to tell of late writes; with 0, they go.
void bifold_layer_keep_freed_svm(int kept);

/// Of those that stay, how many were written to after they were freed.
long bifold_layer_svm_written_late();

/// Forgets every failure that was asked for and has not happened.
void bifold_layer_clear();

/// Calls of the entry point since the process started; -1 for one that the layer does not cover.
/// Of "", those of all that it covers.
long bifold_layer_calls(const char* entry);

/// References created or retained and not yet released: "context", "queue", "buffer", "program",
/// "kernel" or "event", and blocks of "svm"; -1 for any other kind.
long bifold_layer_live(const char* kind);

}  // extern "C"
