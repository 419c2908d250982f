// Prelude: the initial value, as the host gives it.

#define INIT_PARAMETERS ACC given_init
#define INIT given_init
