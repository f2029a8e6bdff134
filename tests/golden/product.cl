#define N_ 48
#define K_ 100

kernel void product_(
    const global float* restrict a_,
    const global float* restrict b_,
    global float* restrict output_)
{
    const int m_ = get_global_id(1);
    const int n_ = get_global_id(0);
    float sum_ = 0.0f;
    for (int k_ = 0; k_ < K_; k_++) {
        sum_ = fma(a_[K_ * m_ + k_], b_[N_ * k_ + n_], sum_);
    }
    output_[N_ * m_ + n_] = sum_;
}
