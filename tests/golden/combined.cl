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
    const int kernels_at = ((D * KH * k + kh) * KW + kw) * C;
    const int kept_at = ((KH * k + kh) * KW + kw) * D * C;
    for (int c = 0; c < C; c++) {
        const int kernels_at_2 = kernels_at + c;
        const int kept_at_2 = kept_at + D * c;
        for (int d = 0; d < D; d++) {
            kept[kept_at_2 + d] = kernels[kernels_at_2 + C * KH * KW * d];
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
    const int kept_at = ((W + 2) * h * R + Q * kw) * C;
    const int output_at = ((W + 3 - KW) * h * R + Q * kw) * K + 2 * V * k;
    float4 accs_0 = *(const global float4*)(biases + D * k);
    float4 accs_1 = *(const global float4*)(biases + D * k + V);
    float4 accs_2 = *(const global float4*)(biases + D * k);
    float4 accs_3 = *(const global float4*)(biases + D * k + V);
    float4 accs_4 = *(const global float4*)(biases + D * k);
    float4 accs_5 = *(const global float4*)(biases + D * k + V);
    float4 accs_6 = *(const global float4*)(biases + D * k);
    float4 accs_7 = *(const global float4*)(biases + D * k + V);
    for (int kh = 0; kh < KH; kh++) {
        const int kept_at_2 = kept_at + (W + 2) * kh * C;
        const int kept_2_at = (KH * k + kh) * KW * D * C;
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            const int kept_at_3 = kept_at_2 + C * kw_2;
            const int kept_2_at_2 = kept_2_at + C * D * kw_2;
            for (int c = 0; c < C; c++) {
                const int kept_at_4 = kept_at_3 + c;
                const int kept_2_at_3 = kept_2_at_2 + D * c;
                const float x = kept[kept_at_4];
                accs_0 = fma((float4)(x), *(const global float4*)(kept_2 + kept_2_at_3), accs_0);
                accs_1 = fma((float4)(x), *(const global float4*)(kept_2 + kept_2_at_3 + V), accs_1);
                const float x_2 = kept[kept_at_4 + C];
                accs_2 = fma((float4)(x_2), *(const global float4*)(kept_2 + kept_2_at_3), accs_2);
                accs_3 = fma((float4)(x_2), *(const global float4*)(kept_2 + kept_2_at_3 + V), accs_3);
                const float x_3 = kept[kept_at_4 + 2 * C];
                accs_4 = fma((float4)(x_3), *(const global float4*)(kept_2 + kept_2_at_3), accs_4);
                accs_5 = fma((float4)(x_3), *(const global float4*)(kept_2 + kept_2_at_3 + V), accs_5);
                const float x_4 = kept[kept_at_4 + 3 * C];
                accs_6 = fma((float4)(x_4), *(const global float4*)(kept_2 + kept_2_at_3), accs_6);
                accs_7 = fma((float4)(x_4), *(const global float4*)(kept_2 + kept_2_at_3 + V), accs_7);
            }
        }
    }
    *(global float4*)(output + output_at) = accs_0;
    *(global float4*)(output + output_at + V) = accs_1;
    *(global float4*)(output + output_at + K) = accs_2;
    *(global float4*)(output + output_at + K + V) = accs_3;
    *(global float4*)(output + output_at + 2 * K) = accs_4;
    *(global float4*)(output + output_at + 2 * K + V) = accs_5;
    *(global float4*)(output + output_at + 3 * K) = accs_6;
    *(global float4*)(output + output_at + 3 * K + V) = accs_7;
}
