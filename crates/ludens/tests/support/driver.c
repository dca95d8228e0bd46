/* Drives a compiled game for the tests: plays the moves on standard input and writes a playthrough, counts paths, or plays
 * random games. The game's header is given with -DHEADER. */
#include HEADER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char scratch[LUDENS_SCRATCH_SIZE];

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int by_fact(const void *a, const void *b)
{
    return strcmp(ludens_fact_name(*(const uint32_t *)a), ludens_fact_name(*(const uint32_t *)b));
}

/* The facts that have changed, sorted: those that are gone, then those that are new. */
static void print_changes(const void *state)
{
    static uint32_t sorted[LUDENS_FACTS + 1];
    static int before[LUDENS_FACTS + 1];
    uint32_t i;
    int now;
    for (i = 0; i < ludens_fact_count(); i++)
        sorted[i] = i;
    qsort(sorted, ludens_fact_count(), sizeof *sorted, by_fact);
    for (now = 0; now < 2; now++) {
        for (i = 0; i < ludens_fact_count(); i++) {
            if (ludens_fact(state, sorted[i]) == now && before[sorted[i]] != now)
                printf("  %c %s\n", now ? '+' : '-', ludens_fact_name(sorted[i]));
        }
    }
    for (i = 0; i < ludens_fact_count(); i++)
        before[i] = ludens_fact(state, i);
}

/* Prints the legal moves of a role, sorted; answers how many there are. */
static uint32_t print_legal(const void *state, uint32_t role, uint32_t *legal)
{
    static const char *names[LUDENS_MOVES + 1];
    const uint32_t count = ludens_legal(state, role, legal, scratch);
    uint32_t i;
    for (i = 0; i < count; i++)
        names[i] = ludens_move_name(legal[i]);
    qsort(names, count, sizeof *names, by_name);
    printf("  legal %s %" PRIu32 ":", ludens_role_name(role), count);
    for (i = 0; i < count; i++)
        printf(" %s", names[i]);
    printf("%s\n", count ? "" : " ");
    return count;
}

/* Reads the text of a move of each role, a line each, and finds it among the legal ones. */
static int read_joint(const void *state, uint32_t *joint)
{
    static uint32_t legal[LUDENS_MOVES + 1];
    static char line[4096];
    uint32_t role, i, count;
    for (role = 0; role < LUDENS_ROLES; role++) {
        if (!fgets(line, sizeof line, stdin))
            return 0;
        line[strcspn(line, "\n")] = 0;
        count = ludens_legal(state, role, legal, scratch);
        for (i = 0; i < count && strcmp(ludens_move_name(legal[i]), line); i++)
            ;
        if (i == count)
            return 0;
        joint[role] = legal[i];
    }
    return 1;
}

static void replay(void)
{
    static unsigned char state[LUDENS_STATE_SIZE];
    static uint32_t legal[LUDENS_MOVES + 1];
    uint32_t joint[LUDENS_ROLES], role;
    int step, stuck = 0, goal;
    ludens_init(state);
    for (step = 0; !stuck; step++) {
        printf("state %d\n", step);
        print_changes(state);
        if (ludens_terminal(state, scratch)) {
            printf("  terminal\n");
            break;
        }
        for (role = 0; role < LUDENS_ROLES; role++)
            stuck |= print_legal(state, role, legal) == 0;
        if (stuck) {
            printf("  stuck\n");
            break;
        }
        if (!read_joint(state, joint)) {
            printf("  cut\n");
            return;
        }
        for (role = 0; role < LUDENS_ROLES; role++)
            printf("  does %s %s\n", ludens_role_name(role), ludens_move_name(joint[role]));
        if (!ludens_next(state, joint, state, scratch))
            printf("  refused\n");
    }
    for (role = 0; role < LUDENS_ROLES; role++) {
        goal = ludens_goal(state, role, scratch);
        if (goal < 0)
            printf("  goal %s none\n", ludens_role_name(role));
        else
            printf("  goal %s %d\n", ludens_role_name(role), goal);
    }
}

static uint64_t paths(const void *state, int depth, uint32_t role, uint32_t *joint)
{
    unsigned char next[LUDENS_STATE_SIZE];
    uint32_t *legal, count, i, deeper[LUDENS_ROLES];
    uint64_t sum = 0;
    if (depth == 0)
        return 1;
    if (role == LUDENS_ROLES)
        return ludens_next(state, joint, next, scratch) ? paths(next, depth - 1, 0, deeper) : 0;
    legal = malloc((ludens_max_moves(role) + 1) * sizeof *legal);
    if (!legal)
        exit(3);
    count = ludens_legal(state, role, legal, scratch);
    for (i = 0; i < count; i++) {
        joint[role] = legal[i];
        sum += paths(state, depth, role + 1, joint);
    }
    free(legal);
    return sum;
}

static void perft(int most)
{
    unsigned char state[LUDENS_STATE_SIZE];
    uint32_t joint[LUDENS_ROLES];
    int depth;
    ludens_init(state);
    for (depth = 1; depth <= most; depth++)
        printf("%" PRIu64 "\n", paths(state, depth, 0, joint));
}

static void playouts(uint64_t count, uint64_t most, uint64_t seed)
{
    unsigned char state[LUDENS_STATE_SIZE];
    uint64_t sums[LUDENS_ROLES], moves, ended;
    uint32_t role;
    ludens_init(state);
    ended = ludens_playouts(state, count, most, seed, sums, &moves);
    printf("%" PRIu64 " %" PRIu64, ended, moves);
    for (role = 0; role < LUDENS_ROLES; role++)
        printf(" %" PRIu64, sums[role]);
    printf("\n");
}

/* What the interface promises about wrong numbers, wrong moves and facts that are set. */
static int promises(void)
{
    unsigned char state[LUDENS_STATE_SIZE], other[LUDENS_STATE_SIZE];
    uint32_t joint[LUDENS_ROLES], role, i;
    uint64_t moves;
    ludens_init(state);
    memcpy(other, state, sizeof state);
    if (ludens_interface() != LUDENS_INTERFACE || ludens_role_count() != LUDENS_ROLES ||
        ludens_move_count() != LUDENS_MOVES || ludens_fact_count() != LUDENS_FACTS ||
        ludens_state_size() != LUDENS_STATE_SIZE || ludens_scratch_size() != LUDENS_SCRATCH_SIZE)
        return 1;
    if (ludens_role_name(LUDENS_ROLES) || ludens_move_name(LUDENS_MOVES) || ludens_fact_name(LUDENS_FACTS) ||
        ludens_max_moves(LUDENS_ROLES) || ludens_legal(state, LUDENS_ROLES, NULL, scratch) ||
        ludens_goal(state, LUDENS_ROLES, scratch) != -1 || ludens_fact(state, LUDENS_FACTS) ||
        ludens_set_fact(state, LUDENS_FACTS, 1))
        return 2;
    for (role = 0; role < LUDENS_ROLES; role++)
        joint[role] = LUDENS_MOVES;
    if (ludens_next(state, joint, other, scratch) || memcmp(state, other, sizeof state))
        return 3;
    for (i = 0; i < ludens_fact_count(); i++) {
        const int old = ludens_fact(other, i), changes = i < ludens_changing_count();
        if (ludens_set_fact(other, i, !old) != changes || ludens_fact(other, i) != (changes ? !old : old))
            return 4;
        if (ludens_set_fact(other, i, old) != 1 || memcmp(state, other, sizeof state))
            return 5;
    }
    for (role = 0, i = 0; role < LUDENS_ROLES; i += ludens_max_moves(role++)) {
        if (ludens_first_move(role) != i)
            return 6;
    }
    if (ludens_playouts(state, 0, 0, 1, NULL, &moves) || moves || ludens_playouts(state, 3, 0, 1, NULL, NULL) != 3)
        return 7;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "replay"))
        replay();
    else if (argc == 3 && !strcmp(argv[1], "perft"))
        perft(atoi(argv[2]));
    else if (argc == 5 && !strcmp(argv[1], "playouts"))
        playouts(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    else if (argc == 2 && !strcmp(argv[1], "promises"))
        return promises();
    else
        return 100;
    return 0;
}
