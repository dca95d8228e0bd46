
/* --- Names and numbers ------------------------------------------------------------------------------------------ */

uint32_t ludens_interface(void) { return LUDENS_INTERFACE; }

const char *ludens_game_name(void) { return game_name; }

uint32_t ludens_role_count(void) { return role_count; }

const char *ludens_role_name(uint32_t role) { return role < role_count ? role_names[role] : NULL; }

uint32_t ludens_move_count(void) { return move_count; }

const char *ludens_move_name(uint32_t move) { return move < move_count ? move_names[move] : NULL; }

uint32_t ludens_first_move(uint32_t role) { return role < role_count ? first_moves[role] : 0; }

uint32_t ludens_max_moves(uint32_t role)
{
    return role < role_count ? first_moves[role + 1] - first_moves[role] : 0;
}

uint32_t ludens_fact_count(void) { return fact_count; }

uint32_t ludens_changing_count(void) { return changing_count; }

const char *ludens_fact_name(uint32_t fact) { return fact < fact_count ? fact_names[fact] : NULL; }

/* --- States ------------------------------------------------------------------------------------------------------ */

size_t ludens_state_size(void) { return LUDENS_STATE_SIZE; }

void ludens_init(void *state) { memcpy(state, first_state, LUDENS_STATE_SIZE); }

static int holds(const void *state, uint32_t fact) { return ((const unsigned char *)state)[fact / 8] >> (fact % 8) & 1; }

int ludens_fact(const void *state, uint32_t fact)
{
    if (fact < changing_count)
        return holds(state, fact);
    return fact < fact_count;
}

int ludens_set_fact(void *state, uint32_t fact, int value)
{
    unsigned char *byte = (unsigned char *)state + fact / 8;
    if (fact >= changing_count)
        return fact < fact_count && value;
    if (value)
        *byte = (unsigned char)(*byte | 1u << (fact % 8));
    else
        *byte = (unsigned char)(*byte & ~(1u << (fact % 8)));
    return 1;
}

/* --- The rules --------------------------------------------------------------------------------------------------- */

size_t ludens_scratch_size(void) { return LUDENS_SCRATCH_SIZE; }

static int value(const bit *s, uint32_t wire) { return s[wire >> 1] ^ (wire & 1); }

/* The slots with everything that follows from a state. Scratch memory holds a byte that tells whether it was used before,
 * the state that the slots belong to, and the slots. */
static bit *look(const void *state, void *scratch)
{
    unsigned char *used = scratch, *last = used + 1;
    bit *s = last + LUDENS_STATE_SIZE;
    uint32_t i;
    if (*used && memcmp(last, state, LUDENS_STATE_SIZE) == 0)
        return s;
    *used = 1;
    memcpy(last, state, LUDENS_STATE_SIZE);
    s[0] = 1;
    for (i = 0; i < changing_count; i++)
        s[1 + i] = (bit)holds(state, i);
    state_program_bit(s);
    return s;
}

int ludens_terminal(const void *state, void *scratch) { return value(look(state, scratch), terminal_wire); }

uint32_t ludens_legal(const void *state, uint32_t role, uint32_t *moves, void *scratch)
{
    const bit *s = look(state, scratch);
    uint32_t move, count = 0;
    if (role >= role_count || value(s, terminal_wire))
        return 0;
    for (move = first_moves[role]; move < first_moves[role + 1]; move++) {
        if (value(s, legal_wires[move])) {
            if (moves)
                moves[count] = move;
            count++;
        }
    }
    return count;
}

int ludens_next(const void *state, const uint32_t *joint, void *next, void *scratch)
{
    bit *s = look(state, scratch), *inputs = s + 1 + changing_count;
    unsigned char *bytes = next;
    uint32_t i;
    if (value(s, terminal_wire))
        return 0;
    for (i = 0; i < role_count; i++) {
        if (joint[i] < first_moves[i] || joint[i] >= first_moves[i + 1] || !value(s, legal_wires[joint[i]]))
            return 0;
    }
    for (i = 0; i < role_count; i++)
        inputs[joint[i]] = 1;
    moves_program_bit(s);
    memset(bytes, 0, LUDENS_STATE_SIZE);
    for (i = 0; i < changing_count; i++)
        bytes[i / 8] = (unsigned char)(bytes[i / 8] | value(s, next_wires[i]) << (i % 8));
    /* Only now: what a fact becomes may be nothing but a move. */
    for (i = 0; i < role_count; i++)
        inputs[joint[i]] = 0;
    return 1;
}

int ludens_goal(const void *state, uint32_t role, void *scratch)
{
    const bit *s = look(state, scratch);
    int goal = -1, found = 0;
    uint32_t i;
    for (i = 0; i < goal_count; i++) {
        if (goal_roles[i] == role && value(s, goal_wires[i])) {
            goal = goal_values[i];
            found++;
        }
    }
    return found == 1 ? goal : -1;
}

/* --- Many random games ------------------------------------------------------------------------------------------- */

/* Moves are counted and found in blocks of this many; four bits hold such a count. */
enum { BLOCK = 15, BLOCK_BITS = 4 };

/* Games side by side: a bit of every plane is one game. Numbers are written in planes too, one for each binary digit, the
 * lowest first. */
struct lanes {
    plane s[SLOTS];
    plane next[CHANGING + 1];
    plane legal[MOVES + 1];
    plane counts[BLOCKS + 1][BLOCK_BITS]; /* the legal moves of each block */
    plane less[LUDENS_ROLES][BITS];       /* how many legal moves a role has, less one */
    plane choice[LUDENS_ROLES];           /* where a role has more than one */
    plane random[4];
    uint64_t begun[LANES]; /* the step at which each game began */
};

static inline void get(const plane *s, uint32_t wire, plane *out) { *out = wire & 1 ? ~s[wire >> 1] : s[wire >> 1]; }

static uint64_t ones_of(uint64_t word)
{
#if defined(__GNUC__)
    return (uint64_t)__builtin_popcountll(word);
#else
    uint64_t count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
#endif
}

/* The place of the lowest bit that is set; there is one. */
static int lowest(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int place = 0;
    for (; !(word & 1); word >>= 1)
        place++;
    return place;
#endif
}

static uint64_t count_ones(const plane *value)
{
    uint64_t words[WORDS], count = 0;
    int i;
    memcpy(words, value, sizeof words);
    for (i = 0; i < WORDS; i++)
        count += ones_of(words[i]);
    return count;
}

/* Random bits: xoshiro256++, a generator for each word. */
static void toss(plane *r, plane *out)
{
    plane sum = r[0] + r[3], shifted = r[1] << 17;
    *out = (sum << 23 | sum >> 41) + r[0];
    r[2] ^= r[0];
    r[3] ^= r[1];
    r[1] ^= r[2];
    r[0] ^= r[3];
    r[2] ^= shifted;
    r[3] = r[3] << 45 | r[3] >> 19;
}

static void seed_random(plane *r, uint64_t seed)
{
    uint64_t words[WORDS], z;
    int i, j;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < WORDS; j++) {
            z = seed += UINT64_C(0x9e3779b97f4a7c15);
            z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
            words[j] = z ^ z >> 31;
        }
        memcpy(&r[i], words, sizeof words);
    }
}

/* How many of up to 15 planes are true. */
static void count_block(const plane *legal, uint32_t n, plane *sum)
{
    const plane zero = {0};
    uint32_t i;
    int b;
    for (b = 0; b < BLOCK_BITS; b++)
        sum[b] = zero;
    for (i = 0; i < n; i += 2) {
        /* Two planes and the lowest digit make a digit and a carry. */
        plane x = legal[i], y = i + 1 < n ? legal[i + 1] : zero, z = sum[0], carry;
        sum[0] = x ^ y ^ z;
        carry = (x & y) | (z & (x | y));
        for (b = 1; b < BLOCK_BITS; b++) {
            plane old = sum[b];
            sum[b] = old ^ carry;
            carry &= old;
        }
    }
}

/* Counts the legal moves of a role; `block` is its first block. Adds to `stuck` the games in which it has none. */
static void count_moves(struct lanes *l, uint32_t role, uint32_t block, const plane *playing, plane *stuck)
{
    const plane zero = {0};
    const uint32_t first = first_moves[role], n = first_moves[role + 1] - first;
    plane total[BITS], some = zero, borrow = ~zero;
    uint32_t i;
    int b;
    for (b = 0; b < BITS; b++)
        total[b] = zero;
    for (i = 0; i < n; i++)
        get(l->s, legal_wires[first + i], &l->legal[first + i]);
    for (i = 0; i < n; i += BLOCK, block++) {
        plane carry = zero;
        count_block(&l->legal[first + i], n - i < BLOCK ? n - i : BLOCK, l->counts[block]);
        for (b = 0; b < BITS; b++) {
            plane x = total[b], y = b < BLOCK_BITS ? l->counts[block][b] : zero;
            total[b] = x ^ y ^ carry;
            carry = (x & y) | (carry & (x | y));
        }
    }
    for (b = 0; b < BITS; b++)
        some |= total[b];
    l->choice[role] = zero;
    for (b = 0; b < BITS; b++) {
        l->less[role][b] = total[b] ^ borrow;
        borrow &= ~total[b];
        l->less[role][b] &= some & *playing;
        l->choice[role] |= l->less[role][b];
    }
    *stuck |= *playing & ~some;
}

/* Draws a number from 0 to `less` for every game, all with the same chances: as many random digits as `less` has, again and
 * again until the number is not too large. More than half of the games succeed each time. */
static void draw(struct lanes *l, const plane *less, plane *number)
{
    const plane zero = {0};
    plane mask[BITS], left = zero;
    int b, bits = BITS;
    for (b = BITS - 1; b >= 0; b--) {
        left |= less[b];
        mask[b] = left;
        number[b] = zero;
    }
    while (bits > 0 && !any_plane(&mask[bits - 1]))
        bits--;
    while (any_plane(&left)) {
        plane tried[BITS], large = zero;
        for (b = 0; b < bits; b++) {
            toss(l->random, &tried[b]);
            tried[b] &= mask[b];
            large = (tried[b] & ~less[b]) | (large & ~(tried[b] ^ less[b]));
        }
        for (b = 0; b < bits; b++)
            number[b] |= tried[b] & left & ~large;
        left &= large;
    }
}

/* Sets the input of the move that has the drawn number among the legal moves of a role, and no other of its inputs. */
static void find(struct lanes *l, uint32_t role, uint32_t block, const plane *playing, plane *number)
{
    const plane zero = {0};
    const uint32_t first = first_moves[role], n = first_moves[role + 1] - first;
    plane *inputs = l->s + 1 + changing_count + first, looking = *playing;
    uint32_t i, j;
    int b;
    for (i = 0; i < n; i += BLOCK, block++) {
        const uint32_t end = n - i < BLOCK ? n : i + BLOCK;
        plane here = looking, rest[BITS], left[BLOCK_BITS];
        if (n > BLOCK) {
            /* Where the number is not less than the block's count, the move comes later. */
            plane borrow = zero;
            for (b = 0; b < BITS; b++) {
                plane x = number[b], y = b < BLOCK_BITS ? l->counts[block][b] : zero;
                rest[b] = x ^ y ^ borrow;
                borrow = (~x & (y | borrow)) | (y & borrow);
            }
            here &= borrow;
            looking &= ~borrow;
            if (!any_plane(&here)) {
                for (j = i; j < end; j++)
                    inputs[j] = zero;
                memcpy(number, rest, sizeof rest);
                continue;
            }
        }
        for (b = 0; b < BLOCK_BITS; b++)
            left[b] = b < BITS ? number[b] : zero;
        for (j = i; j < end; j++) {
            /* Legal moves count down; what would go below zero is the move. */
            plane down = l->legal[first + j] & here;
            for (b = 0; b < BLOCK_BITS; b++) {
                plane old = left[b];
                left[b] = old ^ down;
                down &= ~old;
            }
            inputs[j] = down;
        }
        if (n > BLOCK)
            memcpy(number, rest, sizeof rest);
    }
}

/* Makes a random joint move ready in every game of `playing`; answers the games in which a role has no move. */
static void choose(struct lanes *l, const plane *playing, plane *stuck)
{
    const plane zero = {0};
    plane several = zero, taken = zero, together[BITS], number[BITS];
    uint32_t role, block = 0;
    int b;
    *stuck = zero;
    for (b = 0; b < BITS; b++)
        together[b] = zero;
    for (role = 0; role < role_count; role++) {
        count_moves(l, role, block, playing, stuck);
        block += (ludens_max_moves(role) + BLOCK - 1) / BLOCK;
        several |= taken & l->choice[role];
        taken |= l->choice[role];
        for (b = 0; b < BITS; b++)
            together[b] |= l->less[role][b];
    }
    /* While no game has two roles that choose, one drawing serves all roles. */
    const int apart = any_plane(&several);
    if (!apart)
        draw(l, together, number);
    for (role = 0, block = 0; role < role_count; role++) {
        plane own[BITS];
        if (apart)
            draw(l, l->less[role], own);
        else
            for (b = 0; b < BITS; b++)
                own[b] = number[b] & l->choice[role];
        find(l, role, block, playing, own);
        block += (ludens_max_moves(role) + BLOCK - 1) / BLOCK;
    }
}

/* Adds up the goals of the games that have just ended in a terminal state. */
static void add_goals(const struct lanes *l, const plane *terminal, uint64_t *goal_sums)
{
    const plane zero = {0};
    plane once[LUDENS_ROLES], twice[LUDENS_ROLES], given;
    uint32_t i;
    for (i = 0; i < role_count; i++)
        once[i] = twice[i] = zero;
    for (i = 0; i < goal_count; i++) {
        get(l->s, goal_wires[i], &given);
        twice[goal_roles[i]] |= once[goal_roles[i]] & given;
        once[goal_roles[i]] |= given;
    }
    for (i = 0; i < goal_count; i++) {
        if (goal_values[i] > 0) {
            get(l->s, goal_wires[i], &given);
            given &= *terminal & ~twice[goal_roles[i]];
            goal_sums[goal_roles[i]] += (uint64_t)goal_values[i] * count_ones(&given);
        }
    }
}

/* The games of `playing` that have made the most moves. `due` is a step before which there is none of them. */
static void find_old(const struct lanes *l, const plane *playing, uint64_t step, uint64_t most, uint64_t *due, plane *old)
{
    uint64_t words[WORDS], now[WORDS];
    int i;
    memcpy(words, playing, sizeof words);
    memset(now, 0, sizeof now);
    *due = step + 1 + most;
    for (i = 0; i < LANES; i++) {
        if (!(words[i / 64] >> (i % 64) & 1))
            continue;
        if (l->begun[i] + most <= step)
            now[i / 64] |= UINT64_C(1) << (i % 64);
        else if (l->begun[i] + most < *due)
            *due = l->begun[i] + most;
    }
    memcpy(old, now, sizeof now);
}

/* Begins new games where games have ended, as long as there are any `waiting`. Answers how many moves the ended games had. */
static uint64_t begin(struct lanes *l, const plane *ended, uint64_t step, uint64_t *waiting, plane *active)
{
    uint64_t over[WORDS], on[WORDS], bits, again, moves = 0;
    int i, lane;
    memcpy(over, ended, sizeof over);
    memcpy(on, active, sizeof on);
    for (i = 0; i < WORDS; i++) {
        again = 0;
        for (bits = over[i]; bits; bits &= bits - 1) {
            lane = 64 * i + lowest(bits);
            moves += step - l->begun[lane];
            l->begun[lane] = step + 1;
            if (*waiting) {
                (*waiting)--;
                again |= bits & -bits;
            }
        }
        on[i] = (on[i] & ~over[i]) | again;
    }
    memcpy(active, on, sizeof on);
    return moves;
}

/* Plays until all games have ended; answers how many of them did so in a terminal state. */
static uint64_t play(struct lanes *l, const void *state, uint64_t waiting, uint64_t most, uint64_t *goal_sums,
                     uint64_t *moves_made)
{
    const plane zero = {0};
    plane active = zero, terminal, playing, old, stuck, ended = ~zero;
    uint64_t step, due = most, finished = 0;
    uint32_t i;
    for (i = 0; i < LANES; i++)
        l->begun[i] = 0;
    begin(l, &ended, 0, &waiting, &active);
    for (i = 0; i < LANES; i++)
        l->begun[i] = 0;
    for (i = 0; i < SLOTS; i++)
        l->s[i] = zero;
    l->s[0] = ~zero;
    for (i = 0; i < changing_count; i++)
        l->s[1 + i] = holds(state, i) ? ~zero : zero;
    for (step = 0;; step++) {
        state_program_plane(l->s);
        get(l->s, terminal_wire, &terminal);
        terminal &= active;
        playing = active & ~terminal;
        old = zero;
        if (most && step >= due) {
            find_old(l, &playing, step, most, &due, &old);
            playing &= ~old;
        }
        choose(l, &playing, &stuck);
        ended = terminal | old | stuck;
        if (any_plane(&ended)) {
            finished += count_ones(&terminal);
            add_goals(l, &terminal, goal_sums);
            *moves_made += begin(l, &ended, step, &waiting, &active);
            if (!any_plane(&active))
                return finished;
        }
        moves_program_plane(l->s);
        for (i = 0; i < changing_count; i++)
            get(l->s, next_wires[i], &l->next[i]);
        for (i = 0; i < changing_count; i++)
            l->s[1 + i] = holds(state, i) ? l->next[i] | ended : l->next[i] & ~ended;
    }
}

uint64_t ludens_playouts(const void *state, uint64_t count, uint64_t most_moves, uint64_t seed, uint64_t *goal_sums,
                         uint64_t *moves_made)
{
    uint64_t sums[LUDENS_ROLES] = {0}, moves = 0, finished = 0;
    unsigned char *memory = count ? malloc(sizeof(struct lanes) + sizeof(plane)) : NULL;
    if (memory) {
        /* Planes are aligned to their size. */
        struct lanes *l = (struct lanes *)(void *)(memory + (sizeof(plane) - (uintptr_t)memory % sizeof(plane)));
        seed_random(l->random, seed);
        finished = play(l, state, count, most_moves, sums, &moves);
        free(memory);
    }
    if (goal_sums)
        memcpy(goal_sums, sums, sizeof sums);
    if (moves_made)
        *moves_made = moves;
    return finished;
}
