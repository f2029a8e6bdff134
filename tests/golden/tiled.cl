#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GX 8
#define GY 2
#define GZ 2
#define D 4
#define V 4
#define R 1
#define Q 4
#define T 4

kernel void convolution_kept(
    const global float* restrict kernels,
    global float* restrict kept)
{
    const int k = get_global_id(2);
    const int kh = get_global_id(1);
    const int kw = get_global_id(0);
    const int kernels_at = ((D * GX * KH * k + kh) * KW + kw) * C;
    const int kept_at = ((KH * k + kh) * KW + kw) * GX * D * C;
    for (int c = 0; c < C; c++) {
        const int kernels_at_2 = kernels_at + c;
        const int kept_at_2 = kept_at + D * GX * c;
        for (int i = 0; i < D * GX; i++) {
            kept[kept_at_2 + i] = kernels[kernels_at_2 + C * KH * KW * i];
        }
    }
}

kernel void convolution(
    const global float* restrict input,
    global float* restrict kept)
{
    const int h = get_global_id(2);
    const int w = get_global_id(1);
    const int c = get_global_id(0);
    kept[((W + 2) * h + w) * C + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[((h - 1) * W + w - 1) * C + c] : 0.0f;
}

__attribute__((reqd_work_group_size(8, 2, 2)))
kernel void convolution_2(
    const global float* restrict biases,
    const global float* restrict kept,
    const global float* restrict kept_2,
    global float* restrict output)
{
    const int h = get_group_id(2);
    const int kw = get_group_id(1);
    const int k = get_group_id(0);
    const int gz = get_local_id(2);
    const int gy = get_local_id(1);
    const int gx = get_local_id(0);
    const int biases_at = D * GX * k + V * gx;
    const int kept_at = C * D * GX * KH * KW * k + V * gx;
    const int kept_2_at = (((W + 2) * h * GZ + (W + 2) * gz) * R + (GY * kw + gy) * Q) * C;
    const int output_at = (((W + 3 - KW) * h * GZ + (W + 3 - KW) * gz) * R + (GY * kw + gy) * Q) * K + (GX * k + gx) * V;
    float4 accs_0 = *(const global float4*)(biases + biases_at);
    float4 accs_1 = *(const global float4*)(biases + biases_at);
    float4 accs_2 = *(const global float4*)(biases + biases_at);
    float4 accs_3 = *(const global float4*)(biases + biases_at);
    for (int kh = 0; kh < KH; kh++) {
        const int kept_at_2 = kept_at + C * D * GX * KW * kh;
        const int kept_2_at_2 = kept_2_at + (W + 2) * kh * C;
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            const int kept_at_3 = kept_at_2 + C * D * GX * kw_2;
            const int kept_2_at_3 = kept_2_at_2 + C * kw_2;
            for (int c = 0; c < C / T; c++) {
                const int kept_at_4 = kept_at_3 + D * GX * T * c;
                const int kept_2_at_4 = kept_2_at_3 + T * c;
                float4 kept_0 = *(const global float4*)(kept + kept_at_4);
                float4 kept_1 = *(const global float4*)(kept + kept_at_4 + D * GX);
                float4 kept_2_2 = *(const global float4*)(kept + kept_at_4 + 2 * D * GX);
                float4 kept_3 = *(const global float4*)(kept + kept_at_4 + 3 * D * GX);
                float4 kept_0_2 = *(const global float4*)(kept_2 + kept_2_at_4);
                const float x = kept_0_2.s0;
                accs_0 = fma((float4)(x), kept_0, accs_0);
                const float x_2 = kept_0_2.s1;
                accs_0 = fma((float4)(x_2), kept_1, accs_0);
                const float x_3 = kept_0_2.s2;
                accs_0 = fma((float4)(x_3), kept_2_2, accs_0);
                const float x_4 = kept_0_2.s3;
                accs_0 = fma((float4)(x_4), kept_3, accs_0);
                float4 kept_0_3 = *(const global float4*)(kept_2 + kept_2_at_4 + C);
                const float x_5 = kept_0_3.s0;
                accs_1 = fma((float4)(x_5), kept_0, accs_1);
                const float x_6 = kept_0_3.s1;
                accs_1 = fma((float4)(x_6), kept_1, accs_1);
                const float x_7 = kept_0_3.s2;
                accs_1 = fma((float4)(x_7), kept_2_2, accs_1);
                const float x_8 = kept_0_3.s3;
                accs_1 = fma((float4)(x_8), kept_3, accs_1);
                float4 kept_0_4 = *(const global float4*)(kept_2 + kept_2_at_4 + 2 * C);
                const float x_9 = kept_0_4.s0;
                accs_2 = fma((float4)(x_9), kept_0, accs_2);
                const float x_10 = kept_0_4.s1;
                accs_2 = fma((float4)(x_10), kept_1, accs_2);
                const float x_11 = kept_0_4.s2;
                accs_2 = fma((float4)(x_11), kept_2_2, accs_2);
                const float x_12 = kept_0_4.s3;
                accs_2 = fma((float4)(x_12), kept_3, accs_2);
                float4 kept_0_5 = *(const global float4*)(kept_2 + kept_2_at_4 + 3 * C);
                const float x_13 = kept_0_5.s0;
                accs_3 = fma((float4)(x_13), kept_0, accs_3);
                const float x_14 = kept_0_5.s1;
                accs_3 = fma((float4)(x_14), kept_1, accs_3);
                const float x_15 = kept_0_5.s2;
                accs_3 = fma((float4)(x_15), kept_2_2, accs_3);
                const float x_16 = kept_0_5.s3;
                accs_3 = fma((float4)(x_16), kept_3, accs_3);
            }
        }
    }
    *(global float4*)(output + output_at) = accs_0;
    *(global float4*)(output + output_at + K) = accs_1;
    *(global float4*)(output + output_at + 2 * K) = accs_2;
    *(global float4*)(output + output_at + 3 * K) = accs_3;
}
