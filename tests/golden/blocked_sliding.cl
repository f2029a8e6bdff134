#define K 64
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
    const int gm = get_local_id(1);
    const int gn = get_local_id(0);
    accs_0 = *(const global float4*)(biases + TN * gn);
    accs_1 = *(const global float4*)(biases + TN * gn);
    accs_2 = *(const global float4*)(biases + TN * gn);
    accs_3 = *(const global float4*)(biases + TN * gn);
    for (int kh = 0; kh < KH; kh++) {
        for (int c = 0; c < C / BK; c++) {
            barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
            for (int bk = 0; bk < BK * GN * KW * TN / W_ / GN / GM; bk++) {
                const int gm_2 = get_local_id(1);
                const int gn_2 = get_local_id(0);
                const float4 vector = *(const global float4*)(kernels + (((TN * (((GM * bk + gm_2) * GN + gn_2) * W_ / (BK * KW * TN)) + ((GM * bk + gm_2) * GN + gn_2) * W_ / (BK * KW) % TN) * KH + kh) * KW + ((GM * bk + gm_2) * GN + gn_2) * W_ / BK % KW) * C + BK * c + W_ * gn_2 % BK);
                kept[((GM * bk + gm_2) * GN + gn_2) * W_ / (BK * KW) + 256 * ((2 * bk + 4 * gm_2 + gn_2) % 6)] = vector.s0;
                kept[(((GM * bk + gm_2) * GN + gn_2) * W_ + 1) / (BK * KW) + 256 * ((2 * bk + 4 * gm_2 + gn_2) % 6) + 64] = vector.s1;
                kept[(((GM * bk + gm_2) * GN + gn_2) * W_ + 2) / (BK * KW) + 256 * ((2 * bk + 4 * gm_2 + gn_2) % 6) + 128] = vector.s2;
                kept[(((GM * bk + gm_2) * GN + gn_2) * W_ + 3) / (BK * KW) + 256 * ((2 * bk + 4 * gm_2 + gn_2) % 6) + 192] = vector.s3;
            }
            const int gm_2 = get_local_id(1);
            const int gn_2 = get_local_id(0);
            if (GN * gm_2 + gn_2 < (GM * TM + KW - 1) * BK / W_) {
                const float4 vector = kh + kw / 7 - 1 >= 0 && kh + kw / 7 - 1 < H && GM * TM * (kw % 7) + (GN * gm_2 + gn_2) * W_ / BK - 1 >= 0 && GM * TM * (kw % 7) + (GN * gm_2 + gn_2) * W_ / BK - 1 < W ? *(const global float4*)(input + BK * c + 512 * gm_2 + 3584 * kh + 512 * kw + 64 * (gn_2 / 2) + W_ * gn_2 % BK - 3648) : (float4)(0.0f);
                kept_2[(GN * gm_2 + gn_2) * W_ / BK + 40 * (gn_2 % 2)] = vector.s0;
                kept_2[((GN * gm_2 + gn_2) * W_ + 1) / BK + 40 * (gn_2 % 2) + 10] = vector.s1;
                kept_2[((GN * gm_2 + gn_2) * W_ + 2) / BK + 40 * (gn_2 % 2) + 20] = vector.s2;
                kept_2[((GN * gm_2 + gn_2) * W_ + 3) / BK + 40 * (gn_2 % 2) + 30] = vector.s3;
            }
            const int gm_3 = get_local_id(1);
            barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
            const int gn_3 = get_local_id(0);
            for (int bk = 0; bk < BK; bk++) {
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    const float x = kept_2[(P + 10) * bk + TM * gm_3 + kw_2];
                    accs_0 = fma((float4)(x), *(const local float4*)(kept + (P + 64) * kw_2 * BK + (P + 64) * bk + TN * gn_3), accs_0);
                    const float x_2 = kept_2[(P + 10) * bk + TM * gm_3 + kw_2 + 1];
                    accs_1 = fma((float4)(x_2), *(const local float4*)(kept + (P + 64) * kw_2 * BK + (P + 64) * bk + TN * gn_3), accs_1);
                    const float x_3 = kept_2[(P + 10) * bk + TM * gm_3 + kw_2 + 2];
                    accs_2 = fma((float4)(x_3), *(const local float4*)(kept + (P + 64) * kw_2 * BK + (P + 64) * bk + TN * gn_3), accs_2);
                    const float x_4 = kept_2[(P + 10) * bk + TM * gm_3 + kw_2 + 3];
                    accs_3 = fma((float4)(x_4), *(const local float4*)(kept + (P + 64) * kw_2 * BK + (P + 64) * bk + TN * gn_3), accs_3);
                }
            }
        }
    }
    const int gm_2 = get_local_id(1);
    const int gn_2 = get_local_id(0);
    *(global float4*)(output + V * gn_2 + 256 * gm_2 + 512 * kw) = accs_0;
    *(global float4*)(output + V * gn_2 + 256 * gm_2 + 512 * kw + 64) = accs_1;
    *(global float4*)(output + V * gn_2 + 256 * gm_2 + 512 * kw + 128) = accs_2;
    *(global float4*)(output + V * gn_2 + 256 * gm_2 + 512 * kw + 192) = accs_3;
}
