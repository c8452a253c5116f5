/* The order of bytes, which is that of x86. */
#ifndef PALISADE_ENDIAN_H
#define PALISADE_ENDIAN_H

#include <stdint.h>

#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define BYTE_ORDER LITTLE_ENDIAN
#define __LITTLE_ENDIAN LITTLE_ENDIAN
#define __BIG_ENDIAN BIG_ENDIAN
#define __BYTE_ORDER BYTE_ORDER

static inline uint16_t bswap_16(uint16_t word) { return (uint16_t)(word << 8 | word >> 8); }
static inline uint32_t bswap_32(uint32_t word) { return (uint32_t)bswap_16((uint16_t)word) << 16 | bswap_16((uint16_t)(word >> 16)); }
static inline uint64_t bswap_64(uint64_t word) { return (uint64_t)bswap_32((uint32_t)word) << 32 | bswap_32((uint32_t)(word >> 32)); }

#define htole16(word) ((uint16_t)(word))
#define htole32(word) ((uint32_t)(word))
#define htole64(word) ((uint64_t)(word))
#define le16toh(word) ((uint16_t)(word))
#define le32toh(word) ((uint32_t)(word))
#define le64toh(word) ((uint64_t)(word))
#define htobe16(word) bswap_16(word)
#define htobe32(word) bswap_32(word)
#define htobe64(word) bswap_64(word)
#define be16toh(word) bswap_16(word)
#define be32toh(word) bswap_32(word)
#define be64toh(word) bswap_64(word)

#endif
