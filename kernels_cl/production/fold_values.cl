// Part fold_values: Combines the values that several ranks give, as a list says: the tree over
// their nodes, or a fold from left to right. A step is two numbers: the place of a value, in
// ascending order, and a code. That is 2 times how often the two topmost values of a stack become
// one behind the value, plus 1 if the top is then a result. Results lie from the first one's
// place on. One work-item does all of it. Cost: reads each value once; a combination for each
// merge, one after the other. Source: bifold.
// Provides: fold_values

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fold_values(
    __global OUT* values, const __global u32* steps, u64 count, __global OUT* results, u64 first) {
  // --- The top is in registers; what lies below is stored over values that were read ---
  ACC top = LIFT(values[steps[0]]);
  u64 below = 0;
  u64 found = 0;
  for (u64 i = 0; i < count; ++i) {
    const u32 place = steps[2 * i];
    const u32 code = steps[2 * i + 1];
    if (i > 0 && code < 2) {
      values[below] = TO_OUT(top);
      ++below;
      top = LIFT(values[place]);
    }
    if (code >= 2) top = COMBINE(top, LIFT(values[place]));
    for (u32 merge = 2; merge <= code / 2; ++merge) {
      --below;
      top = COMBINE(LIFT(values[below]), top);
    }
    if (code % 2 != 0) {
      results[first + found] = TO_OUT(top);
      ++found;
    }
  }
}
