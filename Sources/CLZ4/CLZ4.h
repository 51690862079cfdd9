/// The system's LZ4: blocks that are packed about as fast as memory is copied.
#include <lz4.h>
