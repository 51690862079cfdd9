/// What Linux offers and Swift's Glibc module leaves out.
#include <sys/inotify.h>
#include <sys/signalfd.h>
