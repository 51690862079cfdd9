/// The system's libcrypto (OpenSSL): digests and signatures.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#endif
