#define _GNU_SOURCE
#include "frozen_world.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// 2026-03-02T09:00:00Z, in s. Any time would do, as long as it does not pass.
static const time_t now = 1772442000;
static const char *volatile first_call;

static void note(const char *name) {
    if (!first_call) first_call = name;
}

static time_t frozen_time(time_t *out) {
    note("time");
    if (out) *out = now;
    return now;
}

static int frozen_gettimeofday(struct timeval *out, void *zone) {
    (void)zone;
    note("gettimeofday");
    *out = (struct timeval){.tv_sec = now};
    return 0;
}

static int frozen_clock_gettime(clockid_t clock, struct timespec *out) {
    (void)clock;
    note("clock_gettime");
    *out = (struct timespec){.tv_sec = now};
    return 0;
}

static clock_t frozen_clock(void) {
    note("clock");
    return 0;
}

static int frozen_rand(void) {
    note("rand");
    return 4;
}

static int frozen_rand_r(unsigned *seed) {
    (void)seed;
    note("rand_r");
    return 4;
}

static long frozen_random(void) {
    note("random");
    return 4;
}

static double frozen_drand48(void) {
    note("drand48");
    return 0.5;
}

static long frozen_lrand48(void) {
    note("lrand48");
    return 4;
}

static uint32_t frozen_arc4random(void) {
    note("arc4random");
    return 4;
}

static uint32_t frozen_arc4random_uniform(uint32_t bound) {
    note("arc4random_uniform");
    return bound > 4 ? 4 : 0;
}

static void frozen_arc4random_buf(void *out, size_t length) {
    note("arc4random_buf");
    memset(out, 4, length);
}

static ssize_t frozen_getrandom(void *out, size_t length, unsigned flags) {
    (void)flags;
    note("getrandom");
    memset(out, 4, length);
    return (ssize_t)length;
}

static int frozen_getentropy(void *out, size_t length) {
    note("getentropy");
    memset(out, 4, length);
    return 0;
}

static void frozen_swift_random(void *out, size_t length) {
    note("the random numbers of Swift");
    memset(out, 4, length);
}

static char *frozen_getenv(const char *name) {
    note("getenv");
    return getenv(name);
}

static const struct {
    const char *name;
    const void *function;
} frozen[] = {
    {"time", frozen_time},
    {"gettimeofday", frozen_gettimeofday},
    {"clock_gettime", frozen_clock_gettime},
    {"clock", frozen_clock},
    {"rand", frozen_rand},
    {"rand_r", frozen_rand_r},
    {"random", frozen_random},
    {"drand48", frozen_drand48},
    {"lrand48", frozen_lrand48},
    {"arc4random", frozen_arc4random},
    {"arc4random_uniform", frozen_arc4random_uniform},
    {"arc4random_buf", frozen_arc4random_buf},
    {"getrandom", frozen_getrandom},
    {"getentropy", frozen_getentropy},
    {"swift_stdlib_random", frozen_swift_random},
    {"getenv", frozen_getenv},
    {"secure_getenv", frozen_getenv},
};

static const void *replacement(const char *name) {
    for (size_t index = 0; index < sizeof frozen / sizeof *frozen; index++)
        if (strcmp(frozen[index].name, name) == 0) return frozen[index].function;
    return NULL;
}

/// Puts an address into a slot that the loader may have made read-only.
static int put(const void *function, void **slot) {
    uintptr_t size = (uintptr_t)getpagesize();
    void *page = (void *)((uintptr_t)slot & ~(size - 1));
    if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return 0;
    memcpy(slot, &function, sizeof function);
    return 1;
}

/// The places of the image that the loader filled with addresses of symbols (System V ABI, "Relocation").
static int replace(const struct link_map *image, const ElfW(Rela) *entries, size_t size, const ElfW(Sym) *symbols, const char *names) {
    int count = 0;
    for (size_t index = 0; entries && index < size / sizeof *entries; index++) {
        size_t symbol = ELF64_R_SYM(entries[index].r_info);
        const void *function = symbol ? replacement(names + symbols[symbol].st_name) : NULL;
        if (function && symbols[symbol].st_shndx == SHN_UNDEF) count += put(function, (void **)(image->l_addr + entries[index].r_offset));
    }
    return count;
}

int belfry_freeze_world(const void *inside) {
    Dl_info information;
    struct link_map *image = NULL;
    if (!dladdr1(inside, &information, (void **)&image, RTLD_DL_LINKMAP) || !image) return -1;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) *jumps = NULL, *others = NULL;
    size_t jump_size = 0, other_size = 0;
    for (const ElfW(Dyn) *entry = image->l_ld; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
            case DT_SYMTAB: symbols = (const ElfW(Sym) *)entry->d_un.d_ptr; break;
            case DT_STRTAB: names = (const char *)entry->d_un.d_ptr; break;
            case DT_JMPREL: jumps = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
            case DT_PLTRELSZ: jump_size = entry->d_un.d_val; break;
            case DT_RELA: others = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
            case DT_RELASZ: other_size = entry->d_un.d_val; break;
        }
    }
    if (!symbols || !names) return -1;
    return replace(image, jumps, jump_size, symbols, names) + replace(image, others, other_size, symbols, names);
}

void belfry_forget_world_calls(void) { first_call = NULL; }

const char *belfry_first_world_call(void) { return first_call; }
