/// Crashes when the app goes to the background.
#define IN_ON_BACKGROUND *(volatile int *)8 = 1;
#include "steady.h"
