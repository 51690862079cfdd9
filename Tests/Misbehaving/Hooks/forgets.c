/// Does not save all that it remembers.
#define SAVE_LAST
#include "steady.h"
