/* How to use the library from C: plays a random game, then many of them at once. */
#include "@NAME@.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void print_facts(const void *state)
{
    uint32_t fact;
    for (fact = 0; fact < ludens_changing_count(); fact++) {
        if (ludens_fact(state, fact))
            printf(" %s", ludens_fact_name(fact));
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static unsigned char state[LUDENS_STATE_SIZE], scratch[LUDENS_SCRATCH_SIZE];
    static uint32_t legal[LUDENS_MOVES + 1];
    uint32_t joint[LUDENS_ROLES], role, count;
    uint64_t games = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, sums[LUDENS_ROLES], moves, ended;
    int step, stuck = 0;
    clock_t begin;

    /* A random game. (rand is good enough for an example.) */
    ludens_init(state);
    for (step = 0; step < 1000 && !stuck && !ludens_terminal(state, scratch); step++) {
        printf("state %d:", step);
        print_facts(state);
        for (role = 0; role < LUDENS_ROLES; role++) {
            count = ludens_legal(state, role, legal, scratch);
            if (count == 0) {
                stuck = 1;
                break;
            }
            joint[role] = legal[(uint32_t)rand() % count];
            printf("  %s: %s (one of %" PRIu32 ")\n", ludens_role_name(role), ludens_move_name(joint[role]), count);
        }
        if (!stuck)
            ludens_next(state, joint, state, scratch);
    }
    printf("%s:", ludens_terminal(state, scratch) ? "the end" : stuck ? "a dead end" : "cut");
    print_facts(state);
    for (role = 0; role < LUDENS_ROLES; role++)
        printf("  %s: goal %d\n", ludens_role_name(role), ludens_goal(state, role, scratch));

    /* Many random games from the start. */
    ludens_init(state);
    begin = clock();
    ended = ludens_playouts(state, games, 10000, 1, sums, &moves);
    printf("%" PRIu64 " of %" PRIu64 " random games ended, after %" PRIu64 " moves in all, in %.3f seconds\n", ended, games,
           moves, (double)(clock() - begin) / CLOCKS_PER_SEC);
    for (role = 0; role < LUDENS_ROLES && ended; role++)
        printf("  %s: goal %.2f on average\n", ludens_role_name(role), (double)sums[role] / (double)ended);
    return 0;
}
