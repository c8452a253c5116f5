#include "shared.h"
int both(void) { return use(); }
