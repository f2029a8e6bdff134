#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define THETA_ 4
#define KAPPA_ 4
#define SIGMA_ 2
#define OMEGA_ 4
#define V_ 4

kernel void convolution_input_padded_(
    const global float* restrict input_,
    global float* restrict input_padded_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int c_ = get_global_id(0);
    input_padded_[((W_ + 2) * h_ + w_) * C_ + c_] = h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[((h_ - 1) * W_ + w_ - 1) * C_ + c_] : 0.0f;
}

__attribute__((reqd_work_group_size(4, 2, 4)))
kernel void convolution_partial_(
    const global float* restrict kernels_,
    const global float* restrict input_padded_,
    global float* restrict partial_)
{
    const int h_ = get_group_id(2);
    const int kw_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int theta_ = get_local_id(2);
    const int theta_2_ = get_local_id(1);
    const int c_ = get_local_id(0);
    const int input_padded_at_ = (((W_ + 2) * h_ + kw_) * THETA_ + (W_ + 2) * theta_ + SIGMA_ * theta_2_) * C_ + V_ * c_;
    const int kernels_at_ = C_ * KAPPA_ * KH_ * KW_ * k_ + V_ * c_;
    const int partial_at_ = ((1792 * THETA_ * h_ + 128 * kw_ + 1792 * theta_ + 64 * theta_2_) * SIGMA_ + 4 * k_) * KAPPA_ + c_;
    float accs_0_ = 0.0f;
    float accs_1_ = 0.0f;
    float accs_2_ = 0.0f;
    float accs_3_ = 0.0f;
    float accs_4_ = 0.0f;
    float accs_5_ = 0.0f;
    float accs_6_ = 0.0f;
    float accs_7_ = 0.0f;
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int input_padded_at_2_ = input_padded_at_ + (W_ + 2) * kh_ * C_;
        const int kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
        if (THETA_ * h_ + kh_ + theta_ - 1 >= 0 && THETA_ * h_ + kh_ + theta_ - 1 < H_) {
            for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                const int input_padded_at_3_ = input_padded_at_2_ + C_ * kw_2_;
                const int kernels_at_3_ = kernels_at_2_ + C_ * kw_2_;
                for (int c_2_ = 0; c_2_ < C_ / V_ / (C_ / V_ / OMEGA_); c_2_++) {
                    const int input_padded_at_4_ = input_padded_at_3_ + 4 * V_ * c_2_;
                    const int kernels_at_4_ = kernels_at_3_ + 4 * V_ * c_2_;
                    const float4 x_ = *(const global float4*)(input_padded_ + input_padded_at_4_);
                    const float4 right_ = *(const global float4*)(kernels_ + kernels_at_4_);
                    accs_0_ = fma(x_.s3, right_.s3, fma(x_.s2, right_.s2, fma(x_.s1, right_.s1, fma(x_.s0, right_.s0, accs_0_))));
                    const float4 right_2_ = *(const global float4*)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                    accs_1_ = fma(x_.s3, right_2_.s3, fma(x_.s2, right_2_.s2, fma(x_.s1, right_2_.s1, fma(x_.s0, right_2_.s0, accs_1_))));
                    const float4 right_3_ = *(const global float4*)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                    accs_2_ = fma(x_.s3, right_3_.s3, fma(x_.s2, right_3_.s2, fma(x_.s1, right_3_.s1, fma(x_.s0, right_3_.s0, accs_2_))));
                    const float4 right_4_ = *(const global float4*)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                    accs_3_ = fma(x_.s3, right_4_.s3, fma(x_.s2, right_4_.s2, fma(x_.s1, right_4_.s1, fma(x_.s0, right_4_.s0, accs_3_))));
                    const float4 x_2_ = *(const global float4*)(input_padded_ + input_padded_at_4_ + C_);
                    const float4 right_5_ = *(const global float4*)(kernels_ + kernels_at_4_);
                    accs_4_ = fma(x_2_.s3, right_5_.s3, fma(x_2_.s2, right_5_.s2, fma(x_2_.s1, right_5_.s1, fma(x_2_.s0, right_5_.s0, accs_4_))));
                    const float4 right_6_ = *(const global float4*)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                    accs_5_ = fma(x_2_.s3, right_6_.s3, fma(x_2_.s2, right_6_.s2, fma(x_2_.s1, right_6_.s1, fma(x_2_.s0, right_6_.s0, accs_5_))));
                    const float4 right_7_ = *(const global float4*)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                    accs_6_ = fma(x_2_.s3, right_7_.s3, fma(x_2_.s2, right_7_.s2, fma(x_2_.s1, right_7_.s1, fma(x_2_.s0, right_7_.s0, accs_6_))));
                    const float4 right_8_ = *(const global float4*)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                    accs_7_ = fma(x_2_.s3, right_8_.s3, fma(x_2_.s2, right_8_.s2, fma(x_2_.s1, right_8_.s1, fma(x_2_.s0, right_8_.s0, accs_7_))));
                }
            }
        }
    }
    partial_[partial_at_] = accs_0_;
    partial_[partial_at_ + 4] = accs_1_;
    partial_[partial_at_ + 8] = accs_2_;
    partial_[partial_at_ + 12] = accs_3_;
    partial_[partial_at_ + 64 * KAPPA_] = accs_4_;
    partial_[partial_at_ + 64 * KAPPA_ + 4] = accs_5_;
    partial_[partial_at_ + 64 * KAPPA_ + 8] = accs_6_;
    partial_[partial_at_ + 64 * KAPPA_ + 12] = accs_7_;
}

kernel void convolution_(
    const global float* restrict biases_,
    const global float* restrict partial_,
    global float* restrict output_)
{
    const int i_ = get_global_id(2);
    const int i_2_ = get_global_id(1);
    const int k_ = get_global_id(0);
    float acc_ = biases_[k_];
    const int partial_at_ = (1792 * SIGMA_ * i_ + 64 * i_2_) * KAPPA_ + 4 * k_;
    for (int c_ = 0; c_ < C_ / V_ / OMEGA_; c_++) {
        acc_ += partial_[partial_at_ + c_];
    }
    output_[((W_ + 3 - KW_) * i_ + i_2_) * K_ + k_] = acc_;
}
