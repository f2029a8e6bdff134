#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define TR 4
#define TQ 4
#define TD 8
#define Q 2
#define D 2
#define BK 2

__attribute__((reqd_work_group_size(8, 4, 4)))
kernel void convolution(
    const global float* restrict kernels,
    const global float* restrict biases,
    const global float* restrict input,
    global float* restrict output)
{
    float accs_0 = 0.0f;
    float accs_1 = 0.0f;
    float accs_2 = 0.0f;
    float accs_3 = 0.0f;
    local float kept[BK * D * TD] __attribute__((aligned(64)));
    local float kept_2[BK * Q * TQ * TR] __attribute__((aligned(64)));
    const int h = get_group_id(2);
    const int kw = get_group_id(1);
    const int k = get_group_id(0);
    const int tr = get_local_id(2);
    const int tq = get_local_id(1);
    const int td = get_local_id(0);
    accs_0 = biases[(TD * k + td) * D];
    accs_1 = biases[(TD * k + td) * D + 1];
    accs_2 = biases[(TD * k + td) * D];
    accs_3 = biases[(TD * k + td) * D + 1];
    for (int kh = 0; kh < KH; kh++) {
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            for (int c = 0; c < C / BK; c++) {
                barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
                const int td_2 = get_local_id(0);
                for (int d = get_local_id(2); d < D; d += 4) {
                    for (int bk = get_local_id(1); bk < BK; bk += 4) {
                        kept[(D * td_2 + d) * BK + bk] = kernels[((((TD * k + td_2) * D + d) * KH + kh) * KW + kw_2) * C + BK * c + bk];
                    }
                }
                for (int tr_2 = 0; tr_2 < TR; tr_2++) {
                    const int tq_2 = get_local_id(2);
                    for (int q = get_local_id(1); q < Q; q += 4) {
                        for (int bk = get_local_id(0); bk < BK; bk += 8) {
                            kept_2[((TQ * tr_2 + tq_2) * Q + q) * BK + bk] = TR * h + kh + tr_2 - 1 >= 0 && TR * h + kh + tr_2 - 1 < H && (TQ * kw + tq_2) * Q + kw_2 + q - 1 >= 0 && (TQ * kw + tq_2) * Q + kw_2 + q - 1 < W ? input[((TR * h + kh + tr_2 - 1) * W + (TQ * kw + tq_2) * Q + kw_2 + q - 1) * C + BK * c + bk] : 0.0f;
                        }
                    }
                }
                const int tr_2 = get_local_id(2);
                const int tq_2 = get_local_id(1);
                barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
                const int td_3 = get_local_id(0);
                float kept_0 = kept_2[(TQ * tr_2 + tq_2) * Q * BK];
                float kept_1 = kept_2[((TQ * tr_2 + tq_2) * Q + 1) * BK];
                float kept_2_2 = kept_2[(TQ * tr_2 + tq_2) * Q * BK + 1];
                float kept_3 = kept_2[((TQ * tr_2 + tq_2) * Q + 1) * BK + 1];
                float kept_0_2 = kept[BK * D * td_3];
                float kept_1_2 = kept[(D * td_3 + 1) * BK];
                float kept_2_3 = kept[BK * D * td_3 + 1];
                float kept_3_2 = kept[(D * td_3 + 1) * BK + 1];
                const float x = kept_0;
                accs_0 = fma(x, kept_0_2, accs_0);
                accs_1 = fma(x, kept_1_2, accs_1);
                const float x_2 = kept_1;
                accs_2 = fma(x_2, kept_0_2, accs_2);
                accs_3 = fma(x_2, kept_1_2, accs_3);
                const float x_3 = kept_2_2;
                accs_0 = fma(x_3, kept_2_3, accs_0);
                accs_1 = fma(x_3, kept_3_2, accs_1);
                const float x_4 = kept_3;
                accs_2 = fma(x_4, kept_2_3, accs_2);
                accs_3 = fma(x_4, kept_3_2, accs_3);
            }
        }
    }
    const int tr_2 = get_local_id(2);
    const int tq_2 = get_local_id(1);
    const int td_2 = get_local_id(0);
    output[((W + 3 - KW) * h * TR + (W + 3 - KW) * tr_2 + (TQ * kw + tq_2) * Q) * K + (TD * k + td_2) * D] = accs_0;
    output[((W + 3 - KW) * h * TR + (W + 3 - KW) * tr_2 + (TQ * kw + tq_2) * Q) * K + (TD * k + td_2) * D + 1] = accs_1;
    output[((W + 3 - KW) * h * TR + (W + 3 - KW) * tr_2 + (TQ * kw + tq_2) * Q + 1) * K + (TD * k + td_2) * D] = accs_2;
    output[((W + 3 - KW) * h * TR + (W + 3 - KW) * tr_2 + (TQ * kw + tq_2) * Q + 1) * K + (TD * k + td_2) * D + 1] = accs_3;
}
