#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define D_ 8
#define V_ 4
#define R_ 1
#define Q_ 4

kernel void convolution_input_padded_(
    const global float* restrict input_,
    global float* restrict input_padded_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int c_ = get_global_id(0);
    input_padded_[((W_ + 2) * h_ + w_) * C_ + c_] = h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[((h_ - 1) * W_ + w_ - 1) * C_ + c_] : 0.0f;
}

kernel void convolution_kernels_packed_(
    const global float* restrict kernels_,
    global float* restrict kernels_packed_)
{
    for (int k_ = 0; k_ < K_ / D_; k_++) {
        for (int kh_ = 0; kh_ < KH_; kh_++) {
            const int kw_ = get_global_id(2);
            const int c_ = get_global_id(1);
            const int d_ = get_global_id(0);
            kernels_packed_[(((KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_) * D_ + d_] = kernels_[(((D_ * k_ + d_) * KH_ + kh_) * KW_ + kw_) * C_ + c_];
        }
    }
}

kernel void convolution_(
    const global float* restrict biases_,
    const global float* restrict input_padded_,
    const global float* restrict kernels_packed_,
    global float* restrict output_)
{
    const int k_ = get_global_id(2);
    const int h_ = get_global_id(1);
    const int kw_ = get_global_id(0);
    const int input_padded_at_ = ((W_ + 2) * h_ * R_ + Q_ * kw_) * C_;
    const int output_at_ = ((W_ + 3 - KW_) * h_ * R_ + Q_ * kw_) * K_ + 2 * V_ * k_;
    float4 accs_0_ = *(const global float4*)(biases_ + D_ * k_);
    float4 accs_1_ = *(const global float4*)(biases_ + D_ * k_ + V_);
    float4 accs_2_ = *(const global float4*)(biases_ + D_ * k_);
    float4 accs_3_ = *(const global float4*)(biases_ + D_ * k_ + V_);
    float4 accs_4_ = *(const global float4*)(biases_ + D_ * k_);
    float4 accs_5_ = *(const global float4*)(biases_ + D_ * k_ + V_);
    float4 accs_6_ = *(const global float4*)(biases_ + D_ * k_);
    float4 accs_7_ = *(const global float4*)(biases_ + D_ * k_ + V_);
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int input_padded_at_2_ = input_padded_at_ + (W_ + 2) * kh_ * C_;
        const int kernels_packed_at_ = (KH_ * k_ + kh_) * KW_ * D_ * C_;
        if (R_ * h_ + kh_ - 1 >= 0 && R_ * h_ + kh_ - 1 < H_) {
            for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                const int input_padded_at_3_ = input_padded_at_2_ + C_ * kw_2_;
                const int kernels_packed_at_2_ = kernels_packed_at_ + C_ * D_ * kw_2_;
                for (int c_ = 0; c_ < C_; c_++) {
                    const int input_padded_at_4_ = input_padded_at_3_ + c_;
                    const int kernels_packed_at_3_ = kernels_packed_at_2_ + D_ * c_;
                    const float x_ = input_padded_[input_padded_at_4_];
                    accs_0_ = fma((float4)(x_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_), accs_0_);
                    accs_1_ = fma((float4)(x_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_ + V_), accs_1_);
                    const float x_2_ = input_padded_[input_padded_at_4_ + C_];
                    accs_2_ = fma((float4)(x_2_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_), accs_2_);
                    accs_3_ = fma((float4)(x_2_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_ + V_), accs_3_);
                    const float x_3_ = input_padded_[input_padded_at_4_ + 2 * C_];
                    accs_4_ = fma((float4)(x_3_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_), accs_4_);
                    accs_5_ = fma((float4)(x_3_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_ + V_), accs_5_);
                    const float x_4_ = input_padded_[input_padded_at_4_ + 3 * C_];
                    accs_6_ = fma((float4)(x_4_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_), accs_6_);
                    accs_7_ = fma((float4)(x_4_), *(const global float4*)(kernels_packed_ + kernels_packed_at_3_ + V_), accs_7_);
                }
            }
        }
    }
    *(global float4*)(output_ + output_at_) = accs_0_;
    *(global float4*)(output_ + output_at_ + V_) = accs_1_;
    *(global float4*)(output_ + output_at_ + K_) = accs_2_;
    *(global float4*)(output_ + output_at_ + K_ + V_) = accs_3_;
    *(global float4*)(output_ + output_at_ + 2 * K_) = accs_4_;
    *(global float4*)(output_ + output_at_ + 2 * K_ + V_) = accs_5_;
    *(global float4*)(output_ + output_at_ + 3 * K_) = accs_6_;
    *(global float4*)(output_ + output_at_ + 3 * K_ + V_) = accs_7_;
}
