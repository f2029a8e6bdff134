#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56

kernel void convolution(
    const global float* restrict kernels,
    const global float* restrict biases,
    const global float* restrict input,
    global float* restrict output)
{
    const int h = get_global_id(2);
    const int w = get_global_id(1);
    const int k = get_global_id(0);
    float acc = biases[k];
    for (int kh = 0; kh < KH; kh++) {
        for (int kw = 0; kw < KW; kw++) {
            for (int c = 0; c < C; c++) {
                acc = fma(h + kh - 1 >= 0 && h + kh - 1 < H && kw + w - 1 >= 0 && kw + w - 1 < W ? input[((h + kh - 1) * W + kw + w - 1) * C + c] : 0.0f, kernels[((KH * k + kh) * KW + kw) * C + c], acc);
            }
        }
    }
    output[((W + 3 - KW) * h + w) * K + k] = acc;
}
