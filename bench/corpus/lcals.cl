// RAJAPerf's LCALS group in OpenCL C: the same work-items as in lcals.py.
#define IN global const double*
#define OUT global double*

kernel void diff_predict(OUT px, IN cx, int offset) {
    size_t i = get_global_id(0);
    double ar, br, cr;
    ar = cx[i + offset * 4];
    br = ar - px[i + offset * 4];
    px[i + offset * 4] = ar;
    cr = br - px[i + offset * 5];
    px[i + offset * 5] = br;
    ar = cr - px[i + offset * 6];
    px[i + offset * 6] = cr;
    br = ar - px[i + offset * 7];
    px[i + offset * 7] = ar;
    cr = br - px[i + offset * 8];
    px[i + offset * 8] = br;
    ar = cr - px[i + offset * 9];
    px[i + offset * 9] = cr;
    br = ar - px[i + offset * 10];
    px[i + offset * 10] = ar;
    cr = br - px[i + offset * 11];
    px[i + offset * 11] = br;
    px[i + offset * 13] = cr - px[i + offset * 12];
    px[i + offset * 12] = cr;
}

kernel void int_predict(OUT px, int o, double d22, double d23, double d24, double d25, double d26,
                        double d27, double d28, double c0) {
    size_t i = get_global_id(0);
    px[i] = d28 * px[i + o * 12] + d27 * px[i + o * 11] + d26 * px[i + o * 10]
        + d25 * px[i + o * 9] + d24 * px[i + o * 8] + d23 * px[i + o * 7] + d22 * px[i + o * 6]
        + c0 * (px[i + o * 4] + px[i + o * 5]) + px[i + o * 2];
}

kernel void eos(OUT x, IN y, IN z, IN u, double q, double r, double t) {
    size_t i = get_global_id(0);
    x[i] = u[i] + r * (z[i] + r * y[i])
        + t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1])
               + t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4])));
}

kernel void hydro_1d(OUT x, IN y, IN z, double q, double r, double t) {
    size_t i = get_global_id(0);
    x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11]);
}

kernel void first_diff(OUT x, IN z) {
    size_t i = get_global_id(0);
    x[i] = z[i + 1] - z[i];
}

kernel void first_sum(OUT x, IN z) {
    size_t i = get_global_id(0);
    if (i > 0)
        x[i] = z[i - 1] + z[i];
}

kernel void tridiag_elim(OUT x, IN y, IN z, IN before) {
    size_t i = get_global_id(0);
    if (i > 0)
        x[i] = z[i] * (y[i] - before[i - 1]);
}

kernel void gen_lin_recur(OUT b5, OUT stb5, IN sa, IN sb) {
    size_t k = get_global_id(0);
    b5[k] = sa[k] + stb5[k] * sb[k];
    stb5[k] = b5[k] - stb5[k];
}

kernel void gen_lin_back(OUT b5, OUT stb5, IN sa, IN sb, int n) {
    size_t k = n - 1 - get_global_id(0);
    b5[k] = sa[k] + stb5[k] * sb[k];
    stb5[k] = b5[k] - stb5[k];
}

#define WHERE \
    size_t w = get_global_size(0) + 2; \
    size_t c = (get_global_id(1) + 1) * w + get_global_id(0) + 1;

kernel void hydro_2d_1(OUT za, OUT zb, IN zp, IN zq, IN zr, IN zm) {
    WHERE
    za[c] = (zp[c + w - 1] + zq[c + w - 1] - zp[c - 1] - zq[c - 1]) * (zr[c] + zr[c - 1])
        / (zm[c - 1] + zm[c + w - 1]);
    zb[c] = (zp[c - 1] + zq[c - 1] - zp[c] - zq[c]) * (zr[c] + zr[c - w]) / (zm[c] + zm[c - 1]);
}

kernel void hydro_2d_2(OUT zu, OUT zv, IN za, IN zb, IN zz, IN zr, double s) {
    WHERE
    zu[c] += s * (za[c] * (zz[c] - zz[c + 1]) - za[c - 1] * (zz[c] - zz[c - 1])
                  - zb[c] * (zz[c] - zz[c - w]) + zb[c + w] * (zz[c] - zz[c + w]));
    zv[c] += s * (za[c] * (zr[c] - zr[c + 1]) - za[c - 1] * (zr[c] - zr[c - 1])
                  - zb[c] * (zr[c] - zr[c - w]) + zb[c + w] * (zr[c] - zr[c + w]));
}

kernel void hydro_2d_3(OUT zrout, OUT zzout, IN zr, IN zz, IN zu, IN zv, double t) {
    WHERE
    zrout[c] = zr[c] + t * zu[c];
    zzout[c] = zz[c] + t * zv[c];
}

kernel void planckian(IN x, OUT y, IN u, IN v, OUT w) {
    size_t i = get_global_id(0);
    y[i] = u[i] / v[i];
    w[i] = x[i] / (exp(y[i]) - 1.0);
}
