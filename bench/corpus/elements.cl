// More of RAJAPerf's Apps in OpenCL C: work-items and groups as in elements.py.
#define IN global const double*
#define OUT global double*

double triple(double ax, double ay, double az, double bx, double by, double bz, double cx,
              double cy, double cz) {
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

kernel void vol3d(OUT vol, IN x, IN y, IN z, int n) {
    int i = (get_global_id(2) * n + get_global_id(1)) * n + get_global_id(0), jp = n, kp = n * n;
    int c0 = i, c1 = i + 1, c2 = i + 1 + jp, c3 = i + jp, c4 = i + kp, c5 = i + 1 + kp;
    int c6 = i + 1 + jp + kp, c7 = i + jp + kp;
    double x71 = x[c7] - x[c1], x72 = x[c7] - x[c2], x74 = x[c7] - x[c4];
    double x30 = x[c3] - x[c0], x50 = x[c5] - x[c0], x60 = x[c6] - x[c0];
    double y71 = y[c7] - y[c1], y72 = y[c7] - y[c2], y74 = y[c7] - y[c4];
    double y30 = y[c3] - y[c0], y50 = y[c5] - y[c0], y60 = y[c6] - y[c0];
    double z71 = z[c7] - z[c1], z72 = z[c7] - z[c2], z74 = z[c7] - z[c4];
    double z30 = z[c3] - z[c0], z50 = z[c5] - z[c0], z60 = z[c6] - z[c0];
    double total = triple(x71 + x60, y71 + y60, z71 + z60, x72, y72, z72, x30, y30, z30);
    total += triple(x72 + x50, y72 + y50, z72 + z50, x74, y74, z74, x60, y60, z60);
    total += triple(x74 + x30, y74 + y30, z74 + z30, x71, y71, z71, x50, y50, z50);
    vol[i] = total * 0.083333333333333333;
}

kernel void matvec(OUT b, IN matrix, IN x, global const int* zone, int jp, int kp, int n) {
    int i = zone[get_global_id(0)], m = 0;
    double total = 0.0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++, m++)
                total += matrix[m * n + i] * x[i + dx + dy * jp + dz * kp];
    b[i] = total;
}

#define D 4
#define Q 5
#define AT(z, y, x) (((z) * Q + (y)) * Q + (x))

kernel void mass3dpa(IN basis, IN x, IN data, OUT y, local double* one, local double* two) {
    int e = get_group_id(1), ty = get_local_id(1), tx = get_local_id(0);
    if (ty < D)
        for (int dz = 0; dz < D; dz++) {
            double total = 0.0;
            for (int dx = 0; dx < D; dx++)
                total += basis[tx * D + dx] * x[((e * D + dz) * D + ty) * D + dx];
            one[AT(dz, ty, tx)] = total;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int dz = 0; dz < D; dz++) {
        double total = 0.0;
        for (int dy = 0; dy < D; dy++)
            total += basis[ty * D + dy] * one[AT(dz, dy, tx)];
        two[AT(dz, ty, tx)] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int qz = 0; qz < Q; qz++) {
        double total = 0.0;
        for (int dz = 0; dz < D; dz++)
            total += basis[qz * D + dz] * two[AT(dz, ty, tx)];
        one[AT(qz, ty, tx)] = total * data[e * Q * Q * Q + AT(qz, ty, tx)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < D)
        for (int qz = 0; qz < Q; qz++) {
            double total = 0.0;
            for (int qx = 0; qx < Q; qx++)
                total += basis[qx * D + tx] * one[AT(qz, ty, qx)];
            two[AT(qz, ty, tx)] = total;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < D && ty < D)
        for (int dz = 0; dz < D; dz++) {
            double total = 0.0;
            for (int qz = 0; qz < Q; qz++) {
                double along = 0.0;
                for (int qy = 0; qy < Q; qy++)
                    along += basis[qy * D + ty] * two[AT(qz, qy, tx)];
                total += basis[qz * D + dz] * along;
            }
            y[((e * D + dz) * D + ty) * D + tx] += total;
        }
}

constant double GAUSS[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
constant double WEIGHT[3] = {0.2777777777777778, 0.4444444444444444, 0.2777777777777778};

kernel void hex_integral(OUT out, IN x, int n) {
    int i = (get_global_id(2) * n + get_global_id(1)) * n + get_global_id(0), m = i + n * n;
    double total = 0.0;
    for (int gz = 0; gz < 3; gz++)
        for (int gy = 0; gy < 3; gy++)
            for (int gx = 0; gx < 3; gx++) {
                double u = GAUSS[gx], v = GAUSS[gy], w = GAUSS[gz];
                double low = ((1.0 - u) * x[i] + u * x[i + 1]) * (1.0 - v)
                    + v * ((1.0 - u) * x[i + n] + u * x[i + n + 1]);
                double high = ((1.0 - u) * x[m] + u * x[m + 1]) * (1.0 - v)
                    + v * ((1.0 - u) * x[m + n] + u * x[m + n + 1]);
                double value = (1.0 - w) * low + w * high;
                total += WEIGHT[gx] * WEIGHT[gy] * WEIGHT[gz] * value * value;
            }
    out[i] = total;
}
