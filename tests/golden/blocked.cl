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
    accs_0 = *(const global float4*)(biases + (GN * k + gn) * TN);
    accs_1 = *(const global float4*)(biases + (GN * k + gn) * TN);
    accs_2 = *(const global float4*)(biases + (GN * k + gn) * TN);
    accs_3 = *(const global float4*)(biases + (GN * k + gn) * TN);
    const int gm_2 = get_local_id(1);
    const int gn_2 = get_local_id(0);
    next_0 = *(const global float4*)(kernels + ((GN * k + gm_2) * TN + gn_2 / 2) * KW * KH * C + W_ * gn_2 % BK);
    const int gm_3 = get_local_id(1);
    const int gn_3 = get_local_id(0);
    next_0_2 = (gm_3 + 8 * h) / 14 - 1 >= 0 && ((GM * h + gm_3) * TM + gn_3 / 2) % (W + 3 - KW) - 1 >= 0 ? *(const global float4*)(input + (((gm_3 + 8 * h) / 14 - 1) * W + ((GM * h + gm_3) * TM + gn_3 / 2) % (W + 3 - KW) - 1) * C + W_ * gn_3 % BK) : (float4)(0.0f);
    for (int i = 0; i < KH * KW * (C / BK); i++) {
        const int gm_4 = get_local_id(1);
        barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
        const int gn_4 = get_local_id(0);
        const float4 vector = next_0;
        kept[(GN * gm_4 + gn_4) * W_ / BK + 128 * (gn_4 % 2)] = vector.s0;
        kept[((GN * gm_4 + gn_4) * W_ + 1) / BK + 128 * (gn_4 % 2) + 32] = vector.s1;
        kept[((GN * gm_4 + gn_4) * W_ + 2) / BK + 128 * (gn_4 % 2) + 64] = vector.s2;
        kept[((GN * gm_4 + gn_4) * W_ + 3) / BK + 128 * (gn_4 % 2) + 96] = vector.s3;
        const int gm_5 = get_local_id(1);
        const int gn_5 = get_local_id(0);
        const float4 vector_2 = next_0_2;
        kept_2[(GN * gm_5 + gn_5) * W_ / BK + 128 * (gn_5 % 2)] = vector_2.s0;
        kept_2[((GN * gm_5 + gn_5) * W_ + 1) / BK + 128 * (gn_5 % 2) + 32] = vector_2.s1;
        kept_2[((GN * gm_5 + gn_5) * W_ + 2) / BK + 128 * (gn_5 % 2) + 64] = vector_2.s2;
        kept_2[((GN * gm_5 + gn_5) * W_ + 3) / BK + 128 * (gn_5 % 2) + 96] = vector_2.s3;
        if (i + 1 < KH * KW * (C / BK)) {
            const int gm_6 = get_local_id(1);
            const int gn_6 = get_local_id(0);
            next_0 = *(const global float4*)(kernels + 2304 * gm_6 + 8 * i + 18432 * k + 576 * (gn_6 / 2) + 4 * (gn_6 % 2) + 8);
            const int gm_7 = get_local_id(1);
            const int gn_7 = get_local_id(0);
            next_0_2 = (gm_7 + 8 * h) / 14 + (i + 1) / (8 * KW) - 1 >= 0 && (gm_7 + 8 * h) / 14 + (i + 1) / (8 * KW) - 1 < H && ((GM * h + gm_7) * TM + gn_7 / 2) % (W + 3 - KW) + (i + 1) / 8 % KW - 1 >= 0 && ((GM * h + gm_7) * TM + gn_7 / 2) % (W + 3 - KW) + (i + 1) / 8 % KW - 1 < W ? *(const global float4*)(input + 3584 * ((gm_7 + 8 * h) / 14) + 3584 * ((i + 1) / 24) + 4 * (gn_7 % 2) + 8 * ((i + 1) % 24) + 64 * ((4 * gm_7 + 32 * h + gn_7 / 2) % 56) - 3648) : (float4)(0.0f);
        }
        const int gm_6 = get_local_id(1);
        barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
        const int gn_6 = get_local_id(0);
        for (int bk = 0; bk < BK; bk++) {
            const float x = kept_2[(P + 32) * bk + TM * gm_6];
            accs_0 = fma((float4)(x), *(const local float4*)(kept + (P + 32) * bk + TN * gn_6), accs_0);
            const float x_2 = kept_2[(P + 32) * bk + TM * gm_6 + 1];
            accs_1 = fma((float4)(x_2), *(const local float4*)(kept + (P + 32) * bk + TN * gn_6), accs_1);
            const float x_3 = kept_2[(P + 32) * bk + TM * gm_6 + 2];
            accs_2 = fma((float4)(x_3), *(const local float4*)(kept + (P + 32) * bk + TN * gn_6), accs_2);
            const float x_4 = kept_2[(P + 32) * bk + TM * gm_6 + 3];
            accs_3 = fma((float4)(x_4), *(const local float4*)(kept + (P + 32) * bk + TN * gn_6), accs_3);
        }
    }
    const int gm_4 = get_local_id(1);
    const int gn_4 = get_local_id(0);
    *(global float4*)(output + (GN * k + gn_4) * V + K * ((GM * h + gm_4) * TM % (W + 3 - KW)) + 3584 * ((gm_4 + 8 * h) / 14)) = accs_0;
    *(global float4*)(output + (GN * k + gn_4) * V + K * (((GM * h + gm_4) * TM + 1) % (W + 3 - KW)) + 3584 * ((gm_4 + 8 * h) / 14)) = accs_1;
    *(global float4*)(output + (GN * k + gn_4) * V + K * (((GM * h + gm_4) * TM + 2) % (W + 3 - KW)) + 3584 * ((gm_4 + 8 * h) / 14)) = accs_2;
    *(global float4*)(output + (GN * k + gn_4) * V + K * (((GM * h + gm_4) * TM + 3) % (W + 3 - KW)) + 3584 * ((gm_4 + 8 * h) / 14)) = accs_3;
}
