#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define TR_ 4
#define TQ_ 4
#define TD_ 8
#define Q_ 2
#define D_ 2
#define BK_ 2

__attribute__((reqd_work_group_size(8, 4, 4)))
kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_,
    global float* restrict output_)
{
    float accs_0_ = 0.0f;
    float accs_1_ = 0.0f;
    float accs_2_ = 0.0f;
    float accs_3_ = 0.0f;
    local float kernels_tile_[BK_ * D_ * TD_] __attribute__((aligned(64)));
    local float input_tile_[BK_ * Q_ * TQ_ * TR_] __attribute__((aligned(64)));
    const int h_ = get_group_id(2);
    const int kw_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int output_at_ = ((W_ + 3 - KW_) * h_ * TR_ + Q_ * TQ_ * kw_) * K_ + D_ * TD_ * k_;
    const int tr_ = get_local_id(2);
    const int tq_ = get_local_id(1);
    const int td_ = get_local_id(0);
    const int biases_at_ = (TD_ * k_ + td_) * D_;
    accs_0_ = biases_[biases_at_];
    accs_1_ = biases_[biases_at_ + 1];
    accs_2_ = biases_[biases_at_];
    accs_3_ = biases_[biases_at_ + 1];
    const int kernels_at_ = (TD_ * k_ + td_) * KW_ * KH_ * D_ * C_;
    const int input_at_ = (Q_ * TQ_ * kw_ + TR_ * W_ * h_) * C_;
    const int input_tile_at_ = (TQ_ * tr_ + tq_) * Q_ * BK_;
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
        const int input_at_2_ = input_at_ + C_ * W_ * kh_;
        for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
            const int kernels_at_3_ = kernels_at_2_ + C_ * kw_2_;
            const int input_at_3_ = input_at_2_ + C_ * kw_2_;
            for (int c_ = 0; c_ < C_ / BK_; c_++) {
                barrier(CLK_LOCAL_MEM_FENCE); // write-after-read hazard on kernels_tile
                const int kernels_at_4_ = kernels_at_3_ + BK_ * c_;
                for (int d_ = get_local_id(2); d_ < D_; d_ += 4) {
                    const int kernels_at_5_ = kernels_at_4_ + C_ * KH_ * KW_ * d_;
                    const int kernels_tile_at_ = (D_ * td_ + d_) * BK_;
                    for (int bk_ = get_local_id(1); bk_ < BK_; bk_ += 4) {
                        kernels_tile_[kernels_tile_at_ + bk_] = kernels_[kernels_at_5_ + bk_];
                    }
                }
                const int input_at_4_ = input_at_3_ + BK_ * c_;
                for (int tr_2_ = 0; tr_2_ < TR_; tr_2_++) {
                    const int tq_2_ = get_local_id(2);
                    const int input_at_5_ = input_at_4_ + (Q_ * tq_2_ + W_ * tr_2_) * C_;
                    const int input_tile_at_2_ = (TQ_ * tr_2_ + tq_2_) * Q_ * BK_;
                    for (int q_ = get_local_id(1); q_ < Q_; q_ += 4) {
                        const int input_at_6_ = input_at_5_ + C_ * q_;
                        const int input_tile_at_3_ = input_tile_at_2_ + BK_ * q_;
                        for (int bk_ = get_local_id(0); bk_ < BK_; bk_ += 8) {
                            input_tile_[input_tile_at_3_ + bk_] = TR_ * h_ + kh_ + tr_2_ - 1 >= 0 && TR_ * h_ + kh_ + tr_2_ - 1 < H_ && (TQ_ * kw_ + tq_2_) * Q_ + kw_2_ + q_ - 1 >= 0 && (TQ_ * kw_ + tq_2_) * Q_ + kw_2_ + q_ - 1 < W_ ? input_[input_at_6_ + (-W_ - 1) * C_ + bk_] : 0.0f;
                        }
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on input_tile
                float input_tile_tile_0_ = input_tile_[input_tile_at_];
                float input_tile_tile_1_ = input_tile_[input_tile_at_ + BK_];
                float input_tile_tile_2_ = input_tile_[input_tile_at_ + 1];
                float input_tile_tile_3_ = input_tile_[input_tile_at_ + BK_ + 1];
                float kernels_tile_tile_0_ = kernels_tile_[BK_ * D_ * td_];
                float kernels_tile_tile_1_ = kernels_tile_[(D_ * td_ + 1) * BK_];
                float kernels_tile_tile_2_ = kernels_tile_[BK_ * D_ * td_ + 1];
                float kernels_tile_tile_3_ = kernels_tile_[(D_ * td_ + 1) * BK_ + 1];
                const float x_ = input_tile_tile_0_;
                accs_0_ = fma(x_, kernels_tile_tile_0_, accs_0_);
                accs_1_ = fma(x_, kernels_tile_tile_1_, accs_1_);
                const float x_2_ = input_tile_tile_1_;
                accs_2_ = fma(x_2_, kernels_tile_tile_0_, accs_2_);
                accs_3_ = fma(x_2_, kernels_tile_tile_1_, accs_3_);
                const float x_3_ = input_tile_tile_2_;
                accs_0_ = fma(x_3_, kernels_tile_tile_2_, accs_0_);
                accs_1_ = fma(x_3_, kernels_tile_tile_3_, accs_1_);
                const float x_4_ = input_tile_tile_3_;
                accs_2_ = fma(x_4_, kernels_tile_tile_2_, accs_2_);
                accs_3_ = fma(x_4_, kernels_tile_tile_3_, accs_3_);
            }
        }
    }
    output_[output_at_ + ((W_ + 3 - KW_) * tr_ + Q_ * tq_) * K_ + D_ * td_] = accs_0_;
    output_[output_at_ + ((W_ + 3 - KW_) * tr_ + Q_ * tq_) * K_ + D_ * td_ + 1] = accs_1_;
    output_[output_at_ + ((W_ + 3 - KW_) * tr_ + Q_ * tq_ + 1) * K_ + D_ * td_] = accs_2_;
    output_[output_at_ + ((W_ + 3 - KW_) * tr_ + Q_ * tq_ + 1) * K_ + D_ * td_ + 1] = accs_3_;
}
