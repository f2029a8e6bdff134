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
    const int input_at = (W * h + w) * C;
    for (int kh = 0; kh < KH; kh++) {
        const int input_at_2 = input_at + C * W * kh;
        const int kernels_at = (KH * k + kh) * KW * C;
        for (int kw = 0; kw < KW; kw++) {
            const int input_at_3 = input_at_2 + C * kw;
            const int kernels_at_2 = kernels_at + C * kw;
            for (int c = 0; c < C; c++) {
                acc = fma(h + kh - 1 >= 0 && h + kh - 1 < H && kw + w - 1 >= 0 && kw + w - 1 < W ? input[input_at_3 + (-W - 1) * C + c] : 0.0f, kernels[kernels_at_2 + c], acc);
            }
        }
    }
    output[((W + 3 - KW) * h + w) * K + k] = acc;
}
