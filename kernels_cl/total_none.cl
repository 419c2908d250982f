// Prelude: nobody asks for the total of a scan.

#define TOTAL_PARAMETERS
#define TOTAL_ARGUMENTS
#define LEAVE_TOTAL(mine, value)
