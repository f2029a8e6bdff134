#define M 100

constant float constants[3] = {0.25f, 0.5f, 0.25f};

kernel void smoothed(
    const global float* restrict rows,
    global float* restrict output)
{
    const int n = get_global_id(0);
    float window_2 = 0.0f;
    float window_0 = rows[M * n];
    float window_1 = rows[M * n];
    for (int m = 0; m < M; m++) {
        window_2 = rows[M * n + min(M - 1, m + 1)];
        float sum = 0.0f;
        sum = fma(window_0, constants[0], sum);
        sum = fma(window_1, constants[1], sum);
        sum = fma(window_2, constants[2], sum);
        output[M * n + m] = sum;
        window_0 = window_1;
        window_1 = window_2;
    }
}
