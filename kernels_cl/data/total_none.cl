// Prelude: nobody asks for the total of a scan. Whoever is given it is given the first value, too.

#define TOTAL_PARAMETERS FIRST_PARAMETERS
#define TOTAL_ARGUMENTS FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value)
