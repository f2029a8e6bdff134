#include <math.h>
#include <stdint.h>

#define N_ 65536
#define E_ 8
#define S_ 16
#define T_ 4096
#define P_ 1

void prefixes_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float accs_[512 * E_ + 512 * P_] __attribute__((aligned(64)));
        float xs_tile_[512 * E_ + 512 * P_] __attribute__((aligned(64)));
        float partial_[512] __attribute__((aligned(64)));
        float partial_2_[32] __attribute__((aligned(64)));
        float prefixes_2_[32 * S_] __attribute__((aligned(64)));
        float prefixes_3_[32] __attribute__((aligned(64)));
        const long m_ = lift_item;
        for (long t_ = 0; t_ < T_ / E_; t_++) {
            const long accs_at_ = (E_ + P_) * t_;
            for (long e_ = 0; e_ < E_; e_++) {
                accs_[accs_at_ + e_] = 0.0f;
            }
        }
        for (long n_ = 0; n_ < N_ / T_; n_++) {
            const long xs_at_ = N_ * m_ + T_ * n_;
            for (long t_ = 0; t_ < T_ / (T_ / E_); t_++) {
                const long xs_at_2_ = xs_at_ + 512 * t_;
                for (long t_2_ = 0; t_2_ < T_ / E_; t_2_++) {
                    xs_tile_[576 * t_ + 9 * (t_2_ / 8) + t_2_ % E_] = xs_[xs_at_2_ + t_2_];
                }
            }
            for (long e_ = 0; e_ < T_ / E_ * (T_ / (T_ / E_)) / E_; e_++) {
                float sum_ = 0.0f;
                const long xs_tile_at_ = (E_ + P_) * e_;
                for (long e_2_ = 0; e_2_ < E_; e_2_++) {
                    sum_ += xs_tile_[xs_tile_at_ + e_2_];
                }
                partial_[e_] = sum_;
            }
            for (long e_ = 0; e_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_++) {
                float acc_ = 0.0f;
                acc_ += S_ * e_ - 1 >= 0 ? partial_[S_ * e_ - 1] : 0.0f;
                acc_ += partial_[S_ * e_];
                acc_ += partial_[S_ * e_ + 1];
                acc_ += partial_[S_ * e_ + 2];
                acc_ += partial_[S_ * e_ + 3];
                acc_ += partial_[S_ * e_ + 4];
                acc_ += partial_[S_ * e_ + 5];
                acc_ += partial_[S_ * e_ + 6];
                acc_ += partial_[S_ * e_ + 7];
                acc_ += partial_[S_ * e_ + 8];
                acc_ += partial_[S_ * e_ + 9];
                acc_ += partial_[S_ * e_ + 10];
                acc_ += partial_[S_ * e_ + 11];
                acc_ += partial_[S_ * e_ + 12];
                acc_ += partial_[S_ * e_ + 13];
                acc_ += partial_[S_ * e_ + 14];
                partial_2_[e_] = acc_;
            }
            for (long i_ = 0; i_ < 1; i_++) {
                float accs_tile_ = 0.0f;
                accs_tile_ = accs_[511 * P_ + T_ - 1];
                float acc_ = accs_tile_;
                for (long e_ = 0; e_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_++) {
                    const long partial_2_at_ = e_ + 32 * i_;
                    acc_ += partial_2_at_ - 1 >= 0 ? partial_2_[partial_2_at_ - 1] : 0.0f;
                    prefixes_3_[partial_2_at_] = acc_;
                }
            }
            for (long e_ = 0; e_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_++) {
                float prefixes_tile_ = 0.0f;
                prefixes_tile_ = prefixes_3_[e_];
                float acc_ = prefixes_tile_;
                for (long s_ = 0; s_ < S_; s_++) {
                    const long partial_at_ = S_ * e_ + s_;
                    acc_ += partial_at_ - 1 >= 0 ? partial_[partial_at_ - 1] : 0.0f;
                    prefixes_2_[partial_at_] = acc_;
                }
            }
            for (long i_ = 0; i_ < S_ * (T_ / E_ * (T_ / (T_ / E_)) / E_ / S_); i_++) {
                const long xs_tile_at_ = (E_ + P_) * i_;
                float prefixes_tile_ = 0.0f;
                prefixes_tile_ = prefixes_2_[i_];
                float sum_ = prefixes_tile_;
                for (long e_ = 0; e_ < E_; e_++) {
                    const long xs_tile_at_2_ = xs_tile_at_ + e_;
                    sum_ += xs_tile_[xs_tile_at_2_];
                    accs_[xs_tile_at_2_] = sum_;
                }
            }
            const long output_at_ = 512 * E_ * n_ + N_ * m_;
            for (long e_ = 0; e_ < E_; e_++) {
                const long output_at_2_ = output_at_ + 512 * e_;
                for (long t_ = 0; t_ < T_ / E_; t_++) {
                    output_[output_at_2_ + t_] = accs_[576 * e_ + 9 * (t_ / 8) + t_ % E_];
                }
            }
        }
    }
}
