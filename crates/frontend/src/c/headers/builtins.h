/* Functions of gcc's that count and move bits. Read behind every program that mentions one. */

extern void __palisade_error(const char *message);

static inline int __builtin_popcountll(unsigned long long word)
{
    word = word - (word >> 1 & 0x5555555555555555ull);
    word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
    word = word + (word >> 4) & 0x0f0f0f0f0f0f0f0full;
    return (int)(word * 0x0101010101010101ull >> 56);
}

static inline int __builtin_popcount(unsigned int word) { return __builtin_popcountll(word); }
static inline int __builtin_popcountl(unsigned long word) { return __builtin_popcountll(word); }
static inline int __builtin_parity(unsigned int word) { return __builtin_popcountll(word) & 1; }
static inline int __builtin_parityl(unsigned long word) { return __builtin_popcountll(word) & 1; }
static inline int __builtin_parityll(unsigned long long word) { return __builtin_popcountll(word) & 1; }

static inline int __builtin_ctzll(unsigned long long word)
{
    if (word == 0)
        __palisade_error("the number of zeros behind the lowest bit of 0");
    return __builtin_popcountll((word & 0 - word) - 1);
}

static inline int __builtin_ctz(unsigned int word) { return __builtin_ctzll(word); }
static inline int __builtin_ctzl(unsigned long word) { return __builtin_ctzll(word); }

static inline int __builtin_clzll(unsigned long long word)
{
    if (word == 0)
        __palisade_error("the number of zeros before the highest bit of 0");
    word |= word >> 1;
    word |= word >> 2;
    word |= word >> 4;
    word |= word >> 8;
    word |= word >> 16;
    word |= word >> 32;
    return 64 - __builtin_popcountll(word);
}

static inline int __builtin_clz(unsigned int word) { return __builtin_clzll(word) - 32; }
static inline int __builtin_clzl(unsigned long word) { return __builtin_clzll(word); }

static inline int __builtin_ffsll(long long word)
{
    unsigned long long bits = (unsigned long long)word;
    return bits == 0 ? 0 : __builtin_popcountll((bits & 0 - bits) - 1) + 1;
}

static inline int __builtin_ffs(int word) { return __builtin_ffsll(word); }
static inline int __builtin_ffsl(long word) { return __builtin_ffsll(word); }

static inline unsigned short __builtin_bswap16(unsigned short word) { return (unsigned short)(word << 8 | word >> 8); }

static inline unsigned int __builtin_bswap32(unsigned int word)
{
    return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

static inline unsigned long __builtin_bswap64(unsigned long word)
{
    return (unsigned long)__builtin_bswap32((unsigned int)word) << 32 | __builtin_bswap32((unsigned int)(word >> 32));
}

static inline int __builtin_abs(int number) { return number < 0 ? -number : number; }
static inline long __builtin_labs(long number) { return number < 0 ? -number : number; }
static inline long long __builtin_llabs(long long number) { return number < 0 ? -number : number; }
