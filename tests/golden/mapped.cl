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
    const int output_at = ((W + 3 - KW) * h * TR + Q * TQ * kw) * K + D * TD * k;
    const int tr = get_local_id(2);
    const int tq = get_local_id(1);
    const int td = get_local_id(0);
    const int biases_at = (TD * k + td) * D;
    accs_0 = biases[biases_at];
    accs_1 = biases[biases_at + 1];
    accs_2 = biases[biases_at];
    accs_3 = biases[biases_at + 1];
    const int kernels_at = (TD * k + td) * KW * KH * D * C;
    const int input_at = (Q * TQ * kw + TR * W * h) * C;
    const int kept_2_at = (TQ * tr + tq) * Q * BK;
    for (int kh = 0; kh < KH; kh++) {
        const int kernels_at_2 = kernels_at + C * KW * kh;
        const int input_at_2 = input_at + C * W * kh;
        for (int kw_2 = 0; kw_2 < KW; kw_2++) {
            const int kernels_at_3 = kernels_at_2 + C * kw_2;
            const int input_at_3 = input_at_2 + C * kw_2;
            for (int c = 0; c < C / BK; c++) {
                barrier(CLK_LOCAL_MEM_FENCE); // others read what is overwritten of kept
                const int kernels_at_4 = kernels_at_3 + BK * c;
                for (int d = get_local_id(2); d < D; d += 4) {
                    const int kernels_at_5 = kernels_at_4 + C * KH * KW * d;
                    const int kept_at = (D * td + d) * BK;
                    for (int bk = get_local_id(1); bk < BK; bk += 4) {
                        kept[kept_at + bk] = kernels[kernels_at_5 + bk];
                    }
                }
                const int input_at_4 = input_at_3 + BK * c;
                for (int tr_2 = 0; tr_2 < TR; tr_2++) {
                    const int tq_2 = get_local_id(2);
                    const int input_at_5 = input_at_4 + (Q * tq_2 + W * tr_2) * C;
                    const int kept_2_at_2 = (TQ * tr_2 + tq_2) * Q * BK;
                    for (int q = get_local_id(1); q < Q; q += 4) {
                        const int input_at_6 = input_at_5 + C * q;
                        const int kept_2_at_3 = kept_2_at_2 + BK * q;
                        for (int bk = get_local_id(0); bk < BK; bk += 8) {
                            kept_2[kept_2_at_3 + bk] = TR * h + kh + tr_2 - 1 >= 0 && TR * h + kh + tr_2 - 1 < H && (TQ * kw + tq_2) * Q + kw_2 + q - 1 >= 0 && (TQ * kw + tq_2) * Q + kw_2 + q - 1 < W ? input[input_at_6 + (-W - 1) * C + bk] : 0.0f;
                        }
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE); // others wrote what is read of kept
                float kept_0 = kept_2[kept_2_at];
                float kept_1 = kept_2[kept_2_at + BK];
                float kept_2_2 = kept_2[kept_2_at + 1];
                float kept_3 = kept_2[kept_2_at + BK + 1];
                float kept_0_2 = kept[BK * D * td];
                float kept_1_2 = kept[(D * td + 1) * BK];
                float kept_2_3 = kept[BK * D * td + 1];
                float kept_3_2 = kept[(D * td + 1) * BK + 1];
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
    output[output_at + ((W + 3 - KW) * tr + Q * tq) * K + D * td] = accs_0;
    output[output_at + ((W + 3 - KW) * tr + Q * tq) * K + D * td + 1] = accs_1;
    output[output_at + ((W + 3 - KW) * tr + Q * tq + 1) * K + D * td] = accs_2;
    output[output_at + ((W + 3 - KW) * tr + Q * tq + 1) * K + D * td + 1] = accs_3;
}
