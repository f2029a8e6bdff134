#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GM_ 2
#define GN_ 16
#define TM_ 4
#define TN_ 4
#define BK_ 8
#define W_2_ 4
#define V_ 4
#define P_ 0

__attribute__((reqd_work_group_size(16, 2, 1)))
kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_,
    global float* restrict output_)
{
    float4 accs_0_ = (float4)(0.0f);
    float4 accs_1_ = (float4)(0.0f);
    float4 accs_2_ = (float4)(0.0f);
    float4 accs_3_ = (float4)(0.0f);
    local float kernels_tile_[(P_ + 64) * KW_ * BK_] __attribute__((aligned(64)));
    local float input_tile_[(P_ + 10) * BK_] __attribute__((aligned(64)));
    const int kw_ = get_group_id(1);
    const int at_ = kw_ / 7;
    const int at_2_ = GM_ * TM_ * (kw_ % 7);
    const int gm_ = get_local_id(1);
    const int gn_ = get_local_id(0);
    accs_0_ = *(const global float4*)(biases_ + TN_ * gn_);
    accs_1_ = *(const global float4*)(biases_ + TN_ * gn_);
    accs_2_ = *(const global float4*)(biases_ + TN_ * gn_);
    accs_3_ = *(const global float4*)(biases_ + TN_ * gn_);
    const int kernels_at_ = W_2_ * gn_ % BK_;
    const int at_3_ = at_2_ + (GN_ * gm_ + gn_) * W_2_ / BK_;
    const int input_at_ = 512 * gm_ + 512 * kw_ + 64 * (gn_ / 2) + W_2_ * gn_ % BK_;
    const int input_tile_at_ = (GN_ * gm_ + gn_) * W_2_ / BK_ + 40 * (gn_ % 2);
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
        const int input_at_2_ = input_at_ + 3584 * kh_;
        for (int c_ = 0; c_ < C_ / BK_; c_++) {
            barrier(CLK_LOCAL_MEM_FENCE); // write-after-read hazard on kernels_tile
            const int kernels_at_3_ = kernels_at_2_ + BK_ * c_;
            for (int bk_ = 0; bk_ < BK_ * GN_ * KW_ * TN_ / W_2_ / GN_ / GM_; bk_++) {
                const int kernels_tile_at_ = ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_) + 256 * ((2 * bk_ + 4 * gm_ + gn_) % 6);
                const float4 vector_ = *(const global float4*)(kernels_ + kernels_at_3_ + ((TN_ * (((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_ * TN_)) + ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_) % TN_) * KW_ * KH_ + ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / BK_ % KW_) * C_);
                kernels_tile_[kernels_tile_at_] = vector_.s0;
                kernels_tile_[kernels_tile_at_ + 64] = vector_.s1;
                kernels_tile_[kernels_tile_at_ + 128] = vector_.s2;
                kernels_tile_[kernels_tile_at_ + 192] = vector_.s3;
            }
            if (GN_ * gm_ + gn_ < (GM_ * TM_ + KW_ - 1) * BK_ / W_2_) {
                const float4 vector_ = at_ + kh_ - 1 >= 0 && at_ + kh_ - 1 < H_ && at_3_ - 1 >= 0 && at_3_ - 1 < W_ ? *(const global float4*)(input_ + input_at_2_ + BK_ * c_ - 3648) : (float4)(0.0f);
                input_tile_[input_tile_at_] = vector_.s0;
                input_tile_[input_tile_at_ + 10] = vector_.s1;
                input_tile_[input_tile_at_ + 20] = vector_.s2;
                input_tile_[input_tile_at_ + 30] = vector_.s3;
            }
            barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on input_tile
            for (int bk_ = 0; bk_ < BK_; bk_++) {
                const int input_tile_at_2_ = (P_ + 10) * bk_ + TM_ * gm_;
                const int kernels_tile_at_ = (P_ + 64) * bk_ + TN_ * gn_;
                for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                    const int input_tile_at_3_ = input_tile_at_2_ + kw_2_;
                    const int kernels_tile_at_2_ = kernels_tile_at_ + (P_ + 64) * kw_2_ * BK_;
                    const float x_ = input_tile_[input_tile_at_3_];
                    accs_0_ = fma((float4)(x_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_0_);
                    const float x_2_ = input_tile_[input_tile_at_3_ + 1];
                    accs_1_ = fma((float4)(x_2_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_1_);
                    const float x_3_ = input_tile_[input_tile_at_3_ + 2];
                    accs_2_ = fma((float4)(x_3_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_2_);
                    const float x_4_ = input_tile_[input_tile_at_3_ + 3];
                    accs_3_ = fma((float4)(x_4_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_3_);
                }
            }
        }
    }
    *(global float4*)(output_ + V_ * gn_ + 256 * gm_ + 512 * kw_) = accs_0_;
    *(global float4*)(output_ + V_ * gn_ + 256 * gm_ + 512 * kw_ + 64) = accs_1_;
    *(global float4*)(output_ + V_ * gn_ + 256 * gm_ + 512 * kw_ + 128) = accs_2_;
    *(global float4*)(output_ + V_ * gn_ + 256 * gm_ + 512 * kw_ + 192) = accs_3_;
}
