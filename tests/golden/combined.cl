#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define D 8
#define V 4
#define R 1
#define Q 4

kernel void convolution_kept(
    const global float* restrict input,
    global float* restrict kept)
{
    const int h = get_global_id(2);
    const int w = get_global_id(1);
    const int c = get_global_id(0);
    kept[((W + 2) * h + w) * C + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[((h - 1) * W + w - 1) * C + c] : 0.0f;
}

kernel void convolution(
    const global float* restrict kernels,
    global float* restrict kept)
{
    const int k = get_global_id(2);
    const int kh = get_global_id(1);
    const int kw = get_global_id(0);
    for (int c = 0; c < C; c++) {
        for (int d = 0; d < D; d++) {
            kept[(((KH * k + kh) * KW + kw) * C + c) * D + d] = kernels[(((D * k + d) * KH + kh) * KW + kw) * C + c];
        }
    }
}

kernel void convolution_2(
    const global float* restrict biases,
    const global float* restrict kept,
    const global float* restrict kept_2,
    global float* restrict output)
{
    const int k = get_global_id(2);
    const int h = get_global_id(1);
    const int kw = get_global_id(0);
    float4 accs_0 = *(const global float4*)(biases + D * k);
    float4 accs_1 = *(const global float4*)(biases + D * k + V);
    float4 accs_2 = *(const global float4*)(biases + D * k);
    float4 accs_3 = *(const global float4*)(biases + D * k + V);
    float4 accs_4 = *(const global float4*)(biases + D * k);
    float4 accs_5 = *(const global float4*)(biases + D * k + V);
    float4 accs_6 = *(const global float4*)(biases + D * k);
    float4 accs_7 = *(const global float4*)(biases + D * k + V);
    for (int kh = 0; kh < KH; kh++) {
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            for (int c = 0; c < C; c++) {
                const float x = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2) * C + c];
                accs_0 = fma((float4)(x), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D), accs_0);
                accs_1 = fma((float4)(x), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V), accs_1);
                const float x_2 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 1) * C + c];
                accs_2 = fma((float4)(x_2), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D), accs_2);
                accs_3 = fma((float4)(x_2), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V), accs_3);
                const float x_3 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 2) * C + c];
                accs_4 = fma((float4)(x_3), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D), accs_4);
                accs_5 = fma((float4)(x_3), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V), accs_5);
                const float x_4 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 3) * C + c];
                accs_6 = fma((float4)(x_4), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D), accs_6);
                accs_7 = fma((float4)(x_4), *(const global float4*)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V), accs_7);
            }
        }
    }
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw) * K + 2 * V * k) = accs_0;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw) * K + (2 * k + 1) * V) = accs_1;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 1) * K + 2 * V * k) = accs_2;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 1) * K + (2 * k + 1) * V) = accs_3;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 2) * K + 2 * V * k) = accs_4;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 2) * K + (2 * k + 1) * V) = accs_5;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 3) * K + 2 * V * k) = accs_6;
    *(global float4*)(output + ((W + 3 - KW) * h * R + Q * kw + 3) * K + (2 * k + 1) * V) = accs_7;
}
