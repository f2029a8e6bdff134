#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GM 8
#define GN 8
#define TM 4
#define TN 4
#define BK 8
#define W_ 4
#define V 4
#define P 0

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void convolution(
    const global float* restrict kernels,
    const global float* restrict biases,
    const global float* restrict input,
    global float* restrict output)
{
    float4 accs_0 = (float4)(0.0f);
    float4 accs_1 = (float4)(0.0f);
    float4 accs_2 = (float4)(0.0f);
    float4 accs_3 = (float4)(0.0f);
    float4 next_0 = (float4)(0.0f);
    float4 next_0_2 = (float4)(0.0f);
    local float kept[(P + 32) * BK] __attribute__((aligned(64)));
    local float kept_2[(P + 32) * BK] __attribute__((aligned(64)));
    const int h = get_group_id(1);
    const int k = get_group_id(0);
    const int gm = get_local_id(1);
    const int gn = get_local_id(0);
    const int biases_at = (GN * k + gn) * TN;
    accs_0 = *(const global float4*)(biases + biases_at);
    accs_1 = *(const global float4*)(biases + biases_at);
    accs_2 = *(const global float4*)(biases + biases_at);
    accs_3 = *(const global float4*)(biases + biases_at);
    next_0 = *(const global float4*)(kernels + ((GN * k + gm) * TN + gn / 2) * KW * KH * C + W_ * gn % BK);
    next_0_2 = (gm + 8 * h) / 14 - 1 >= 0 && ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - 1 >= 0 ? *(const global float4*)(input + (((gm + 8 * h) / 14 - 1) * W + ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - 1) * C + W_ * gn % BK) : (float4)(0.0f);
    const int kept_at = (GN * gm + gn) * W_ / BK + 128 * (gn % 2);
    const int kept_at_2 = ((GN * gm + gn) * W_ + 1) / BK + 128 * (gn % 2);
    const int kept_at_3 = ((GN * gm + gn) * W_ + 2) / BK + 128 * (gn % 2);
    const int kept_at_4 = ((GN * gm + gn) * W_ + 3) / BK + 128 * (gn % 2);
    const int kernels_at = 2304 * gm + 18432 * k + 576 * (gn / 2) + 4 * (gn % 2);
    const int at = (gm + 8 * h) / 14;
    const int at_2 = ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW);
    const int input_at = 3584 * ((gm + 8 * h) / 14) + 4 * (gn % 2) + 64 * ((4 * gm + 32 * h + gn / 2) % 56);
    for (int i = 0; i < KH * KW * (C / BK); i++) {
        const int at_3 = at + (i + 1) / (8 * KW);
        const int at_4 = at_2 + (i + 1) / 8 % KW;
        barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
        const float4 vector = next_0;
        kept[kept_at] = vector.s0;
        kept[kept_at_2 + 32] = vector.s1;
        kept[kept_at_3 + 64] = vector.s2;
        kept[kept_at_4 + 96] = vector.s3;
        const float4 vector_2 = next_0_2;
        kept_2[kept_at] = vector_2.s0;
        kept_2[kept_at_2 + 32] = vector_2.s1;
        kept_2[kept_at_3 + 64] = vector_2.s2;
        kept_2[kept_at_4 + 96] = vector_2.s3;
        if (i + 1 < KH * KW * (C / BK)) {
            next_0 = *(const global float4*)(kernels + kernels_at + 8 * i + 8);
            next_0_2 = at_3 - 1 >= 0 && at_3 - 1 < H && at_4 - 1 >= 0 && at_4 - 1 < W ? *(const global float4*)(input + input_at + 3584 * ((i + 1) / 24) + 8 * ((i + 1) % 24) - 3648) : (float4)(0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
        for (int bk = 0; bk < BK; bk++) {
            const int kept_2_at = (P + 32) * bk + TM * gm;
            const int kept_at_5 = (P + 32) * bk + TN * gn;
            const float x = kept_2[kept_2_at];
            accs_0 = fma((float4)(x), *(const local float4*)(kept + kept_at_5), accs_0);
            const float x_2 = kept_2[kept_2_at + 1];
            accs_1 = fma((float4)(x_2), *(const local float4*)(kept + kept_at_5), accs_1);
            const float x_3 = kept_2[kept_2_at + 2];
            accs_2 = fma((float4)(x_3), *(const local float4*)(kept + kept_at_5), accs_2);
            const float x_4 = kept_2[kept_2_at + 3];
            accs_3 = fma((float4)(x_4), *(const local float4*)(kept + kept_at_5), accs_3);
        }
    }
    *(global float4*)(output + (GN * k + gn) * V + K * ((GM * h + gm) * TM % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 14)) = accs_0;
    *(global float4*)(output + (GN * k + gn) * V + K * (((GM * h + gm) * TM + 1) % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 14)) = accs_1;
    *(global float4*)(output + (GN * k + gn) * V + K * (((GM * h + gm) * TM + 2) % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 14)) = accs_2;
    *(global float4*)(output + (GN * k + gn) * V + K * (((GM * h + gm) * TM + 3) % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 14)) = accs_3;
}
