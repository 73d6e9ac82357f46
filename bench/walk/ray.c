/*
 * ray: a small ray tracer with one sphere and one light, in floats. Five drivers; which one runs is an input.
 */
#include "cairn.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum light_type { AMBIENT, DIRECTIONAL, POINT };

struct vector {
    float x, y, z;
};

struct surface {
    struct vector colour;
    float ambient, diffuse, specular, exponent, reflection, transmission, refraction;
};

struct sphere {
    struct surface surface;
    struct vector centre;
    float radius;
};

struct light {
    int type;
    struct vector vector, colour;
};

struct ray {
    struct vector origin, direction;
    float t;
    const struct sphere *hit;
};

/* What is there to be seen; there may be no sphere. */
struct scene {
    const struct sphere *sphere;
    struct light light;
    struct vector background;
};

static struct vector vector(float x, float y, float z)
{
    struct vector v = {x, y, z};
    return v;
}

static struct vector sum(struct vector a, struct vector b)
{
    return vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static struct vector difference(struct vector a, struct vector b)
{
    return vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static struct vector scaled(float factor, struct vector v)
{
    return vector(factor * v.x, factor * v.y, factor * v.z);
}

static struct vector product(struct vector a, struct vector b)
{
    return vector(a.x * b.x, a.y * b.y, a.z * b.z);
}

static float dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector normalised(struct vector v)
{
    float t = dot(v, v);
    if (t != 0 && t != 1)
        t = 1 / sqrtf(t);
    return scaled(t, v);
}

static struct ray new_ray(struct vector origin, struct vector direction)
{
    struct ray ray = {origin, normalised(direction), 0, NULL};
    return ray;
}

static int intersects(const struct sphere *sphere, struct ray *ray)
{
    struct vector delta = difference(sphere->centre, ray->origin);
    float v = dot(ray->direction, delta);
    if (v - sphere->radius > ray->t)
        return 0;
    float s = sphere->radius * sphere->radius + v * v - delta.x * delta.x - delta.y * delta.y - delta.z * delta.z;
    if (s < 0)
        return 0;
    s = v - sqrtf(s);
    if (s > ray->t || s < 0)
        return 0;
    ray->t = s;
    ray->hit = sphere;
    return 1;
}

static int trace(const struct scene *scene, struct ray *ray)
{
    ray->t = FLT_MAX;
    ray->hit = NULL;
    if (scene->sphere)
        intersects(scene->sphere, ray);
    return ray->hit != NULL;
}

static struct light new_light(int type, struct vector v, struct vector colour)
{
    struct light light = {type, {0, 0, 0}, colour};
    if (type != AMBIENT) {
        light.vector = v;
        if (type == DIRECTIONAL)
            light.vector = normalised(v);
    }
    return light;
}

static struct vector shade_sphere(const struct sphere *sphere, const struct ray *ray, const struct scene *scene);

/* What the light adds at point p with normal n, seen from direction v. */
static struct vector lit(const struct surface *surface, struct vector p, struct vector n, struct vector v,
                         const struct scene *scene)
{
    const struct light *light = &scene->light;
    struct vector colour = product(surface->colour, light->colour), found = {0, 0, 0}, l;
    if (light->type == AMBIENT)
        return scaled(surface->ambient, colour);
    if (light->type == POINT)
        l = normalised(difference(light->vector, p));
    else
        l = scaled(-1, light->vector);
    struct ray shadow = new_ray(sum(p, scaled(0.001f, l)), l);
    if (trace(scene, &shadow))
        return found;
    float lambert = dot(n, l);
    if (lambert > 0) {
        if (surface->diffuse > 0)
            found = scaled(surface->diffuse * lambert, colour);
        if (surface->specular > 0) {
            float spec = dot(v, difference(scaled(2 * lambert, n), l));
            if (spec > 0)
                found = sum(found, scaled(surface->specular * powf(spec, surface->exponent), light->colour));
        }
    }
    return found;
}

static struct vector reflected(const struct surface *surface, struct vector p, struct vector n, struct vector v,
                               const struct scene *scene)
{
    float t = dot(v, n);
    if (!(t > 0))
        return vector(0, 0, 0);
    struct vector direction = difference(scaled(2 * t, n), v);
    struct ray ray = new_ray(sum(p, scaled(0.001f, direction)), direction);
    if (trace(scene, &ray))
        return scaled(surface->reflection, shade_sphere(ray.hit, &ray, scene));
    return scaled(surface->reflection, scene->background);
}

static struct vector shade_surface(const struct surface *surface, struct vector p, struct vector n, struct vector v,
                                   const struct scene *scene)
{
    struct vector colour = lit(surface, p, n, v, scene);
    if (surface->reflection > 0)
        colour = sum(colour, reflected(surface, p, n, v, scene));
    if (colour.x > 1)
        colour.x = 1;
    if (colour.y > 1)
        colour.y = 1;
    if (colour.z > 1)
        colour.z = 1;
    return colour;
}

static struct vector shade_sphere(const struct sphere *sphere, const struct ray *ray, const struct scene *scene)
{
    struct vector p = sum(ray->origin, scaled(ray->t, ray->direction));
    struct vector v = scaled(-1, ray->direction);
    struct vector n = normalised(difference(p, sphere->centre));
    return shade_surface(&sphere->surface, p, n, v, scene);
}

static float input(const char *name)
{
    float number;
    cairn_symbolic(&number, sizeof number, name);
    return number;
}

static struct vector input_vector(const char *name)
{
    float x = input(name), y = input(name), z = input(name);
    return vector(x, y, z);
}

static struct surface input_surface(void)
{
    struct surface surface;
    surface.colour = input_vector("colour");
    surface.ambient = input("ambient");
    surface.diffuse = input("diffuse");
    surface.specular = input("specular");
    surface.exponent = input("exponent");
    surface.reflection = input("reflection") * 0.00392156f;
    surface.transmission = input("transmission");
    surface.refraction = input("refraction");
    return surface;
}

static struct light input_light(void)
{
    int type;
    cairn_symbolic(&type, sizeof type, "type");
    struct vector v = input_vector("light");
    return new_light(type, v, input_vector("light colour"));
}

static void input_place(struct sphere *sphere)
{
    sphere->centre = input_vector("centre");
    sphere->radius = input("radius");
}

static struct ray input_ray(void)
{
    struct vector eye = input_vector("eye");
    return new_ray(eye, input_vector("direction"));
}

static void print(struct vector v)
{
    printf("%g %g %g\n", v.x, v.y, v.z);
}

static void drive_normalise(void)
{
    print(normalised(input_vector("vector")));
}

static void drive_surface(void)
{
    struct surface surface = input_surface();
    struct vector p = input_vector("point"), n = input_vector("normal"), v = input_vector("view");
    struct scene scene = {NULL, input_light(), {1, 1, 1}};
    print(shade_surface(&surface, p, n, v, &scene));
}

static void drive_trace(void)
{
    struct sphere sphere = {0};
    input_place(&sphere);
    struct ray ray = input_ray();
    struct scene scene = {.sphere = &sphere};
    printf("%d\n", trace(&scene, &ray));
}

static void drive_intersection(void)
{
    struct sphere sphere;
    sphere.surface = input_surface();
    input_place(&sphere);
    struct ray ray = input_ray();
    printf("%d\n", intersects(&sphere, &ray));
}

static void drive_sphere(void)
{
    struct sphere sphere;
    sphere.surface = input_surface();
    input_place(&sphere);
    struct ray ray = input_ray();
    struct scene scene = {.sphere = &sphere};
    scene.light = input_light();
    scene.background = input_vector("background");
    print(shade_sphere(&sphere, &ray, &scene));
}

int main(void)
{
    unsigned driver;
    cairn_symbolic(&driver, sizeof driver, "driver");
    switch (driver) {
    case 0:
        drive_normalise();
        break;
    case 1:
        drive_surface();
        break;
    case 2:
        drive_trace();
        break;
    case 3:
        drive_intersection();
        break;
    default:
        drive_sphere();
    }
    return 0;
}
