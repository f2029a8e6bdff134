#include <math.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#define lift_guard() __asm__("")
#else
#define lift_guard() ((void)0)
#endif
typedef float lift_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));

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

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float accs_[D_ * Q_ * TD_ * TQ_ * TR_];
        float kernels_tile_[BK_ * D_ * TD_] __attribute__((aligned(64)));
        float input_tile_[BK_ * Q_ * TQ_ * TR_] __attribute__((aligned(64)));
        const long h_ = lift_item / 7;
        const long kw_ = lift_item % 7;
        const long input_at_ = (Q_ * TQ_ * kw_ + TR_ * W_ * h_) * C_;
        const long output_at_ = ((W_ + 3 - KW_) * h_ * TR_ + Q_ * TQ_ * kw_) * K_;
        for (long k_ = 0; k_ < K_ / (D_ * TD_); k_++) {
            for (long tr_ = 0; tr_ < TR_; tr_++) {
                for (long tq_ = 0; tq_ < TQ_; tq_++) {
                    const long accs_at_ = (TQ_ * tr_ + tq_) * TD_ * Q_ * D_;
                    for (long td_ = 0; td_ < TD_; td_++) {
                        const long biases_at_ = (TD_ * k_ + td_) * D_;
                        const long accs_at_2_ = accs_at_ + D_ * Q_ * td_;
                        for (long q_ = 0; q_ < Q_; q_++) {
                            *(lift_f32x2 *)(accs_ + accs_at_2_ + D_ * q_) = *(const lift_f32x2 *)(biases_ + biases_at_);
                        }
                    }
                }
            }
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                const long kernels_at_ = (D_ * KH_ * TD_ * k_ + kh_) * KW_ * C_;
                const long input_at_2_ = input_at_ + C_ * W_ * kh_;
                for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                    const long kernels_at_2_ = kernels_at_ + C_ * kw_2_;
                    const long input_at_3_ = input_at_2_ + C_ * kw_2_;
                    for (long c_ = 0; c_ < C_ / BK_; c_++) {
                        const long kernels_at_3_ = kernels_at_2_ + BK_ * c_;
                        for (long td_ = 0; td_ < TD_; td_++) {
                            const long kernels_at_4_ = kernels_at_3_ + C_ * D_ * KH_ * KW_ * td_;
                            for (long d_ = 0; d_ < D_; d_++) {
                                const long kernels_at_5_ = kernels_at_4_ + C_ * KH_ * KW_ * d_;
                                const long kernels_tile_at_ = (D_ * td_ + d_) * BK_;
                                for (long bk_ = 0; bk_ < BK_; bk_++) {
                                    kernels_tile_[kernels_tile_at_ + bk_] = kernels_[kernels_at_5_ + bk_];
                                }
                            }
                        }
                        const long input_at_4_ = input_at_3_ + BK_ * c_;
                        for (long tr_ = 0; tr_ < TR_; tr_++) {
                            const long input_at_5_ = input_at_4_ + C_ * W_ * tr_;
                            for (long tq_ = 0; tq_ < TQ_; tq_++) {
                                const long input_at_6_ = input_at_5_ + C_ * Q_ * tq_;
                                const long input_tile_at_ = (TQ_ * tr_ + tq_) * Q_ * BK_;
                                for (long q_ = 0; q_ < Q_; q_++) {
                                    const long input_tile_at_2_ = input_tile_at_ + BK_ * q_;
                                    if (TR_ * h_ + kh_ + tr_ - 1 >= 0 && TR_ * h_ + kh_ + tr_ - 1 < H_ && (TQ_ * kw_ + tq_) * Q_ + kw_2_ + q_ - 1 >= 0 && (TQ_ * kw_ + tq_) * Q_ + kw_2_ + q_ - 1 < W_) {
                                        lift_guard();
                                        const long input_at_7_ = input_at_6_ + C_ * q_;
                                        for (long bk_ = 0; bk_ < BK_; bk_++) {
                                            input_tile_[input_tile_at_2_ + bk_] = input_[input_at_7_ + (-W_ - 1) * C_ + bk_];
                                        }
                                    } else {
                                        for (long bk_ = 0; bk_ < BK_; bk_++) {
                                            input_tile_[input_tile_at_2_ + bk_] = 0.0f;
                                        }
                                    }
                                }
                            }
                        }
                        for (long tr_ = 0; tr_ < TR_; tr_++) {
                            for (long tq_ = 0; tq_ < TQ_; tq_++) {
                                const long input_tile_at_ = (TQ_ * tr_ + tq_) * Q_ * BK_;
                                const long accs_at_ = (TQ_ * tr_ + tq_) * TD_ * Q_ * D_;
                                for (long td_ = 0; td_ < TD_; td_++) {
                                    const long accs_at_2_ = accs_at_ + D_ * Q_ * td_;
                                    float input_tile_tile_0_ = input_tile_[input_tile_at_];
                                    float input_tile_tile_1_ = input_tile_[input_tile_at_ + BK_];
                                    float input_tile_tile_2_ = input_tile_[input_tile_at_ + 1];
                                    float input_tile_tile_3_ = input_tile_[input_tile_at_ + BK_ + 1];
                                    float kernels_tile_tile_0_ = kernels_tile_[BK_ * D_ * td_];
                                    float kernels_tile_tile_1_ = kernels_tile_[(D_ * td_ + 1) * BK_];
                                    float kernels_tile_tile_2_ = kernels_tile_[BK_ * D_ * td_ + 1];
                                    float kernels_tile_tile_3_ = kernels_tile_[(D_ * td_ + 1) * BK_ + 1];
                                    const float x_ = input_tile_tile_0_;
                                    accs_[accs_at_2_] = accs_[accs_at_2_] + x_ * kernels_tile_tile_0_;
                                    accs_[accs_at_2_ + 1] = accs_[accs_at_2_ + 1] + x_ * kernels_tile_tile_1_;
                                    const float x_2_ = input_tile_tile_1_;
                                    accs_[accs_at_2_ + D_] = accs_[accs_at_2_ + D_] + x_2_ * kernels_tile_tile_0_;
                                    accs_[accs_at_2_ + D_ + 1] = accs_[accs_at_2_ + D_ + 1] + x_2_ * kernels_tile_tile_1_;
                                    const float x_3_ = input_tile_tile_2_;
                                    accs_[accs_at_2_] = accs_[accs_at_2_] + x_3_ * kernels_tile_tile_2_;
                                    accs_[accs_at_2_ + 1] = accs_[accs_at_2_ + 1] + x_3_ * kernels_tile_tile_3_;
                                    const float x_4_ = input_tile_tile_3_;
                                    accs_[accs_at_2_ + D_] = accs_[accs_at_2_ + D_] + x_4_ * kernels_tile_tile_2_;
                                    accs_[accs_at_2_ + D_ + 1] = accs_[accs_at_2_ + D_ + 1] + x_4_ * kernels_tile_tile_3_;
                                }
                            }
                        }
                    }
                }
            }
            const long output_at_2_ = output_at_ + D_ * TD_ * k_;
            for (long tr_ = 0; tr_ < TR_; tr_++) {
                const long output_at_3_ = output_at_2_ + (W_ + 3 - KW_) * tr_ * K_;
                for (long tq_ = 0; tq_ < TQ_; tq_++) {
                    const long accs_at_ = (TQ_ * tr_ + tq_) * TD_ * Q_ * D_;
                    const long output_at_4_ = output_at_3_ + K_ * Q_ * tq_;
                    for (long td_ = 0; td_ < TD_; td_++) {
                        const long accs_at_2_ = accs_at_ + D_ * Q_ * td_;
                        const long output_at_5_ = output_at_4_ + D_ * td_;
                        for (long q_ = 0; q_ < Q_; q_++) {
                            *(lift_f32x2 *)(output_ + output_at_5_ + K_ * q_) = *(const lift_f32x2 *)(accs_ + accs_at_2_ + D_ * q_);
                        }
                    }
                }
            }
        }
    }
}
