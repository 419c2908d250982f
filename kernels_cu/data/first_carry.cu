// Prelude: the first value of an exclusive scan is what lies before all elements.

#define FIRST_PARAMETERS
#define FIRST_ARGUMENTS
#define PUT_FIRST(mine, place)
#define STORE_FIRST(mine, to)
