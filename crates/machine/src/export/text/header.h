/*
 * The game @GAME@ as a library: what the rules say, and nothing else.
 *
 * Every game that `ludens compile` writes has this interface, function for function; only the constants below differ. There
 * are no global variables that change, so any number of threads may call anything at the same time, as long as each has
 * states and scratch memory of its own. Nothing is allocated, except by ludens_playouts for as long as it runs.
 *
 * Roles, moves and facts have numbers from 0. A role's moves follow each other; no two roles share a number, even where
 * their moves have the same name. Numbers out of range are answered with NULL, 0 or -1.
 */
#ifndef @GUARD@
#define @GUARD@

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The form of this interface; it changes when a program written for it would have to. */
#define LUDENS_INTERFACE 1

/* The same numbers as the functions give, for arrays that are made at compile time. */
#define LUDENS_ROLES @ROLES@
#define LUDENS_MOVES @MOVES@
#define LUDENS_FACTS @FACTS@
#define LUDENS_STATE_SIZE @STATE_SIZE@
#define LUDENS_SCRATCH_SIZE @SCRATCH_SIZE@

/* --- Names and numbers ------------------------------------------------------------------------------------------ */

/* LUDENS_INTERFACE of the library, for programs that load it at run time. */
uint32_t ludens_interface(void);

/* What the game is called. */
const char *ludens_game_name(void);

uint32_t ludens_role_count(void);
const char *ludens_role_name(uint32_t role);

/* All moves of all roles. */
uint32_t ludens_move_count(void);
const char *ludens_move_name(uint32_t move);

/* A role's moves are the numbers from ludens_first_move(role) on, ludens_max_moves(role) of them. */
uint32_t ludens_first_move(uint32_t role);
uint32_t ludens_max_moves(uint32_t role);

/* All facts. The first ludens_changing_count() of them change; the others hold in every state. */
uint32_t ludens_fact_count(void);
uint32_t ludens_changing_count(void);
const char *ludens_fact_name(uint32_t fact);

/* --- States ------------------------------------------------------------------------------------------------------ */

/* A state is this many bytes, to be copied, compared and hashed as bytes, and aligned in any way. The fact of number f is
 * bit f % 8 (the lowest is bit 0) of byte f / 8; bits beyond the changing facts are 0. */
size_t ludens_state_size(void);

/* Writes the state in which the game begins. */
void ludens_init(void *state);

/* Whether a fact holds: 1 or 0. */
int ludens_fact(const void *state, uint32_t fact);

/* Makes a fact hold or not. Answers 1, or 0 if this fact cannot have that value. Whether the state can come about in play
 * is not asked. */
int ludens_set_fact(void *state, uint32_t fact, int value);

/* --- The rules --------------------------------------------------------------------------------------------------- */

/* The functions below need scratch memory: this many bytes, aligned in any way, all 0 before the first use, and used by one
 * thread at a time. It remembers what follows from the state it was last used with, so that asking several questions about
 * one state costs little more than asking one. */
size_t ludens_scratch_size(void);

/* Whether the game is over: 1 or 0. */
int ludens_terminal(const void *state, void *scratch);

/* Writes the legal moves of a role in rising order and answers how many there are. `moves` has room for
 * ludens_max_moves(role), or is NULL if only the count matters. In a terminal state there are none. Faulty rules may leave
 * a role without a move in other states; such a state is a dead end. */
uint32_t ludens_legal(const void *state, uint32_t role, uint32_t *moves, void *scratch);

/* Writes the state that follows when every role makes its move of `joint` (one for each role, in the order of the roles).
 * Answers 1, or 0 if one of the moves is not legal; then nothing is written. `next` may be `state`. */
int ludens_next(const void *state, const uint32_t *joint, void *next, void *scratch);

/* The goal of a role, from 0 to 100; -1 where the rules give none, or more than one. */
int ludens_goal(const void *state, uint32_t role, void *scratch);

/* --- Many random games ------------------------------------------------------------------------------------------- */

/* Plays this many games from a state to their ends, every role choosing among its legal moves with equal chances, hundreds
 * of games side by side. Answers how many ended in a terminal state; the others met a dead end, or were cut after
 * `most_moves` joint moves (0: never).
 *
 * goal_sums[role] becomes the sum of the role's goals in the games that ended in a terminal state (a goal that is not given
 * counts as 0), *moves_made the number of joint moves made in all. Both may be NULL. The same seed gives the same games, as
 * long as the library was compiled for registers of the same width. If there is no memory, no game is played and the answer
 * is 0. */
uint64_t ludens_playouts(const void *state, uint64_t count, uint64_t most_moves, uint64_t seed, uint64_t *goal_sums,
                         uint64_t *moves_made);

#ifdef __cplusplus
}
#endif

#endif
