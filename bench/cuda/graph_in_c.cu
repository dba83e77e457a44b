// What a kernel of a CUDA graph costs a program in C++: a graph of a hundred small kernels, each
// behind the one before, replayed with one wait for fifty replays and with one for each. Prints
// both in us a kernel, a line for each of seven rounds.
#include <chrono>
#include <cstdio>

constexpr int KERNELS = 100, REPLAYS = 50, ROUNDS = 7;

__global__ void touch(float *p)
{
    p[0] = p[0] + 1;
}

static double replayed(cudaGraphExec_t ready, cudaStream_t stream, bool each)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < REPLAYS; ++k) {
        cudaGraphLaunch(ready, stream);
        if (each)
            cudaStreamSynchronize(stream);
    }
    cudaStreamSynchronize(stream);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return took.count() / REPLAYS / KERNELS;
}

int main()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    float *p;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) || cudaMalloc(&p, sizeof *p))
        return 1;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < KERNELS; ++k)
        touch<<<1, 1, 0, stream>>>(p);
    if (cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&ready, graph, 0))
        return 1;
    replayed(ready, stream, true);
    for (int k = 0; k < ROUNDS; ++k) {
        const double one = replayed(ready, stream, false), each = replayed(ready, stream, true);
        std::printf("%.4f %.4f\n", one, each);
    }
    return cudaDeviceSynchronize() ? 1 : 0;
}
