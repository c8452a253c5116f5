/* What of mathematics needs no more than arithmetic. */
#ifndef PALISADE_MATH_H
#define PALISADE_MATH_H

#define HUGE_VAL (1.0 / 0.0)
#define INFINITY (1.0F / 0.0F)
#define NAN (0.0F / 0.0F)

#define isnan(x) ((x) != (x))
#define isinf(x) ((x) == HUGE_VAL || (x) == -HUGE_VAL)
#define isfinite(x) ((x) - (x) == 0)
#define signbit(x) ((x) < 0 || ((x) == 0 && 1.0 / (x) < 0))

static inline double fabs(double x)
{
    return x < 0 ? -x : x == 0 ? 0.0 : x;
}

static inline float fabsf(float x)
{
    return x < 0 ? -x : x == 0 ? 0.0F : x;
}

static inline double fmax(double x, double y)
{
    return isnan(x) || x < y ? y : x;
}

static inline double fmin(double x, double y)
{
    return isnan(x) || y < x ? y : x;
}

/* From 2^52 on all numbers are whole. */
static inline double trunc(double x)
{
    if (!(fabs(x) < 4503599627370496.0))
        return x;
    double whole = (double)(long)x;
    return whole == 0 && signbit(x) ? -0.0 : whole;
}

static inline double floor(double x)
{
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

static inline double ceil(double x)
{
    double whole = trunc(x);
    return whole < x ? (whole + 1 == 0 ? -0.0 : whole + 1) : whole;
}

static inline double round(double x)
{
    double whole = trunc(x), rest = x - whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

static inline long lround(double x)
{
    return (long)round(x);
}

#endif
