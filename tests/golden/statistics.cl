#define N 30
#define M 7

kernel void statistics_lows(
    const global float* restrict xs,
    global float* restrict lows,
    global float* restrict lows_2)
{
    const int m = get_global_id(0);
    float low = INFINITY;
    float high = -INFINITY;
    for (int n = 0; n < N; n++) {
        const float x = xs[N * m + n];
        low = fmin(low, x);
        high = fmax(high, x);
    }
    lows[m] = low;
    lows_2[m] = high;
}

kernel void statistics_0(
    const global float* restrict lows,
    global float* restrict output)
{
    const int m = get_global_id(0);
    output[m] = lows[m];
}

kernel void statistics_1(
    const global float* restrict lows,
    global float* restrict output)
{
    const int m = get_global_id(0);
    output[m] = lows[m];
}

kernel void statistics_2(
    const global float* restrict xs,
    global float* restrict output,
    const float scale)
{
    float a = 0.0f;
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            a += xs[N * m + n];
        }
    }
    output[0] = scale * a;
}
