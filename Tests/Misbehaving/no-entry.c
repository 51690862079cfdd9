/// An ordinary library: to be skipped without a word.
#define ENTRY something_else
#include "well-behaved.h"
