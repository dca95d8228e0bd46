#include "@NAME@.h"

#include <stdlib.h>
#include <string.h>

/* The rules are a net: slots for truth values, and operations that work them out. Slot 0 is always true; then come the
 * changing facts, then the moves; the operations fill the others. A wire is twice a slot's number, plus 1 where the value is
 * negated. One program works out what follows from the facts (legal, terminal, goal), a second what follows from the moves
 * (the next facts). Both exist for one state (a slot is a bit) and for many states side by side (a slot is a plane). */
typedef unsigned char bit;

/* As wide as the registers of the processor that the compiler was told of: wider planes are slower. */
#if defined(__GNUC__)
#if defined(LUDENS_WORDS)
#elif defined(__AVX512F__)
#define LUDENS_WORDS 8
#elif defined(__AVX2__)
#define LUDENS_WORDS 4
#else
#define LUDENS_WORDS 2
#endif
typedef uint64_t plane __attribute__((vector_size(8 * LUDENS_WORDS)));
#else
#undef LUDENS_WORDS
#define LUDENS_WORDS 1
typedef uint64_t plane;
#endif

enum { WORDS = LUDENS_WORDS, LANES = 64 * LUDENS_WORDS };

static inline int any_bit(const bit *value) { return *value; }

static inline int any_plane(const plane *value)
{
    uint64_t words[WORDS], all = 0;
    int i;
    memcpy(words, value, sizeof words);
    for (i = 0; i < WORDS; i++)
        all |= words[i];
    return all != 0;
}

/* Recursive rules are loops: some slots begin as false, and after every round a wire is or-ed into each of them, until
 * nothing changes. `grows` lists the slots with their wires. */
#define LOOPS(T)                                                                                                      \
    static inline void clear_##T(const uint32_t *grows, uint32_t n, T *s)                                             \
    {                                                                                                                 \
        const T none = {0};                                                                                           \
        uint32_t i;                                                                                                   \
        for (i = 0; i < n; i++)                                                                                       \
            s[grows[2 * i]] = none;                                                                                   \
    }                                                                                                                 \
    static inline int grow_##T(const uint32_t *grows, uint32_t n, T *s)                                               \
    {                                                                                                                 \
        T changed = {0};                                                                                              \
        uint32_t i;                                                                                                   \
        for (i = 0; i < n; i++) {                                                                                     \
            const uint32_t to = grows[2 * i], wire = grows[2 * i + 1];                                                \
            T more = s[wire >> 1];                                                                                    \
            if (wire & 1)                                                                                             \
                more = ~more;                                                                                         \
            more &= ~s[to];                                                                                           \
            if (sizeof(T) == 1)                                                                                       \
                more &= s[0];                                                                                         \
            changed |= more;                                                                                          \
            s[to] |= more;                                                                                            \
        }                                                                                                             \
        return any_##T(&changed);                                                                                     \
    }

LOOPS(bit)
LOOPS(plane)

