#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GM 2
#define GN 16
#define TM 4
#define TN 4
#define BK 8
#define W_ 4
#define V 4
#define P 0

__attribute__((reqd_work_group_size(16, 2, 1)))
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
    local float kept[(P + 64) * KW * BK] __attribute__((aligned(64)));
    local float kept_2[(P + 10) * BK] __attribute__((aligned(64)));
    const int kw = get_group_id(1);
    const int at = kw / 7;
    const int at_2 = GM * TM * (kw % 7);
    const int gm = get_local_id(1);
    const int gn = get_local_id(0);
    accs_0 = *(const global float4*)(biases + TN * gn);
    accs_1 = *(const global float4*)(biases + TN * gn);
    accs_2 = *(const global float4*)(biases + TN * gn);
    accs_3 = *(const global float4*)(biases + TN * gn);
    const int kernels_at = W_ * gn % BK;
    const int at_3 = at_2 + (GN * gm + gn) * W_ / BK;
    const int input_at = 512 * gm + 512 * kw + 64 * (gn / 2) + W_ * gn % BK;
    const int kept_2_at = (GN * gm + gn) * W_ / BK + 40 * (gn % 2);
    const int kept_2_at_2 = ((GN * gm + gn) * W_ + 1) / BK + 40 * (gn % 2);
    const int kept_2_at_3 = ((GN * gm + gn) * W_ + 2) / BK + 40 * (gn % 2);
    const int kept_2_at_4 = ((GN * gm + gn) * W_ + 3) / BK + 40 * (gn % 2);
    for (int kh = 0; kh < KH; kh++) {
        const int kernels_at_2 = kernels_at + C * KW * kh;
        const int input_at_2 = input_at + 3584 * kh;
        for (int c = 0; c < C / BK; c++) {
            barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
            const int kernels_at_3 = kernels_at_2 + BK * c;
            for (int bk = 0; bk < BK * GN * KW * TN / W_ / GN / GM; bk++) {
                const float4 vector = *(const global float4*)(kernels + kernels_at_3 + ((TN * (((GM * bk + gm) * GN + gn) * W_ / (BK * KW * TN)) + ((GM * bk + gm) * GN + gn) * W_ / (BK * KW) % TN) * KW * KH + ((GM * bk + gm) * GN + gn) * W_ / BK % KW) * C);
                kept[((GM * bk + gm) * GN + gn) * W_ / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6)] = vector.s0;
                kept[(((GM * bk + gm) * GN + gn) * W_ + 1) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 64] = vector.s1;
                kept[(((GM * bk + gm) * GN + gn) * W_ + 2) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 128] = vector.s2;
                kept[(((GM * bk + gm) * GN + gn) * W_ + 3) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 192] = vector.s3;
            }
            if (GN * gm + gn < (GM * TM + KW - 1) * BK / W_) {
                const float4 vector = at + kh - 1 >= 0 && at + kh - 1 < H && at_3 - 1 >= 0 && at_3 - 1 < W ? *(const global float4*)(input + input_at_2 + BK * c - 3648) : (float4)(0.0f);
                kept_2[kept_2_at] = vector.s0;
                kept_2[kept_2_at_2 + 10] = vector.s1;
                kept_2[kept_2_at_3 + 20] = vector.s2;
                kept_2[kept_2_at_4 + 30] = vector.s3;
            }
            barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
            for (int bk = 0; bk < BK; bk++) {
                const int kept_2_at_5 = (P + 10) * bk + TM * gm;
                const int kept_at = (P + 64) * bk + TN * gn;
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    const int kept_2_at_6 = kept_2_at_5 + kw_2;
                    const int kept_at_2 = kept_at + (P + 64) * kw_2 * BK;
                    const float x = kept_2[kept_2_at_6];
                    accs_0 = fma((float4)(x), *(const local float4*)(kept + kept_at_2), accs_0);
                    const float x_2 = kept_2[kept_2_at_6 + 1];
                    accs_1 = fma((float4)(x_2), *(const local float4*)(kept + kept_at_2), accs_1);
                    const float x_3 = kept_2[kept_2_at_6 + 2];
                    accs_2 = fma((float4)(x_3), *(const local float4*)(kept + kept_at_2), accs_2);
                    const float x_4 = kept_2[kept_2_at_6 + 3];
                    accs_3 = fma((float4)(x_4), *(const local float4*)(kept + kept_at_2), accs_3);
                }
            }
        }
    }
    *(global float4*)(output + V * gn + 256 * gm + 512 * kw) = accs_0;
    *(global float4*)(output + V * gn + 256 * gm + 512 * kw + 64) = accs_1;
    *(global float4*)(output + V * gn + 256 * gm + 512 * kw + 128) = accs_2;
    *(global float4*)(output + V * gn + 256 * gm + 512 * kw + 192) = accs_3;
}
