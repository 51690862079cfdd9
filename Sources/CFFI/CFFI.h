/// Debian's libffi: calls a C function whose type is known only when the program runs.
#ifndef CFFI_H
#define CFFI_H

#include <ffi.h>

// libffi describes its types by global variables, which Swift takes for shared mutable state. They are constants.
static inline ffi_type *cffi_uint32(void) { return &ffi_type_uint32; }
static inline ffi_type *cffi_sint32(void) { return &ffi_type_sint32; }
static inline ffi_type *cffi_uint64(void) { return &ffi_type_uint64; }
static inline ffi_type *cffi_sint64(void) { return &ffi_type_sint64; }
static inline ffi_type *cffi_double(void) { return &ffi_type_double; }
static inline ffi_type *cffi_pointer(void) { return &ffi_type_pointer; }

#endif
