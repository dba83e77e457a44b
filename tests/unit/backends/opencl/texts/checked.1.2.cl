void put_cell_ulong(__global uint *cell, ulong bits)
{
    cell[0] = (uint)bits;
    cell[1] = (uint)(bits >> 32);
}

// checked, kernels.py:57:1
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void checked(__global float *x, long x_n0, __global uint *reports)
{
    __local uchar shared_bool[32];
    const int linear_id = (int)get_local_id(0);
    const long global_id = get_global_id(0);
    const long group_id = get_group_id(0);
    const long local_id = get_local_id(0);
    bool check_failed = false;
    int g;
    {
#line 58 "kernels.py"
        g = (int)global_id;
#line 59
        if (!((g >= 0) & ((long)g < x_n0))) {
            {
                const uint at = atomic_add(reports, 13u);
                reports[2] = 1;
                if (at <= reports[1] - 13u) {
                    reports[3 + at] = 1;
                    put_cell_ulong(reports + at + 4, (ulong)(global_id));
                    put_cell_ulong(reports + at + 6, (ulong)(local_id));
                    put_cell_ulong(reports + at + 8, (ulong)(group_id));
                    put_cell_ulong(reports + at + 10, (ulong)((long)g));
                    put_cell_ulong(reports + at + 12, (ulong)(x_n0));
                    put_cell_ulong(reports + at + 14, (ulong)((long)((ulong)x_n0 - 1ul)));
                }
            }
            check_failed = true;
        }
        else if (!(x[g] > 0.0f)) {
            {
                const uint at_2 = atomic_add(reports, 9u);
                reports[2] = 1;
                if (at_2 <= reports[1] - 9u) {
                    reports[3 + at_2] = 2;
                    put_cell_ulong(reports + at_2 + 4, (ulong)(global_id));
                    put_cell_ulong(reports + at_2 + 6, (ulong)(local_id));
                    put_cell_ulong(reports + at_2 + 8, (ulong)(group_id));
                    put_cell_ulong(reports + at_2 + 10, (ulong)(as_uint(x[g])));
                }
            }
            check_failed = true;
        }
    }
    shared_bool[linear_id] = check_failed;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (linear_id == 0) {
        __attribute__((opencl_unroll_hint(1)))
        for (int stride = 1; stride < 32; stride++)
            shared_bool[0] = ((shared_bool[0] != 0) | (shared_bool[stride] != 0)) != 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool stop = shared_bool[0] != 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (stop) {
    } else {
#line 60
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#line 61
        if (!((g >= 0) & ((long)g < x_n0))) {
            {
                const uint at_3 = atomic_add(reports, 13u);
                reports[2] = 1;
                if (at_3 <= reports[1] - 13u) {
                    reports[3 + at_3] = 3;
                    put_cell_ulong(reports + at_3 + 4, (ulong)(global_id));
                    put_cell_ulong(reports + at_3 + 6, (ulong)(local_id));
                    put_cell_ulong(reports + at_3 + 8, (ulong)(group_id));
                    put_cell_ulong(reports + at_3 + 10, (ulong)((long)g));
                    put_cell_ulong(reports + at_3 + 12, (ulong)(x_n0));
                    put_cell_ulong(reports + at_3 + 14, (ulong)((long)((ulong)x_n0 - 1ul)));
                }
            }
        } else {
            {
                const uint at_4 = atomic_add(reports, 5u);
                if (at_4 <= reports[1] - 5u) {
                    reports[3 + at_4] = 4;
                    put_cell_ulong(reports + at_4 + 4, (ulong)((long)g));
                    put_cell_ulong(reports + at_4 + 6, (ulong)(as_uint(x[g])));
                }
            }
        }
    }
}
