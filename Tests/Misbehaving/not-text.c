/// The version is not UTF-8.
#define VERSION TEXT("1.\xff")
#include "well-behaved.h"
