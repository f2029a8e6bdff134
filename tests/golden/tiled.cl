#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GX_ 8
#define GY_ 2
#define GZ_ 2
#define D_ 4
#define V_ 4
#define R_ 1
#define Q_ 4
#define T_ 4

kernel void convolution_kernels_packed_(
    const global float* restrict kernels_,
    global float* restrict kernels_packed_)
{
    for (int k_ = 0; k_ < K_ / (D_ * GX_); k_++) {
        for (int kh_ = 0; kh_ < KH_; kh_++) {
            const int kw_ = get_global_id(2);
            const int c_ = get_global_id(1);
            const int i_ = get_global_id(0);
            kernels_packed_[(((KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_) * GX_ * D_ + i_] = kernels_[(((D_ * GX_ * k_ + i_) * KH_ + kh_) * KW_ + kw_) * C_ + c_];
        }
    }
}

kernel void convolution_input_padded_(
    const global float* restrict input_,
    global float* restrict input_padded_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int c_ = get_global_id(0);
    input_padded_[((W_ + 2) * h_ + w_) * C_ + c_] = h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[((h_ - 1) * W_ + w_ - 1) * C_ + c_] : 0.0f;
}

__attribute__((reqd_work_group_size(8, 2, 2)))
kernel void convolution_(
    const global float* restrict biases_,
    const global float* restrict kernels_packed_,
    const global float* restrict input_padded_,
    global float* restrict output_)
{
    const int h_ = get_group_id(2);
    const int kw_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int gz_ = get_local_id(2);
    const int gy_ = get_local_id(1);
    const int gx_ = get_local_id(0);
    const int biases_at_ = D_ * GX_ * k_ + V_ * gx_;
    const int kernels_packed_at_ = C_ * D_ * GX_ * KH_ * KW_ * k_ + V_ * gx_;
    const int input_padded_at_ = (((W_ + 2) * h_ * GZ_ + (W_ + 2) * gz_) * R_ + (GY_ * kw_ + gy_) * Q_) * C_;
    const int output_at_ = (((W_ + 3 - KW_) * h_ * GZ_ + (W_ + 3 - KW_) * gz_) * R_ + (GY_ * kw_ + gy_) * Q_) * K_ + (GX_ * k_ + gx_) * V_;
    float4 accs_0_ = *(const global float4*)(biases_ + biases_at_);
    float4 accs_1_ = *(const global float4*)(biases_ + biases_at_);
    float4 accs_2_ = *(const global float4*)(biases_ + biases_at_);
    float4 accs_3_ = *(const global float4*)(biases_ + biases_at_);
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int kernels_packed_at_2_ = kernels_packed_at_ + C_ * D_ * GX_ * KW_ * kh_;
        const int input_padded_at_2_ = input_padded_at_ + (W_ + 2) * kh_ * C_;
        for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
            const int kernels_packed_at_3_ = kernels_packed_at_2_ + C_ * D_ * GX_ * kw_2_;
            const int input_padded_at_3_ = input_padded_at_2_ + C_ * kw_2_;
            for (int c_ = 0; c_ < C_ / T_; c_++) {
                const int kernels_packed_at_4_ = kernels_packed_at_3_ + D_ * GX_ * T_ * c_;
                const int input_padded_at_4_ = input_padded_at_3_ + T_ * c_;
                float4 kernels_packed_tile_0_ = *(const global float4*)(kernels_packed_ + kernels_packed_at_4_);
                float4 kernels_packed_tile_1_ = *(const global float4*)(kernels_packed_ + kernels_packed_at_4_ + D_ * GX_);
                float4 kernels_packed_tile_2_ = *(const global float4*)(kernels_packed_ + kernels_packed_at_4_ + 2 * D_ * GX_);
                float4 kernels_packed_tile_3_ = *(const global float4*)(kernels_packed_ + kernels_packed_at_4_ + 3 * D_ * GX_);
                float4 input_padded_tile_0_ = *(const global float4*)(input_padded_ + input_padded_at_4_);
                const float x_ = input_padded_tile_0_.s0;
                accs_0_ = fma((float4)(x_), kernels_packed_tile_0_, accs_0_);
                const float x_2_ = input_padded_tile_0_.s1;
                accs_0_ = fma((float4)(x_2_), kernels_packed_tile_1_, accs_0_);
                const float x_3_ = input_padded_tile_0_.s2;
                accs_0_ = fma((float4)(x_3_), kernels_packed_tile_2_, accs_0_);
                const float x_4_ = input_padded_tile_0_.s3;
                accs_0_ = fma((float4)(x_4_), kernels_packed_tile_3_, accs_0_);
                float4 input_padded_tile_0_2_ = *(const global float4*)(input_padded_ + input_padded_at_4_ + C_);
                const float x_5_ = input_padded_tile_0_2_.s0;
                accs_1_ = fma((float4)(x_5_), kernels_packed_tile_0_, accs_1_);
                const float x_6_ = input_padded_tile_0_2_.s1;
                accs_1_ = fma((float4)(x_6_), kernels_packed_tile_1_, accs_1_);
                const float x_7_ = input_padded_tile_0_2_.s2;
                accs_1_ = fma((float4)(x_7_), kernels_packed_tile_2_, accs_1_);
                const float x_8_ = input_padded_tile_0_2_.s3;
                accs_1_ = fma((float4)(x_8_), kernels_packed_tile_3_, accs_1_);
                float4 input_padded_tile_0_3_ = *(const global float4*)(input_padded_ + input_padded_at_4_ + 2 * C_);
                const float x_9_ = input_padded_tile_0_3_.s0;
                accs_2_ = fma((float4)(x_9_), kernels_packed_tile_0_, accs_2_);
                const float x_10_ = input_padded_tile_0_3_.s1;
                accs_2_ = fma((float4)(x_10_), kernels_packed_tile_1_, accs_2_);
                const float x_11_ = input_padded_tile_0_3_.s2;
                accs_2_ = fma((float4)(x_11_), kernels_packed_tile_2_, accs_2_);
                const float x_12_ = input_padded_tile_0_3_.s3;
                accs_2_ = fma((float4)(x_12_), kernels_packed_tile_3_, accs_2_);
                float4 input_padded_tile_0_4_ = *(const global float4*)(input_padded_ + input_padded_at_4_ + 3 * C_);
                const float x_13_ = input_padded_tile_0_4_.s0;
                accs_3_ = fma((float4)(x_13_), kernels_packed_tile_0_, accs_3_);
                const float x_14_ = input_padded_tile_0_4_.s1;
                accs_3_ = fma((float4)(x_14_), kernels_packed_tile_1_, accs_3_);
                const float x_15_ = input_padded_tile_0_4_.s2;
                accs_3_ = fma((float4)(x_15_), kernels_packed_tile_2_, accs_3_);
                const float x_16_ = input_padded_tile_0_4_.s3;
                accs_3_ = fma((float4)(x_16_), kernels_packed_tile_3_, accs_3_);
            }
        }
    }
    *(global float4*)(output_ + output_at_) = accs_0_;
    *(global float4*)(output_ + output_at_ + K_) = accs_1_;
    *(global float4*)(output_ + output_at_ + 2 * K_) = accs_2_;
    *(global float4*)(output_ + output_at_ + 3 * K_) = accs_3_;
}
