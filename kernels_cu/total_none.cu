// Prelude: nobody asks for the total of a scan.

#define TOTAL_PARAMETERS
#define LEAVE_TOTAL(mine, value)
