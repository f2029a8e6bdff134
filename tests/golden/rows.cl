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
    for (int n_ = 0; n_ < N_; n_++) {
        output_[N_ * m_ + n_] = powers_[n_] / a_;
    }
}
