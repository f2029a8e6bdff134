#define N 100

kernel void rows(
    const global float* restrict xs,
    global float* restrict output)
{
    const int m = get_global_id(0);
    float acc = -INFINITY;
    for (int n = 0; n < N; n++) {
        acc = fmax(acc, xs[N * m + n]);
    }
    float powers[N];
    for (int n = 0; n < N; n++) {
        powers[n] = exp(xs[N * m + n] - acc);
    }
    float a = 0.0f;
    for (int n = 0; n < N; n++) {
        a += powers[n];
    }
    for (int n = 0; n < N; n++) {
        output[N * m + n] = powers[n] / a;
    }
}
