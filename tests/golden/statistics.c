#include <math.h>
#include <stdint.h>

static inline float lift_choose_f32(int first, float a, float b) { return first ? a : b; }
static inline uint32_t lift_bits_f32(float x) { uint32_t bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits; }
static inline float lift_of_bits_f32(uint32_t bits) { float x; __builtin_memcpy(&x, &bits, sizeof x); return x; }
static inline float lift_min_f32(float a, float b) {
    const float one = lift_choose_f32(a < b, a, b);
    return lift_choose_f32(b != b, a, one);
}
#pragma omp declare reduction(lift_min_f32 : float : omp_out = lift_min_f32(omp_out, omp_in)) initializer(omp_priv = NAN)
static inline float lift_max_f32(float a, float b) {
    const float one = lift_choose_f32(a > b, a, b);
    return lift_choose_f32(b != b, a, one);
}
#pragma omp declare reduction(lift_max_f32 : float : omp_out = lift_max_f32(omp_out, omp_in)) initializer(omp_priv = NAN)

#define N_ 30
#define M_ 7

void statistics_lows_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict lows_ = lift_arrays[1];
    float *restrict lows_2_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long m_ = lift_item;
        float low_ = INFINITY;
        float high_ = -INFINITY;
        #pragma omp simd reduction(lift_min_f32:low_) reduction(lift_max_f32:high_)
        for (long n_ = 0; n_ < N_; n_++) {
            const float x_ = xs_[N_ * m_ + n_];
            low_ = lift_min_f32(low_, x_);
            high_ = lift_max_f32(high_, x_);
        }
        lows_[m_] = low_;
        lows_2_[m_] = high_;
    }
}

void statistics_0_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict lows_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long m_ = lift_item;
        output_[m_] = lows_[m_];
    }
}

void statistics_1_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict lows_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long m_ = lift_item;
        output_[m_] = lows_[m_];
    }
}

void statistics_2_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    const float scale_ = *(const float *)lift_scalars[0];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float a_ = 0.0f;
        for (long m_ = 0; m_ < M_; m_++) {
            #pragma omp simd reduction(+:a_)
            for (long n_ = 0; n_ < N_; n_++) {
                a_ += xs_[N_ * m_ + n_];
            }
        }
        output_[0] = scale_ * a_;
    }
}
