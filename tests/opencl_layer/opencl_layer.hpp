// What the layer exports for a test to steer it by, found with dlsym in the loaded layer.
#pragma once

extern "C" {

/// From now on the `nth` call (1 is the next) of the entry point fails with `code` and does not
/// reach the driver; the calls after it go through again. Returns 0 for an entry point that the
/// layer does not cover.
int bifold_layer_fail(const char* entry, int nth, int code);

/// Forgets every failure that was asked for and has not happened.
void bifold_layer_clear();

/// Calls of the entry point since the process started; -1 for one that the layer does not cover.
/// Of "", those of all that it covers.
long bifold_layer_calls(const char* entry);

/// References created or retained and not yet released: "context", "queue", "buffer", "program",
/// "kernel" or "event"; -1 for any other kind.
long bifold_layer_live(const char* kind);

}  // extern "C"
