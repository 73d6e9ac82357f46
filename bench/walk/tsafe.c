/*
 * tsafe: parts of a program that looks for conflicts between flights: are two turning aircraft too close, and how
 * steep is a turn. Which of the two is asked is an input.
 */
#include "cairn.h"

#include <math.h>
#include <stdio.h>

#define G 68443.0
#define D(name) double name; cairn_symbolic(&name, sizeof name, #name);

static double radians(double degrees)
{
    return degrees * M_PI / 180;
}

static void conflict(void)
{
    D(psi1) D(v_a) D(v_c) D(x_c0) D(y_c0) D(psi_c) D(bank)
    double psi = radians(psi1), sign, least = 999;
    if (psi < 0)
        sign = -1;
    else
        sign = 1;
    double tau = tan(radians(bank));
    double r_a = v_a * v_a / tau / G, r_c = v_c * v_c / tau / G;
    double turn_time = fabs(psi) * r_a / v_a;
    double d_psi = turn_time * v_c / r_c;
    double x_a = sign * r_a * (1 - cos(psi)), y_a = r_a * sign * sin(psi);
    double x_c = x_c0 + r_c * (cos(psi_c) - cos(psi_c + d_psi));
    double y_c = y_c0 - r_c * (sin(psi_c) - sin(psi_c + d_psi));
    double distance = sqrt((x_c - x_a) * (x_c - x_a) + (y_c - y_a) * (y_c - y_a));
    if (distance < least)
        least = distance;
    if (least < 2)
        puts("conflict");
}

static double normal_angle(double delta)
{
    if (delta < -M_PI)
        return delta + 2 * M_PI;
    if (delta > M_PI)
        return delta - 2 * M_PI;
    return delta;
}

static void turn_logic(void)
{
    D(x0) D(y0) D(speed) D(x1) D(y1) D(x2) D(y2) D(dt)
    double dx = x0 - x1, dy = y0 - y1;
    if (dx == 0 && dy == 0)
        return;
    double heading = M_PI / 2 - atan2(dy, dx);
    if (heading < 0)
        heading += 2 * M_PI;
    if (heading > 2 * M_PI)
        heading -= 2 * M_PI;
    dx = x1 - x2;
    dy = y1 - y2;
    if (dx == 0 && dy == 0)
        return;
    double before = M_PI / 2 - atan2(dy, dx);
    if (before < 0)
        before += 2 * M_PI;
    if (before > 2 * M_PI)
        before -= 2 * M_PI;
    double delta = normal_angle(heading - before);
    printf("%g degrees\n", atan2(delta * speed, 32 * dt) * 180 / M_PI);
}

int main(void)
{
    int driver;
    cairn_symbolic(&driver, sizeof driver, "driver");
    if (driver == 0)
        conflict();
    else
        turn_logic();
    return 0;
}
