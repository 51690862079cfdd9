/// What Linux offers and Swift's Glibc module leaves out.
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
