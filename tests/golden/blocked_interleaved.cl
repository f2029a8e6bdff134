#define N_ 64
#define K_ 64
#define GM_ 2
#define GN_ 4
#define TM_ 4
#define TN_ 8
#define BK_ 4
#define W_ 4
#define V_ 4
#define P_ 4

__attribute__((reqd_work_group_size(4, 2, 1)))
kernel void product_(
    const global float* restrict a_,
    const global float* restrict b_,
    global float* restrict output_)
{
    float4 accs_0_ = (float4)(0.0f);
    float4 accs_1_ = (float4)(0.0f);
    float4 accs_2_ = (float4)(0.0f);
    float4 accs_3_ = (float4)(0.0f);
    float4 accs_4_ = (float4)(0.0f);
    float4 accs_5_ = (float4)(0.0f);
    float4 accs_6_ = (float4)(0.0f);
    float4 accs_7_ = (float4)(0.0f);
    local float b_tile_[8 * GN_ * V_ + 4 * P_] __attribute__((aligned(64)));
    local float a_tile_[(P_ + 8) * BK_] __attribute__((aligned(64)));
    const int m_ = get_group_id(1);
    const int n_ = get_group_id(0);
    const int output_at_ = GM_ * N_ * TM_ * m_ + 2 * GN_ * V_ * n_;
    const int gm_ = get_local_id(1);
    const int gn_ = get_local_id(0);
    accs_0_ = (float4)(0.0f);
    accs_1_ = (float4)(0.0f);
    accs_2_ = (float4)(0.0f);
    accs_3_ = (float4)(0.0f);
    accs_4_ = (float4)(0.0f);
    accs_5_ = (float4)(0.0f);
    accs_6_ = (float4)(0.0f);
    accs_7_ = (float4)(0.0f);
    const int b_at_ = (TN_ * n_ + V_ * gm_) * GN_ + V_ * gn_;
    const int b_tile_at_ = (GN_ * gm_ + gn_) * W_;
    const int a_at_ = ((GM_ * m_ + gm_) * TM_ + gn_) * K_;
    const int a_tile_at_ = 4 * gm_ + gn_;
    for (int k_ = 0; k_ < K_ / BK_; k_++) {
        barrier(CLK_LOCAL_MEM_FENCE); // write-after-read hazard on b_tile
        const int b_at_2_ = b_at_ + BK_ * N_ * k_;
        for (int bk_ = 0; bk_ < BK_ * GN_ * V_ * (TN_ / V_) / W_ / GN_ / GM_; bk_++) {
            *(local float4*)(b_tile_ + b_tile_at_ + (2 * GN_ * V_ + P_) * bk_) = *(const global float4*)(b_ + b_at_2_ + N_ * bk_);
        }
        const float4 vector_ = *(const global float4*)(a_ + a_at_ + BK_ * k_);
        a_tile_[a_tile_at_] = vector_.s0;
        a_tile_[a_tile_at_ + P_ + 8] = vector_.s1;
        a_tile_[a_tile_at_ + 2 * P_ + 16] = vector_.s2;
        a_tile_[a_tile_at_ + 3 * P_ + 24] = vector_.s3;
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on a_tile
        const float x_ = a_tile_[TM_ * gm_];
        accs_0_ = fma((float4)(x_), *(const local float4*)(b_tile_ + V_ * gn_), accs_0_);
        accs_1_ = fma((float4)(x_), *(const local float4*)(b_tile_ + (GN_ + gn_) * V_), accs_1_);
        const float x_2_ = a_tile_[TM_ * gm_ + 1];
        accs_2_ = fma((float4)(x_2_), *(const local float4*)(b_tile_ + V_ * gn_), accs_2_);
        accs_3_ = fma((float4)(x_2_), *(const local float4*)(b_tile_ + (GN_ + gn_) * V_), accs_3_);
        const float x_3_ = a_tile_[TM_ * gm_ + 2];
        accs_4_ = fma((float4)(x_3_), *(const local float4*)(b_tile_ + V_ * gn_), accs_4_);
        accs_5_ = fma((float4)(x_3_), *(const local float4*)(b_tile_ + (GN_ + gn_) * V_), accs_5_);
        const float x_4_ = a_tile_[TM_ * gm_ + 3];
        accs_6_ = fma((float4)(x_4_), *(const local float4*)(b_tile_ + V_ * gn_), accs_6_);
        accs_7_ = fma((float4)(x_4_), *(const local float4*)(b_tile_ + (GN_ + gn_) * V_), accs_7_);
        const float x_5_ = a_tile_[TM_ * gm_ + P_ + 8];
        accs_0_ = fma((float4)(x_5_), *(const local float4*)(b_tile_ + (2 * GN_ + gn_) * V_ + P_), accs_0_);
        accs_1_ = fma((float4)(x_5_), *(const local float4*)(b_tile_ + (3 * GN_ + gn_) * V_ + P_), accs_1_);
        const float x_6_ = a_tile_[TM_ * gm_ + P_ + 9];
        accs_2_ = fma((float4)(x_6_), *(const local float4*)(b_tile_ + (2 * GN_ + gn_) * V_ + P_), accs_2_);
        accs_3_ = fma((float4)(x_6_), *(const local float4*)(b_tile_ + (3 * GN_ + gn_) * V_ + P_), accs_3_);
        const float x_7_ = a_tile_[TM_ * gm_ + P_ + 10];
        accs_4_ = fma((float4)(x_7_), *(const local float4*)(b_tile_ + (2 * GN_ + gn_) * V_ + P_), accs_4_);
        accs_5_ = fma((float4)(x_7_), *(const local float4*)(b_tile_ + (3 * GN_ + gn_) * V_ + P_), accs_5_);
        const float x_8_ = a_tile_[TM_ * gm_ + P_ + 11];
        accs_6_ = fma((float4)(x_8_), *(const local float4*)(b_tile_ + (2 * GN_ + gn_) * V_ + P_), accs_6_);
        accs_7_ = fma((float4)(x_8_), *(const local float4*)(b_tile_ + (3 * GN_ + gn_) * V_ + P_), accs_7_);
        const float x_9_ = a_tile_[TM_ * gm_ + 2 * P_ + 16];
        accs_0_ = fma((float4)(x_9_), *(const local float4*)(b_tile_ + (4 * GN_ + gn_) * V_ + 2 * P_), accs_0_);
        accs_1_ = fma((float4)(x_9_), *(const local float4*)(b_tile_ + (5 * GN_ + gn_) * V_ + 2 * P_), accs_1_);
        const float x_10_ = a_tile_[TM_ * gm_ + 2 * P_ + 17];
        accs_2_ = fma((float4)(x_10_), *(const local float4*)(b_tile_ + (4 * GN_ + gn_) * V_ + 2 * P_), accs_2_);
        accs_3_ = fma((float4)(x_10_), *(const local float4*)(b_tile_ + (5 * GN_ + gn_) * V_ + 2 * P_), accs_3_);
        const float x_11_ = a_tile_[TM_ * gm_ + 2 * P_ + 18];
        accs_4_ = fma((float4)(x_11_), *(const local float4*)(b_tile_ + (4 * GN_ + gn_) * V_ + 2 * P_), accs_4_);
        accs_5_ = fma((float4)(x_11_), *(const local float4*)(b_tile_ + (5 * GN_ + gn_) * V_ + 2 * P_), accs_5_);
        const float x_12_ = a_tile_[TM_ * gm_ + 2 * P_ + 19];
        accs_6_ = fma((float4)(x_12_), *(const local float4*)(b_tile_ + (4 * GN_ + gn_) * V_ + 2 * P_), accs_6_);
        accs_7_ = fma((float4)(x_12_), *(const local float4*)(b_tile_ + (5 * GN_ + gn_) * V_ + 2 * P_), accs_7_);
        const float x_13_ = a_tile_[TM_ * gm_ + 3 * P_ + 24];
        accs_0_ = fma((float4)(x_13_), *(const local float4*)(b_tile_ + (6 * GN_ + gn_) * V_ + 3 * P_), accs_0_);
        accs_1_ = fma((float4)(x_13_), *(const local float4*)(b_tile_ + (7 * GN_ + gn_) * V_ + 3 * P_), accs_1_);
        const float x_14_ = a_tile_[TM_ * gm_ + 3 * P_ + 25];
        accs_2_ = fma((float4)(x_14_), *(const local float4*)(b_tile_ + (6 * GN_ + gn_) * V_ + 3 * P_), accs_2_);
        accs_3_ = fma((float4)(x_14_), *(const local float4*)(b_tile_ + (7 * GN_ + gn_) * V_ + 3 * P_), accs_3_);
        const float x_15_ = a_tile_[TM_ * gm_ + 3 * P_ + 26];
        accs_4_ = fma((float4)(x_15_), *(const local float4*)(b_tile_ + (6 * GN_ + gn_) * V_ + 3 * P_), accs_4_);
        accs_5_ = fma((float4)(x_15_), *(const local float4*)(b_tile_ + (7 * GN_ + gn_) * V_ + 3 * P_), accs_5_);
        const float x_16_ = a_tile_[TM_ * gm_ + 3 * P_ + 27];
        accs_6_ = fma((float4)(x_16_), *(const local float4*)(b_tile_ + (6 * GN_ + gn_) * V_ + 3 * P_), accs_6_);
        accs_7_ = fma((float4)(x_16_), *(const local float4*)(b_tile_ + (7 * GN_ + gn_) * V_ + 3 * P_), accs_7_);
    }
    *(global float4*)(output_ + output_at_ + N_ * TM_ * gm_ + V_ * gn_) = accs_0_;
    *(global float4*)(output_ + output_at_ + (GN_ + gn_) * V_ + N_ * TM_ * gm_) = accs_1_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 1) * N_ + V_ * gn_) = accs_2_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 1) * N_ + (GN_ + gn_) * V_) = accs_3_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 2) * N_ + V_ * gn_) = accs_4_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 2) * N_ + (GN_ + gn_) * V_) = accs_5_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 3) * N_ + V_ * gn_) = accs_6_;
    *(global float4*)(output_ + output_at_ + (TM_ * gm_ + 3) * N_ + (GN_ + gn_) * V_) = accs_7_;
}
