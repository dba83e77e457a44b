// Grids in ISPC: a task has some rows.
#define ROWS 32
typedef const uniform float IN;
typedef uniform float OUT;

task void copy_rows(uniform int h, uniform int w, OUT out[], IN a[]) {
    uniform int begin = (uniform int)taskIndex * ROWS;
    for (uniform int y = begin; y < min(begin + ROWS, h); y++)
        foreach (x = 0 ... w)
            out[y * w + x] = a[y * w + x];
}

export void copy(uniform int h, uniform int w, OUT out[], IN a[]) {
    launch[(h + ROWS - 1) / ROWS] copy_rows(h, w, out, a);
}

task void copy_guarded_rows(uniform int rows, uniform int columns, OUT out[], IN a[],
                            uniform int h, uniform int w) {
    uniform int begin = (uniform int)taskIndex * ROWS;
    for (uniform int y = begin; y < min(begin + ROWS, rows); y++)
        foreach (x = 0 ... columns)
            if (y < h && x < w)
                out[y * w + x] = a[y * w + x];
}

export void copy_guarded(uniform int rows, uniform int columns, OUT out[], IN a[],
                         uniform int h, uniform int w) {
    launch[(rows + ROWS - 1) / ROWS] copy_guarded_rows(rows, columns, out, a, h, w);
}

task void heat_rows(uniform int h, uniform int w, OUT out[], IN a[], uniform float alpha) {
    uniform int begin = (uniform int)taskIndex * ROWS + 1, pitch = w + 2;
    for (uniform int y = begin; y < min(begin + ROWS, h + 1); y++)
        foreach (x = 1 ... w + 1) {
            int at = y * pitch + x;
            out[at] = a[at] + alpha * (a[at - pitch] + a[at + pitch] + a[at - 1] + a[at + 1]
                                       - 4.0f * a[at]);
        }
}

export void heat(uniform int h, uniform int w, OUT out[], IN a[], uniform float alpha) {
    launch[(h + ROWS - 1) / ROWS] heat_rows(h, w, out, a, alpha);
}

task void heat_guarded_rows(OUT out[], IN a[], uniform float alpha, uniform int h,
                            uniform int w) {
    uniform int begin = (uniform int)taskIndex * ROWS;
    for (uniform int y = begin; y < min(begin + ROWS, h); y++)
        foreach (x = 0 ... w) {
            if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
                continue;
            int at = y * w + x;
            out[at] = a[at] + alpha * (a[at - w] + a[at + w] + a[at - 1] + a[at + 1]
                                       - 4.0f * a[at]);
        }
}

export void heat_guarded(uniform int rows, uniform int columns, OUT out[], IN a[],
                         uniform float alpha, uniform int h, uniform int w) {
    launch[(rows + ROWS - 1) / ROWS] heat_guarded_rows(out, a, alpha, h, w);
}
