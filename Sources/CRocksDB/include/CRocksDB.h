/// RocksDB's functions in C, of the system's library, which is loaded when the first store asks for it.
///
/// It is not linked: every start of every process would pay for its 5 ms of relocations and for nine more libraries, and everybody who
/// builds Belfry for its headers. What is declared here has been the same since RocksDB 6 (https://github.com/facebook/rocksdb,
/// include/rocksdb/c.h).
#ifndef CROCKSDB_H
#define CROCKSDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rocksdb_t rocksdb_t;
typedef struct rocksdb_options_t rocksdb_options_t;
typedef struct rocksdb_block_based_table_options_t rocksdb_table_options_t;
typedef struct rocksdb_cache_t rocksdb_cache_t;
typedef struct rocksdb_compactoptions_t rocksdb_compactoptions_t;
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;
typedef struct rocksdb_flushoptions_t rocksdb_flushoptions_t;
typedef struct rocksdb_iterator_t rocksdb_iterator_t;
typedef struct rocksdb_pinnableslice_t rocksdb_pinnableslice_t;
typedef struct rocksdb_readoptions_t rocksdb_readoptions_t;
typedef struct rocksdb_writebatch_t rocksdb_writebatch_t;
typedef struct rocksdb_writeoptions_t rocksdb_writeoptions_t;

/// Of each function what it returns, its name without `rocksdb_`, and what it takes.
#define ROCKSDB_FUNCTIONS(F) \
    F(rocksdb_t *, open, (const rocksdb_options_t *, const char *path, char **error)) \
    F(rocksdb_t *, open_for_read_only, (const rocksdb_options_t *, const char *path, unsigned char no_log, char **error)) \
    F(void, close, (rocksdb_t *)) \
    F(void, free, (void *)) \
    F(void, write, (rocksdb_t *, const rocksdb_writeoptions_t *, rocksdb_writebatch_t *, char **error)) \
    F(void, flush, (rocksdb_t *, const rocksdb_flushoptions_t *, char **error)) \
    F(void, compact_range_opt, \
      (rocksdb_t *, rocksdb_compactoptions_t *, const char *from, size_t, const char *to, size_t)) \
    F(rocksdb_pinnableslice_t *, get_pinned, (rocksdb_t *, const rocksdb_readoptions_t *, const char *, size_t, char **error)) \
    F(const char *, pinnableslice_value, (const rocksdb_pinnableslice_t *, size_t *)) \
    F(void, pinnableslice_destroy, (rocksdb_pinnableslice_t *)) \
    F(rocksdb_iterator_t *, create_iterator, (rocksdb_t *, const rocksdb_readoptions_t *)) \
    F(void, iter_destroy, (rocksdb_iterator_t *)) \
    F(void, iter_seek, (rocksdb_iterator_t *, const char *, size_t)) \
    F(void, iter_next, (rocksdb_iterator_t *)) \
    F(unsigned char, iter_valid, (const rocksdb_iterator_t *)) \
    F(const char *, iter_key, (const rocksdb_iterator_t *, size_t *)) \
    F(const char *, iter_value, (const rocksdb_iterator_t *, size_t *)) \
    F(void, iter_get_error, (const rocksdb_iterator_t *, char **error)) \
    F(rocksdb_writebatch_t *, writebatch_create, (void)) \
    F(void, writebatch_destroy, (rocksdb_writebatch_t *)) \
    F(void, writebatch_put, (rocksdb_writebatch_t *, const char *, size_t, const char *, size_t)) \
    F(void, writebatch_delete, (rocksdb_writebatch_t *, const char *, size_t)) \
    F(rocksdb_options_t *, options_create, (void)) \
    F(void, options_destroy, (rocksdb_options_t *)) \
    F(void, options_set_create_if_missing, (rocksdb_options_t *, unsigned char)) \
    F(void, options_increase_parallelism, (rocksdb_options_t *, int threads)) \
    F(void, options_set_write_buffer_size, (rocksdb_options_t *, size_t)) \
    F(void, options_set_compression, (rocksdb_options_t *, int)) \
    F(void, options_set_info_log_level, (rocksdb_options_t *, int)) \
    F(void, options_set_keep_log_file_num, (rocksdb_options_t *, size_t)) \
    F(void, options_set_max_manifest_file_size, (rocksdb_options_t *, size_t)) \
    F(void, options_set_stats_dump_period_sec, (rocksdb_options_t *, unsigned int)) \
    F(void, options_set_block_based_table_factory, (rocksdb_options_t *, rocksdb_table_options_t *)) \
    F(rocksdb_table_options_t *, block_based_options_create, (void)) \
    F(void, block_based_options_destroy, (rocksdb_table_options_t *)) \
    F(void, block_based_options_set_filter_policy, (rocksdb_table_options_t *, rocksdb_filterpolicy_t *)) \
    F(void, block_based_options_set_block_cache, (rocksdb_table_options_t *, rocksdb_cache_t *)) \
    F(rocksdb_filterpolicy_t *, filterpolicy_create_bloom_full, (double bits)) \
    F(rocksdb_cache_t *, cache_create_lru, (size_t)) \
    F(void, cache_destroy, (rocksdb_cache_t *)) \
    F(rocksdb_readoptions_t *, readoptions_create, (void)) \
    F(rocksdb_writeoptions_t *, writeoptions_create, (void)) \
    F(void, readoptions_destroy, (rocksdb_readoptions_t *)) \
    F(void, writeoptions_destroy, (rocksdb_writeoptions_t *)) \
    F(void, flushoptions_destroy, (rocksdb_flushoptions_t *)) \
    F(void, compactoptions_destroy, (rocksdb_compactoptions_t *)) \
    F(void, writeoptions_disable_WAL, (rocksdb_writeoptions_t *, int)) \
    F(rocksdb_flushoptions_t *, flushoptions_create, (void)) \
    F(rocksdb_compactoptions_t *, compactoptions_create, (void)) \
    F(void, compactoptions_set_bottommost_level_compaction, (rocksdb_compactoptions_t *, unsigned char))

#define ROCKSDB_MEMBER(result, name, arguments) result (*name) arguments;
struct RocksDBFunctions { ROCKSDB_FUNCTIONS(ROCKSDB_MEMBER) };

/// Finds the library and all of its functions.
///
/// Returns null, or the name of what is missing.
const char *rocksdb_load(struct RocksDBFunctions *functions);

#endif
