/// Prints where the answer of a scan should be. No sin against the contract: it is to load.
#include <unistd.h>
#define ID TEXT("example.chatty")
#define NAME TEXT("chatty")
#include "well-behaved.h"
__attribute__((constructor)) static void chat(void) { if (write(1, "hello\n", 6) < 0) _exit(1); }
