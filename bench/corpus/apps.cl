// RAJAPerf's Apps group in OpenCL C: the same work-items as in apps.py and elements.py.
#define IN global const double*
#define OUT global double*

kernel void del_dot_vec_2d(global const int* zone, IN x, IN y, IN fx, IN fy, OUT div, int jp) {
    int i = zone[get_global_id(0)];
    int c1 = i + 1, c2 = i + 1 + jp, c3 = i + jp, c4 = i;
    double xi = 0.5 * (x[c1] + x[c2] - x[c3] - x[c4]);
    double xj = 0.5 * (x[c2] + x[c3] - x[c4] - x[c1]);
    double yi = 0.5 * (y[c1] + y[c2] - y[c3] - y[c4]);
    double yj = 0.5 * (y[c2] + y[c3] - y[c4] - y[c1]);
    double fxi = 0.5 * (fx[c1] + fx[c2] - fx[c3] - fx[c4]);
    double fxj = 0.5 * (fx[c2] + fx[c3] - fx[c4] - fx[c1]);
    double fyi = 0.5 * (fy[c1] + fy[c2] - fy[c3] - fy[c4]);
    double fyj = 0.5 * (fy[c2] + fy[c3] - fy[c4] - fy[c1]);
    double rarea = 1.0 / (xi * yj - xj * yi + 1e-80);
    double affine = (fy[c1] + fy[c2] + fy[c3] + fy[c4]) / (y[c1] + y[c2] + y[c3] + y[c4]);
    div[i] = rarea * (fxi * yj - fxj * yi) + rarea * (fyj * xi - fyi * xj) + affine;
}

double sound(double pbvc, double e, double v, double bvc, double p, double rho0) {
    double ssc = (pbvc * e + v * v * bvc * p) / rho0;
    return ssc <= 0.1111111e-36 ? 0.3333333e-18 : sqrt(ssc);
}

kernel void energy_1(OUT e_new, IN e_old, IN delvc, IN p_old, IN q_old, IN work) {
    size_t i = get_global_id(0);
    e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i];
}

kernel void energy_2(OUT q_new, IN delvc, IN comp, IN pbvc, IN e_new, IN bvc, IN ph, IN ql, IN qq,
                     double rho0) {
    size_t i = get_global_id(0);
    if (delvc[i] > 0.0) {
        q_new[i] = 0.0;
    } else {
        double vhalf = 1.0 / (1.0 + comp[i]);
        q_new[i] = sound(pbvc[i], e_new[i], vhalf, bvc[i], ph[i], rho0) * ql[i] + qq[i];
    }
}

kernel void energy_3(OUT e_new, IN delvc, IN p_old, IN q_old, IN ph, IN q_new, IN work,
                     double e_cut, double emin) {
    size_t i = get_global_id(0);
    e_new[i] = e_new[i] + 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * (ph[i] + q_new[i]));
    e_new[i] += 0.5 * work[i];
    if (fabs(e_new[i]) < e_cut)
        e_new[i] = 0.0;
    if (e_new[i] < emin)
        e_new[i] = emin;
}

kernel void energy_5(OUT e_new, IN delvc, IN p_old, IN q_old, IN ph, IN q_new, IN p_new, IN vnewc,
                     IN pbvc, IN bvc, IN ql, IN qq, double rho0, double e_cut, double emin) {
    size_t i = get_global_id(0);
    double q_tilde = 0.0;
    if (!(delvc[i] > 0.0))
        q_tilde = sound(pbvc[i], e_new[i], vnewc[i], bvc[i], p_new[i], rho0) * ql[i] + qq[i];
    e_new[i] = e_new[i] - (7.0 * (p_old[i] + q_old[i]) - 8.0 * (ph[i] + q_new[i])
                           + (p_new[i] + q_tilde)) * delvc[i] / 6.0;
    if (fabs(e_new[i]) < e_cut)
        e_new[i] = 0.0;
    if (e_new[i] < emin)
        e_new[i] = emin;
}

kernel void energy_6(OUT q_new, IN delvc, IN vnewc, IN pbvc, IN e_new, IN bvc, IN p_new, IN ql,
                     IN qq, double rho0, double q_cut) {
    size_t i = get_global_id(0);
    if (delvc[i] <= 0.0) {
        q_new[i] = sound(pbvc[i], e_new[i], vnewc[i], bvc[i], p_new[i], rho0) * ql[i] + qq[i];
        if (fabs(q_new[i]) < q_cut)
            q_new[i] = 0.0;
    }
}

kernel void pressure_1(OUT bvc, IN compression, double cls) {
    size_t i = get_global_id(0);
    bvc[i] = cls * (compression[i] + 1.0);
}

kernel void pressure_2(OUT p_new, IN bvc, IN e_old, IN vnewc, double p_cut, double eosvmax,
                       double pmin) {
    size_t i = get_global_id(0);
    p_new[i] = bvc[i] * e_old[i];
    if (fabs(p_new[i]) < p_cut)
        p_new[i] = 0.0;
    if (vnewc[i] >= eosvmax)
        p_new[i] = 0.0;
    if (p_new[i] < pmin)
        p_new[i] = pmin;
}

constant double COEFFICIENTS[16] = {3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3};

kernel void fir(OUT out, IN given) {
    size_t i = get_global_id(0);
    double total = 0.0;
    for (int j = 0; j < 16; j++)
        total += COEFFICIENTS[j] * given[i + j];
    out[i] = total;
}

kernel void ltimes(OUT phi, IN ell, IN psi, int num_d) {
    size_t m = get_global_id(0), g = get_global_id(1), z = get_global_id(2);
    size_t num_m = get_global_size(0), num_g = get_global_size(1);
    double total = phi[(z * num_g + g) * num_m + m];
    for (int d = 0; d < num_d; d++)
        total += ell[m * num_d + d] * psi[(z * num_g + g) * num_d + d];
    phi[(z * num_g + g) * num_m + m] = total;
}

kernel void zonal_accumulation(IN x, OUT vol, global const int* zone, int jp, int kp) {
    int i = zone[get_global_id(0)];
    vol[i] = 0.125 * (x[i] + x[i + 1] + x[i + 1 + jp] + x[i + jp] + x[i + kp] + x[i + 1 + kp]
                      + x[i + 1 + jp + kp] + x[i + jp + kp]);
}
