/// Another file with the id of the good one.
#define NAME TEXT("other")
#include "well-behaved.h"
