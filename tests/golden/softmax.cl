#define N 1000

kernel void softmax_largest(
    const global float* restrict xs,
    global float* restrict largest)
{
    float acc = -INFINITY;
    for (int n = 0; n < N; n++) {
        acc = fmax(acc, xs[n]);
    }
    largest[0] = acc;
}

kernel void softmax_powers(
    const global float* restrict xs,
    const global float* restrict largest,
    global float* restrict powers)
{
    const int n = get_global_id(0);
    powers[n] = exp(xs[n] - largest[0]);
}

kernel void softmax_total(
    const global float* restrict powers,
    global float* restrict total)
{
    float a = 0.0f;
    for (int n = 0; n < N; n++) {
        a += powers[n];
    }
    total[0] = a;
}

kernel void softmax(
    const global float* restrict powers,
    const global float* restrict total,
    global float* restrict output)
{
    const int n = get_global_id(0);
    output[n] = powers[n] / total[0];
}
