/// The system's zlib: gzip.
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

/// `inflateInit2` is a macro, which Swift does not see. 16 + 15: gzip, with any window.
static inline int belfry_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }

#endif
