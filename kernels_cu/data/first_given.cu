// Prelude: the first value of an exclusive scan is given apart from what lies before all elements:
// a floating sum of nothing is +0, and -0 is what changes no sum.

#define FIRST_PARAMETERS , ACC given_first
#define FIRST_ARGUMENTS , given_first
#define PUT_FIRST(mine, place) \
  if (mine) place = given_first
#define STORE_FIRST(mine, to) \
  if (mine) *(to) = TO_OUT(given_first)
