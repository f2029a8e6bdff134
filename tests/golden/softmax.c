#include <math.h>
#include <stdint.h>

static inline float lift_choose_f32(int first, float a, float b) { return first ? a : b; }
static inline uint32_t lift_bits_f32(float x) { uint32_t bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits; }
static inline float lift_of_bits_f32(uint32_t bits) { float x; __builtin_memcpy(&x, &bits, sizeof x); return x; }
static inline float lift_max_f32(float a, float b) {
    const float one = lift_choose_f32(a > b, a, b);
    return lift_choose_f32(b != b, a, one);
}
#pragma omp declare reduction(lift_max_f32 : float : omp_out = lift_max_f32(omp_out, omp_in)) initializer(omp_priv = NAN)
static inline float lift_exp_f32(float x) {
    const float zero = {0};
    x = lift_choose_f32(x > 89.0f, zero + 89.0f, x);
    x = lift_choose_f32(x < -105.0f, zero - 105.0f, x);
    const float shifted = x * 0.72134752f + 12582912.0f, n = shifted - 12582912.0f;
    const float r = (x - n * 1.38671875f) + n * 4.2438888e-4f;
    float p = r * 2.1583039e-5f + 2.6154433e-4f;
    p = p * r + 2.6042785e-3f;
    p = p * r + 2.0833144e-2f;
    p = p * r + 1.24999985e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    const float root = lift_of_bits_f32(lift_bits_f32(p) + (lift_bits_f32(shifted) << 23));
    return root * root;
}

#define N_ 1000

void softmax_largest_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict largest_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float acc_ = -INFINITY;
        #pragma omp simd reduction(lift_max_f32:acc_)
        for (long n_ = 0; n_ < N_; n_++) {
            acc_ = lift_max_f32(acc_, xs_[n_]);
        }
        largest_[0] = acc_;
    }
}

void softmax_powers_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    const float *restrict largest_ = lift_arrays[1];
    float *restrict powers_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long n_ = lift_item;
        powers_[n_] = lift_exp_f32(xs_[n_] - largest_[0]);
    }
}

void softmax_total_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict powers_ = lift_arrays[0];
    float *restrict total_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float a_ = 0.0f;
        #pragma omp simd reduction(+:a_)
        for (long n_ = 0; n_ < N_; n_++) {
            a_ += powers_[n_];
        }
        total_[0] = a_;
    }
}

void softmax_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict powers_ = lift_arrays[0];
    const float *restrict total_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long n_ = lift_item;
        output_[n_] = powers_[n_] / total_[0];
    }
}
