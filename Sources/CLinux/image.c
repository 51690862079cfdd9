#define _GNU_SOURCE
#include "image.h"

#include <dlfcn.h>
#include <stddef.h>

const char *belfry_image_path(void) {
    Dl_info info;
    return dladdr((void *)belfry_image_path, &info) ? info.dli_fname : NULL;
}
