#define N 48
#define K 100

kernel void product(
    const global float* restrict a,
    const global float* restrict b,
    global float* restrict output)
{
    const int m = get_global_id(1);
    const int n = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < K; k++) {
        sum = fma(a[K * m + k], b[N * k + n], sum);
    }
    output[N * m + n] = sum;
}
