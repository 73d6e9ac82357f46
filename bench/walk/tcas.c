/*
 * tcas: which way an aircraft should go to avoid another one; a version with a planted mistake.
 */
#include "cairn.h"

#include <stdio.h>
#include <stdlib.h>

enum { RATE_LIMIT = 600, MAX_DIFFERENCE = 600, MIN_SEPARATION = 300 };
enum { UNRESOLVED, UPWARD, DOWNWARD };

static int current_separation, high_confidence, two_of_three_valid, own_altitude, own_rate, other_altitude;
static int altitude_layer, up_separation, down_separation, other_intent, other_capability, climb_inhibit;

static int threshold(void)
{
    static const int thresholds[] = {400, 500, 640, 740};
    if (altitude_layer < 0 || altitude_layer > 3)
        exit(1);
    return thresholds[altitude_layer];
}

/* The mistake: it should add 100. */
static int biased_climb(void)
{
    if (climb_inhibit == 1)
        return up_separation + MIN_SEPARATION;
    return up_separation;
}

static int own_below_other(void)
{
    if (own_altitude < other_altitude)
        return 1;
    return 0;
}

static int own_above_other(void)
{
    if (other_altitude < own_altitude)
        return 1;
    return 0;
}

static int prefers_up(void)
{
    if (biased_climb() > down_separation)
        return 1;
    return 0;
}

static int may_climb(void)
{
    if (prefers_up() == 1) {
        if (own_below_other() == 0 || (own_below_other() == 1 && !(down_separation >= threshold())))
            return 1;
        return 0;
    }
    if (own_above_other() == 1 && current_separation >= MIN_SEPARATION && up_separation >= threshold())
        return 1;
    return 0;
}

static int may_descend(void)
{
    if (prefers_up() == 1) {
        if (own_below_other() == 1 && current_separation >= MIN_SEPARATION && down_separation >= threshold())
            return 1;
        return 0;
    }
    if (own_above_other() == 0 || (own_above_other() == 1 && up_separation >= threshold()))
        return 1;
    return 0;
}

static int is_enabled(void)
{
    if (high_confidence == 1 && own_rate <= RATE_LIMIT && current_separation > MAX_DIFFERENCE)
        return 1;
    return 0;
}

static int is_equipped(void)
{
    if (other_capability == 1)
        return 1;
    return 0;
}

static int intent_is_unknown(void)
{
    if (two_of_three_valid == 1 && other_intent == 0)
        return 1;
    return 0;
}

static int needs_up(void)
{
    if (may_climb() == 1 && own_below_other() == 1)
        return 1;
    return 0;
}

static int needs_down(void)
{
    if (may_descend() == 1 && own_above_other() == 1)
        return 1;
    return 0;
}

static int advice(void)
{
    int enabled = is_enabled(), equipped = is_equipped(), unknown = intent_is_unknown();
    if (enabled == 1 && ((equipped == 1 && unknown == 1) || equipped == 0)) {
        int up = needs_up(), down = needs_down();
        if (up == 1 && down == 1)
            return UNRESOLVED;
        if (up == 1)
            return UPWARD;
        if (down == 1)
            return DOWNWARD;
    }
    return UNRESOLVED;
}

#define INPUT(name) cairn_symbolic(&name, sizeof name, #name)

int main(void)
{
    INPUT(current_separation);
    INPUT(high_confidence);
    INPUT(two_of_three_valid);
    INPUT(own_altitude);
    INPUT(own_rate);
    INPUT(other_altitude);
    INPUT(altitude_layer);
    INPUT(up_separation);
    INPUT(down_separation);
    INPUT(other_intent);
    INPUT(other_capability);
    INPUT(climb_inhibit);
    printf("%d\n", advice());
    return 0;
}
