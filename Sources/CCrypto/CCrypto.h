/// The system's libcrypto (OpenSSL): digests.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/sha.h>

#endif
