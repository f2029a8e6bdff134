#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define THETA 4
#define KAPPA 4
#define SIGMA 2
#define OMEGA 4
#define V 4

kernel void convolution_kept(
    const global float* restrict input,
    global float* restrict kept)
{
    const int h = get_global_id(2);
    const int w = get_global_id(1);
    const int c = get_global_id(0);
    kept[((W + 2) * h + w) * C + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[((h - 1) * W + w - 1) * C + c] : 0.0f;
}

__attribute__((reqd_work_group_size(4, 2, 4)))
kernel void convolution_kept_2(
    const global float* restrict kernels,
    const global float* restrict kept,
    global float* restrict kept_2)
{
    const int h = get_group_id(2);
    const int kw = get_group_id(1);
    const int k = get_group_id(0);
    const int theta = get_local_id(2);
    const int theta_2 = get_local_id(1);
    const int c = get_local_id(0);
    const int kept_at = (((W + 2) * h + kw) * THETA + (W + 2) * theta + SIGMA * theta_2) * C + V * c;
    const int kernels_at = C * KAPPA * KH * KW * k + V * c;
    const int kept_2_at = ((1792 * THETA * h + 128 * kw + 1792 * theta + 64 * theta_2) * SIGMA + 4 * k) * KAPPA + c;
    float accs_0 = 0.0f;
    float accs_1 = 0.0f;
    float accs_2 = 0.0f;
    float accs_3 = 0.0f;
    float accs_4 = 0.0f;
    float accs_5 = 0.0f;
    float accs_6 = 0.0f;
    float accs_7 = 0.0f;
    for (int kh = 0; kh < KH; kh++) {
        const int kept_at_2 = kept_at + (W + 2) * kh * C;
        const int kernels_at_2 = kernels_at + C * KW * kh;
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            const int kept_at_3 = kept_at_2 + C * kw_2;
            const int kernels_at_3 = kernels_at_2 + C * kw_2;
            for (int c_2 = 0; c_2 < C / V / (C / V / OMEGA); c_2++) {
                const int kept_at_4 = kept_at_3 + 4 * V * c_2;
                const int kernels_at_4 = kernels_at_3 + 4 * V * c_2;
                const float4 x = *(const global float4*)(kept + kept_at_4);
                const float4 right = *(const global float4*)(kernels + kernels_at_4);
                accs_0 = fma(x.s3, right.s3, fma(x.s2, right.s2, fma(x.s1, right.s1, fma(x.s0, right.s0, accs_0))));
                const float4 right_2 = *(const global float4*)(kernels + kernels_at_4 + C * KH * KW);
                accs_1 = fma(x.s3, right_2.s3, fma(x.s2, right_2.s2, fma(x.s1, right_2.s1, fma(x.s0, right_2.s0, accs_1))));
                const float4 right_3 = *(const global float4*)(kernels + kernels_at_4 + 2 * C * KH * KW);
                accs_2 = fma(x.s3, right_3.s3, fma(x.s2, right_3.s2, fma(x.s1, right_3.s1, fma(x.s0, right_3.s0, accs_2))));
                const float4 right_4 = *(const global float4*)(kernels + kernels_at_4 + 3 * C * KH * KW);
                accs_3 = fma(x.s3, right_4.s3, fma(x.s2, right_4.s2, fma(x.s1, right_4.s1, fma(x.s0, right_4.s0, accs_3))));
                const float4 x_2 = *(const global float4*)(kept + kept_at_4 + C);
                const float4 right_5 = *(const global float4*)(kernels + kernels_at_4);
                accs_4 = fma(x_2.s3, right_5.s3, fma(x_2.s2, right_5.s2, fma(x_2.s1, right_5.s1, fma(x_2.s0, right_5.s0, accs_4))));
                const float4 right_6 = *(const global float4*)(kernels + kernels_at_4 + C * KH * KW);
                accs_5 = fma(x_2.s3, right_6.s3, fma(x_2.s2, right_6.s2, fma(x_2.s1, right_6.s1, fma(x_2.s0, right_6.s0, accs_5))));
                const float4 right_7 = *(const global float4*)(kernels + kernels_at_4 + 2 * C * KH * KW);
                accs_6 = fma(x_2.s3, right_7.s3, fma(x_2.s2, right_7.s2, fma(x_2.s1, right_7.s1, fma(x_2.s0, right_7.s0, accs_6))));
                const float4 right_8 = *(const global float4*)(kernels + kernels_at_4 + 3 * C * KH * KW);
                accs_7 = fma(x_2.s3, right_8.s3, fma(x_2.s2, right_8.s2, fma(x_2.s1, right_8.s1, fma(x_2.s0, right_8.s0, accs_7))));
            }
        }
    }
    kept_2[kept_2_at] = accs_0;
    kept_2[kept_2_at + 4] = accs_1;
    kept_2[kept_2_at + 8] = accs_2;
    kept_2[kept_2_at + 12] = accs_3;
    kept_2[kept_2_at + 64 * KAPPA] = accs_4;
    kept_2[kept_2_at + 64 * KAPPA + 4] = accs_5;
    kept_2[kept_2_at + 64 * KAPPA + 8] = accs_6;
    kept_2[kept_2_at + 64 * KAPPA + 12] = accs_7;
}

kernel void convolution(
    const global float* restrict biases,
    const global float* restrict kept,
    global float* restrict output)
{
    const int i = get_global_id(2);
    const int i_2 = get_global_id(1);
    const int k = get_global_id(0);
    float acc = biases[k];
    const int kept_at = (1792 * SIGMA * i + 64 * i_2) * KAPPA + 4 * k;
    for (int c = 0; c < C / V / OMEGA; c++) {
        acc += kept[kept_at + c];
    }
    output[((W + 3 - KW) * i + i_2) * K + k] = acc;
}
