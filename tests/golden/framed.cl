#define H_ 112
#define W_ 112
#define R_ 4
#define Q_ 4
#define V_ 16

kernel void planes_(
    const global float* restrict kernels_,
    const global float* restrict input_,
    global float* restrict output_)
{
    const int c_ = get_global_id(1);
    const int h_ = get_global_id(0);
    const int output_at_ = (H_ * c_ + Q_ * h_) * W_;
    float input_tile_[(W_ + 2) * R_ + 2 * W_ + 4];
    const int input_at_ = (H_ * c_ + R_ * h_) * W_;
    for (int r_ = 0; r_ < R_ + 2; r_++) {
        const int input_at_2_ = input_at_ + W_ * r_;
        const int input_tile_at_ = (W_ + 2) * r_;
        for (int w_ = 0; w_ < W_ + 2; w_++) {
            input_tile_[input_tile_at_ + w_] = R_ * h_ + r_ - 1 >= 0 && R_ * h_ + r_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[input_at_2_ + w_ - W_ - 1] : 0.0f;
        }
    }
    for (int w_ = 0; w_ < W_ / V_; w_++) {
        const int output_at_2_ = output_at_ + V_ * w_;
        float16 accs_0_ = (float16)(0.0f);
        float16 accs_1_ = (float16)(0.0f);
        float16 accs_2_ = (float16)(0.0f);
        float16 accs_3_ = (float16)(0.0f);
        for (int i_ = 0; i_ < 3; i_++) {
            const int kernels_at_ = 9 * c_ + i_;
            const int input_tile_at_ = V_ * w_ + i_;
            for (int i_2_ = 0; i_2_ < 3; i_2_++) {
                const int input_tile_at_2_ = input_tile_at_ + (W_ + 2) * i_2_;
                const float w_2_ = kernels_[kernels_at_ + 3 * i_2_];
                accs_0_ = fma(vload16(0, input_tile_ + input_tile_at_2_), (float16)(w_2_), accs_0_);
                accs_1_ = fma(vload16(0, input_tile_ + input_tile_at_2_ + W_ + 2), (float16)(w_2_), accs_1_);
                accs_2_ = fma(vload16(0, input_tile_ + input_tile_at_2_ + 2 * W_ + 4), (float16)(w_2_), accs_2_);
                accs_3_ = fma(vload16(0, input_tile_ + input_tile_at_2_ + 3 * W_ + 6), (float16)(w_2_), accs_3_);
            }
        }
        *(global float16*)(output_ + output_at_2_) = accs_0_;
        *(global float16*)(output_ + output_at_2_ + W_) = accs_1_;
        *(global float16*)(output_ + output_at_2_ + 2 * W_) = accs_2_;
        *(global float16*)(output_ + output_at_2_ + 3 * W_) = accs_3_;
    }
}
