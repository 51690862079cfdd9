/// Takes its time over an opening.
#include <unistd.h>
#define IN_ON_OPENED usleep(150000);
#include "steady.h"
