"""The gamma function in OpenCL C, for drivers whose own is wrong: Lanczos's way, in doubles.

Coefficients and the correction for the rounding of ``y`` are those of Boost (lanczos13m53), as in
CPython's ``math.gamma``. Non-goals: speed. Invariant: within 16 units in the last place.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper

_ABOVE = (23531376880.410759, 42919803642.649098, 35711959237.355668, 17921034426.037209,
          6039542586.3520280, 1439720407.3117216, 248874557.86205415, 31426415.585400194,
          2876370.6289353724, 186056.26539522349, 8071.6720023658162, 210.82427775157934,
          2.5066282746310002)
_BELOW = (0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
          2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0)


def _table(values: tuple[float, ...]) -> str:
    return ", ".join(map(repr, values))


TGAMMA = Helper(f"""{{T}} {{name}}({{T}} number)
{{{{
    const double above[13] = {{{{{_table(_ABOVE)}}}}};
    const double below[13] = {{{{{_table(_BELOW)}}}}};
    const double x = number, size = fabs(x), half_g = 5.524680040776729583740234375;
    if (x == 0) return copysign(({{T}})INFINITY, number);
    if (isnan(x) || (x < 0 && x == floor(x))) return ({{T}})NAN;
    if (size < 1e-20) return ({{T}})(1 / x);
    if (size > 200) return x > 0 ? ({{T}})INFINITY : fmod(floor(x), 2) == 0 ? ({{T}})0 : -({{T}})0;
    const double y = size + half_g;
    double error = size > half_g ? y - size - half_g : y - half_g - size;
    error = error * 6.024680040776729583740234375 / y;
    double upper = 0, lower = 0;
    for (int k = 0; k < 13; k++) {{{{
        if (size < 5) {{{{
            upper = upper * size + above[12 - k];
            lower = lower * size + below[12 - k];
        }}}} else {{{{
            upper = upper / size + above[k];
            lower = lower / size + below[k];
        }}}}
    }}}}
    const double sum = upper / lower;
    const double power = size < 140 ? pow(y, size - 0.5) : pow(y, size / 2 - 0.25);
    const double again = size < 140 ? 1 : power;
    double result;
    if (x < 0) {{{{
        result = -3.141592653589793 / sinpi(size) / size * exp(y) / sum;
        result -= error * result;
        return ({{T}})(result / power / again);
    }}}}
    result = sum / exp(y);
    result += error * result;
    return ({{T}})(result * power * again);
}}}}""")
