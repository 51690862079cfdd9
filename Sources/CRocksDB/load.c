#include "CRocksDB.h"

#include <dlfcn.h>

/// As distributions name it: with headers, Debian 13 and 12, Ubuntu 24.04.
static const char *const names[] = {"librocksdb.so", "librocksdb.so.9.10", "librocksdb.so.7.8", "librocksdb.so.8.9"};

const char *rocksdb_load(struct RocksDBFunctions *functions) {
    void *library = NULL;
    for (size_t index = 0; index < sizeof names / sizeof *names && !library; index++)
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (!library) return names[0];
#define FIND(result, name, arguments) \
    if (!(functions->name = (result (*) arguments)dlsym(library, "rocksdb_" #name))) return "rocksdb_" #name;
    ROCKSDB_FUNCTIONS(FIND)
    return NULL;
}
