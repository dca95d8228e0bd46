
/* Runs a program that is written as a table: pairs of what to do and how often. 0: and, 1: and not, 2: or, each with the slots
 * of its result and its operands; 3: a loop begins, with so many growing slots; 4: it ends. Loops do not nest. */
#define INTERPRETER(T)                                                                                                \
    static void run_##T(const uint32_t *pieces, uint32_t count, const slot_number *op, const uint32_t *grows, T *s)   \
    {                                                                                                                 \
        const slot_number *back_op = op, *end;                                                                        \
        uint32_t piece, back = 0;                                                                                     \
        for (piece = 0; piece < count; piece++) {                                                                     \
            const uint32_t n = pieces[2 * piece + 1];                                                                 \
            switch (pieces[2 * piece]) {                                                                              \
            case 0:                                                                                                   \
                for (end = op + 3 * (size_t)n; op < end; op += 3)                                                     \
                    s[op[0]] = s[op[1]] & s[op[2]];                                                                   \
                break;                                                                                                \
            case 1:                                                                                                   \
                for (end = op + 3 * (size_t)n; op < end; op += 3)                                                     \
                    s[op[0]] = s[op[1]] & ~s[op[2]];                                                                  \
                break;                                                                                                \
            case 2:                                                                                                   \
                for (end = op + 3 * (size_t)n; op < end; op += 3)                                                     \
                    s[op[0]] = s[op[1]] | s[op[2]];                                                                   \
                break;                                                                                                \
            case 3:                                                                                                   \
                clear_##T(grows, n, s);                                                                               \
                back = piece;                                                                                         \
                back_op = op;                                                                                         \
                break;                                                                                                \
            default:                                                                                                  \
                if (grow_##T(grows, n, s)) {                                                                          \
                    piece = back;                                                                                     \
                    op = back_op;                                                                                     \
                } else {                                                                                              \
                    grows += 2 * (size_t)n;                                                                           \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
    }

INTERPRETER(bit)
INTERPRETER(plane)

