#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

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

void product_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict a_ = lift_arrays[0];
    const float *restrict b_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        lift_f32x4 accs_[64];
        float b_tile_[8 * GN_ * V_ + 4 * P_] __attribute__((aligned(64)));
        float a_tile_[(P_ + 8) * BK_] __attribute__((aligned(64)));
        const long m_ = lift_item / 2;
        const long n_ = lift_item % 2;
        for (long gm_ = 0; gm_ < GM_; gm_++) {
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long accs_at_ = 32 * gm_ + 8 * gn_;
                for (long tm_ = 0; tm_ < TM_; tm_++) {
                    const long accs_at_2_ = accs_at_ + 2 * tm_;
                    for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                        accs_[accs_at_2_ + tn_] = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
                    }
                }
            }
        }
        for (long k_ = 0; k_ < K_ / BK_; k_++) {
            const long b_at_ = BK_ * N_ * k_ + GN_ * TN_ * n_;
            for (long bk_ = 0; bk_ < BK_ * GN_ * V_ * (TN_ / V_) / W_ / GN_ / GM_; bk_++) {
                const long b_at_2_ = b_at_ + N_ * bk_;
                const long b_tile_at_ = (2 * GN_ * V_ + P_) * bk_;
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    const long b_at_3_ = b_at_2_ + GN_ * V_ * gm_;
                    const long b_tile_at_2_ = b_tile_at_ + GN_ * W_ * gm_;
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        *(lift_f32x4 *)(b_tile_ + b_tile_at_2_ + W_ * gn_) = *(const lift_f32x4 *)(b_ + b_at_3_ + V_ * gn_);
                    }
                }
            }
            const long a_at_ = GM_ * K_ * TM_ * m_ + BK_ * k_;
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long a_at_2_ = a_at_ + K_ * TM_ * gm_;
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    const long a_tile_at_ = 4 * gm_ + gn_;
                    const lift_f32x4 vector_ = *(const lift_f32x4 *)(a_ + a_at_2_ + K_ * gn_);
                    a_tile_[a_tile_at_] = vector_[0];
                    a_tile_[a_tile_at_ + P_ + 8] = vector_[1];
                    a_tile_[a_tile_at_ + 2 * P_ + 16] = vector_[2];
                    a_tile_[a_tile_at_ + 3 * P_ + 24] = vector_[3];
                }
            }
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    const long accs_at_ = 32 * gm_ + 8 * gn_;
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        const long accs_at_2_ = accs_at_ + 2 * tm_;
                        const float x_ = a_tile_[TM_ * gm_ + tm_];
                        for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                            const long accs_at_3_ = accs_at_2_ + tn_;
                            accs_[accs_at_3_] = accs_[accs_at_3_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(b_tile_ + (GN_ * tn_ + gn_) * V_);
                        }
                    }
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        const long accs_at_2_ = accs_at_ + 2 * tm_;
                        const float x_ = a_tile_[TM_ * gm_ + P_ + tm_ + 8];
                        for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                            const long accs_at_3_ = accs_at_2_ + tn_;
                            accs_[accs_at_3_] = accs_[accs_at_3_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(b_tile_ + ((tn_ + 2) * GN_ + gn_) * V_ + P_);
                        }
                    }
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        const long accs_at_2_ = accs_at_ + 2 * tm_;
                        const float x_ = a_tile_[TM_ * gm_ + 2 * P_ + tm_ + 16];
                        for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                            const long accs_at_3_ = accs_at_2_ + tn_;
                            accs_[accs_at_3_] = accs_[accs_at_3_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(b_tile_ + ((tn_ + 4) * GN_ + gn_) * V_ + 2 * P_);
                        }
                    }
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        const long accs_at_2_ = accs_at_ + 2 * tm_;
                        const float x_ = a_tile_[TM_ * gm_ + 3 * P_ + tm_ + 24];
                        for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                            const long accs_at_3_ = accs_at_2_ + tn_;
                            accs_[accs_at_3_] = accs_[accs_at_3_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(b_tile_ + ((tn_ + 6) * GN_ + gn_) * V_ + 3 * P_);
                        }
                    }
                }
            }
        }
        const long output_at_ = GM_ * N_ * TM_ * m_ + 2 * GN_ * V_ * n_;
        for (long gm_ = 0; gm_ < GM_; gm_++) {
            const long output_at_2_ = output_at_ + N_ * TM_ * gm_;
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long accs_at_ = 32 * gm_ + 8 * gn_;
                const long output_at_3_ = output_at_2_ + V_ * gn_;
                for (long tm_ = 0; tm_ < TM_; tm_++) {
                    const long accs_at_2_ = accs_at_ + 2 * tm_;
                    const long output_at_4_ = output_at_3_ + N_ * tm_;
                    for (long tn_ = 0; tn_ < TN_ / V_; tn_++) {
                        *(lift_f32x4 *)(output_ + output_at_4_ + GN_ * V_ * tn_) = accs_[accs_at_2_ + tn_];
                    }
                }
            }
        }
    }
}
