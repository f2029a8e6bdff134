#define K 64
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
#define P 4

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void pointwise(
    const global float* restrict kernels,
    const global float* restrict input,
    global float* restrict output)
{
    float4 accs_0 = (float4)(0.0f);
    float4 accs_1 = (float4)(0.0f);
    float4 accs_2 = (float4)(0.0f);
    float4 accs_3 = (float4)(0.0f);
    local float kept[8 * GM * TM + 8 * P] __attribute__((aligned(64)));
    local float kept_2[(P + 32) * BK] __attribute__((aligned(64)));
    const int k = get_group_id(1);
    const int h = get_group_id(0);
    const int gn = get_local_id(1);
    const int gm = get_local_id(0);
    accs_0 = (float4)(0.0f);
    accs_1 = (float4)(0.0f);
    accs_2 = (float4)(0.0f);
    accs_3 = (float4)(0.0f);
    for (int c = 0; c < C / BK; c++) {
        const int gn_2 = get_local_id(1);
        barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
        const int gm_2 = get_local_id(0);
        *(local float4*)(kept + (GM * TM + P) * gn_2 + W_ * gm_2) = *(const global float4*)(input + (BK * c + gn_2) * W * H + (GM * h + gm_2) * TM);
        const int gn_3 = get_local_id(1);
        const int gm_3 = get_local_id(0);
        const float4 vector = *(const global float4*)(kernels + ((GN * k + gn_3) * TN + gm_3 / 2) * C + BK * c + W_ * gm_3 % BK);
        kept_2[(GM * gn_3 + gm_3) * W_ / BK + 144 * (gm_3 % 2)] = vector.s0;
        kept_2[((GM * gn_3 + gm_3) * W_ + 1) / BK + 144 * (gm_3 % 2) + 36] = vector.s1;
        kept_2[((GM * gn_3 + gm_3) * W_ + 2) / BK + 144 * (gm_3 % 2) + 72] = vector.s2;
        kept_2[((GM * gn_3 + gm_3) * W_ + 3) / BK + 144 * (gm_3 % 2) + 108] = vector.s3;
        const int gn_4 = get_local_id(1);
        barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
        const int gm_4 = get_local_id(0);
        for (int bk = 0; bk < GN * W_ * (BK * GM * TM / W_ / GM / GN) / TM; bk++) {
            const float w = kept_2[(P + 32) * bk + TN * gn_4];
            accs_0 = fma(*(const local float4*)(kept + (GM * bk + gm_4) * TM + P * bk), (float4)(w), accs_0);
            const float w_2 = kept_2[(P + 32) * bk + TN * gn_4 + 1];
            accs_1 = fma(*(const local float4*)(kept + (GM * bk + gm_4) * TM + P * bk), (float4)(w_2), accs_1);
            const float w_3 = kept_2[(P + 32) * bk + TN * gn_4 + 2];
            accs_2 = fma(*(const local float4*)(kept + (GM * bk + gm_4) * TM + P * bk), (float4)(w_3), accs_2);
            const float w_4 = kept_2[(P + 32) * bk + TN * gn_4 + 3];
            accs_3 = fma(*(const local float4*)(kept + (GM * bk + gm_4) * TM + P * bk), (float4)(w_4), accs_3);
        }
    }
    const int gn_2 = get_local_id(1);
    const int gm_2 = get_local_id(0);
    *(global float4*)(output + (GN * k + gn_2) * W * TN * H + (GM * h + gm_2) * V) = accs_0;
    *(global float4*)(output + ((GN * k + gn_2) * TN + 1) * W * H + (GM * h + gm_2) * V) = accs_1;
    *(global float4*)(output + ((GN * k + gn_2) * TN + 2) * W * H + (GM * h + gm_2) * V) = accs_2;
    *(global float4*)(output + ((GN * k + gn_2) * TN + 3) * W * H + (GM * h + gm_2) * V) = accs_3;
}
