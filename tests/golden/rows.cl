#define N_ 100

kernel void rows_(
    const global float* restrict xs_,
    global float* restrict output_)
{
    const int m_ = get_global_id(0);
    float acc_ = -INFINITY;
    for (int n_ = 0; n_ < N_; n_++) {
        acc_ = fmax(acc_, xs_[N_ * m_ + n_]);
    }
    float powers_[N_];
    for (int n_ = 0; n_ < N_; n_++) {
        powers_[n_] = exp(xs_[N_ * m_ + n_] - acc_);
    }
    float a_ = 0.0f;
    for (int n_ = 0; n_ < N_; n_++) {
        a_ += powers_[n_];
    }
    const float nearer_ = fabs(a_) > 1.2676506e30f ? 5.421011e-20f : fabs(a_) < 7.888609e-31f ? 1.8446744e19f : 1.0f;
    const float reciprocal_ = 1.0f / (a_ * nearer_);
    for (int n_ = 0; n_ < N_; n_++) {
        output_[N_ * m_ + n_] = powers_[n_] * nearer_ * reciprocal_;
    }
}
