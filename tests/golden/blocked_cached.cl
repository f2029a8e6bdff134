#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GM 8
#define GN 8
#define TM 2
#define TN 4
#define BK 4
#define V 4

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void convolution(
    const global float* restrict kernels,
    const global float* restrict biases,
    const global float* restrict input,
    global float* restrict output)
{
    const int h = get_group_id(1);
    const int k = get_group_id(0);
    const int gm = get_local_id(1);
    const int gn = get_local_id(0);
    const int biases_at = (GN * k + gn) * TN;
    const int at = (GM * h + gm) * TM / (W + 3 - KW);
    const int at_2 = (GM * h + gm) * TM % (W + 3 - KW);
    const int input_at = 128 * gm + 1024 * h;
    const int at_3 = ((GM * h + gm) * TM + 1) / (W + 3 - KW);
    const int at_4 = ((GM * h + gm) * TM + 1) % (W + 3 - KW);
    const int kernels_at = (GN * k + gn) * TN * KW * KH * C;
    float4 accs_0 = *(const global float4*)(biases + biases_at);
    float4 accs_1 = *(const global float4*)(biases + biases_at);
    for (int kh = 0; kh < KH; kh++) {
        const int input_at_2 = input_at + 3584 * kh;
        const int kernels_at_2 = kernels_at + C * KW * kh;
        for (int kw = 0; kw < KW; kw++) {
            const int input_at_3 = input_at_2 + 64 * kw;
            const int kernels_at_3 = kernels_at_2 + C * kw;
            for (int c = 0; c < C / BK; c++) {
                const int input_at_4 = input_at_3 + BK * c;
                const int kernels_at_4 = kernels_at_3 + BK * c;
                const float4 vector = at + kh - 1 >= 0 && at + kh - 1 < H && at_2 + kw - 1 >= 0 && at_2 + kw - 1 < W ? *(const global float4*)(input + input_at_4 - 3648) : (float4)(0.0f);
                float kept_0 = vector.s0;
                float kept_2 = vector.s1;
                float kept_4 = vector.s2;
                float kept_6 = vector.s3;
                const float4 vector_2 = at_3 + kh - 1 >= 0 && at_3 + kh - 1 < H && at_4 + kw - 1 >= 0 && at_4 + kw - 1 < W ? *(const global float4*)(input + input_at_4 - 3584) : (float4)(0.0f);
                float kept_1 = vector_2.s0;
                float kept_3 = vector_2.s1;
                float kept_5 = vector_2.s2;
                float kept_7 = vector_2.s3;
                const float4 vector_3 = *(const global float4*)(kernels + kernels_at_4);
                float kept_0_2 = vector_3.s0;
                float kept_4_2 = vector_3.s1;
                float kept_8 = vector_3.s2;
                float kept_12 = vector_3.s3;
                const float4 vector_4 = *(const global float4*)(kernels + kernels_at_4 + C * KH * KW);
                float kept_1_2 = vector_4.s0;
                float kept_5_2 = vector_4.s1;
                float kept_9 = vector_4.s2;
                float kept_13 = vector_4.s3;
                const float4 vector_5 = *(const global float4*)(kernels + kernels_at_4 + 2 * C * KH * KW);
                float kept_2_2 = vector_5.s0;
                float kept_6_2 = vector_5.s1;
                float kept_10 = vector_5.s2;
                float kept_14 = vector_5.s3;
                const float4 vector_6 = *(const global float4*)(kernels + kernels_at_4 + 3 * C * KH * KW);
                float kept_3_2 = vector_6.s0;
                float kept_7_2 = vector_6.s1;
                float kept_11 = vector_6.s2;
                float kept_15 = vector_6.s3;
                const float x = kept_0;
                accs_0 = fma((float4)(x), (float4)(kept_0_2, kept_1_2, kept_2_2, kept_3_2), accs_0);
                const float x_2 = kept_1;
                accs_1 = fma((float4)(x_2), (float4)(kept_0_2, kept_1_2, kept_2_2, kept_3_2), accs_1);
                const float x_3 = kept_2;
                accs_0 = fma((float4)(x_3), (float4)(kept_4_2, kept_5_2, kept_6_2, kept_7_2), accs_0);
                const float x_4 = kept_3;
                accs_1 = fma((float4)(x_4), (float4)(kept_4_2, kept_5_2, kept_6_2, kept_7_2), accs_1);
                const float x_5 = kept_4;
                accs_0 = fma((float4)(x_5), (float4)(kept_8, kept_9, kept_10, kept_11), accs_0);
                const float x_6 = kept_5;
                accs_1 = fma((float4)(x_6), (float4)(kept_8, kept_9, kept_10, kept_11), accs_1);
                const float x_7 = kept_6;
                accs_0 = fma((float4)(x_7), (float4)(kept_12, kept_13, kept_14, kept_15), accs_0);
                const float x_8 = kept_7;
                accs_1 = fma((float4)(x_8), (float4)(kept_12, kept_13, kept_14, kept_15), accs_1);
            }
        }
    }
    *(global float4*)(output + (GN * k + gn) * V + K * ((GM * h + gm) * TM % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 28)) = accs_0;
    *(global float4*)(output + (GN * k + gn) * V + K * (((GM * h + gm) * TM + 1) % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 28)) = accs_1;
}
