#include "CPostgres.h"

#include <dlfcn.h>

const char *postgres_load(struct PostgresFunctions *functions) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return "libpq.so.5";
#define FIND(result, name, arguments) \
    if (!(functions->name = (result (*) arguments)dlsym(library, "PQ" #name))) return "PQ" #name;
    POSTGRES_FUNCTIONS(FIND)
    return NULL;
}
