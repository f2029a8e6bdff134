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
    const int output_at = GN * H * TN * W * k + GM * V * h;
    const int gn = get_local_id(1);
    const int gm = get_local_id(0);
    accs_0 = (float4)(0.0f);
    accs_1 = (float4)(0.0f);
    accs_2 = (float4)(0.0f);
    accs_3 = (float4)(0.0f);
    const int input_at = (GM * h + gm) * TM + H * W * gn;
    const int kept_at = (GM * TM + P) * gn + W_ * gm;
    const int kernels_at = ((GN * k + gn) * TN + gm / 2) * C + W_ * gm % BK;
    const int kept_2_at = (GM * gn + gm) * W_ / BK + 144 * (gm % 2);
    const int kept_2_at_2 = ((GM * gn + gm) * W_ + 1) / BK + 144 * (gm % 2);
    const int kept_2_at_3 = ((GM * gn + gm) * W_ + 2) / BK + 144 * (gm % 2);
    const int kept_2_at_4 = ((GM * gn + gm) * W_ + 3) / BK + 144 * (gm % 2);
    for (int c = 0; c < C / BK; c++) {
        barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
        *(local float4*)(kept + kept_at) = *(const global float4*)(input + input_at + BK * H * W * c);
        const float4 vector = *(const global float4*)(kernels + kernels_at + BK * c);
        kept_2[kept_2_at] = vector.s0;
        kept_2[kept_2_at_2 + 36] = vector.s1;
        kept_2[kept_2_at_3 + 72] = vector.s2;
        kept_2[kept_2_at_4 + 108] = vector.s3;
        barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
        for (int bk = 0; bk < GN * W_ * (BK * GM * TM / W_ / GM / GN) / TM; bk++) {
            const int kept_2_at_5 = (P + 32) * bk + TN * gn;
            const int kept_at_2 = (GM * bk + gm) * TM + P * bk;
            const float w = kept_2[kept_2_at_5];
            accs_0 = fma(*(const local float4*)(kept + kept_at_2), (float4)(w), accs_0);
            const float w_2 = kept_2[kept_2_at_5 + 1];
            accs_1 = fma(*(const local float4*)(kept + kept_at_2), (float4)(w_2), accs_1);
            const float w_3 = kept_2[kept_2_at_5 + 2];
            accs_2 = fma(*(const local float4*)(kept + kept_at_2), (float4)(w_3), accs_2);
            const float w_4 = kept_2[kept_2_at_5 + 3];
            accs_3 = fma(*(const local float4*)(kept + kept_at_2), (float4)(w_4), accs_3);
        }
    }
    *(global float4*)(output + output_at + H * TN * W * gn + V * gm) = accs_0;
    *(global float4*)(output + output_at + (TN * gn + 1) * W * H + V * gm) = accs_1;
    *(global float4*)(output + output_at + (TN * gn + 2) * W * H + V * gm) = accs_2;
    *(global float4*)(output + output_at + (TN * gn + 3) * W * H + V * gm) = accs_3;
}
