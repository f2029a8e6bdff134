//! Exact fractions that notice when they get too large.

/// In lowest terms, the denominator positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rational {
    num: i128,
    den: i128,
}

impl Rational {
    pub const ZERO: Rational = Rational { num: 0, den: 1 };
    pub const ONE: Rational = Rational { num: 1, den: 1 };

    pub fn from(n: i128) -> Rational {
        Rational { num: n, den: 1 }
    }

    /// In lowest terms; `None` for a denominator of 0 and beyond 128 bits.
    fn new(num: i128, den: i128) -> Option<Rational> {
        let divisor = gcd(num.checked_abs()?, den.checked_abs()?);
        let (num, den) = (num.checked_div(divisor)?, den.checked_div(divisor)?);
        if den < 0 {
            Some(Rational { num: num.checked_neg()?, den: den.checked_neg()? })
        } else {
            Some(Rational { num, den })
        }
    }

    /// -1, 0 or 1.
    pub fn sign(self) -> i128 {
        self.num.signum()
    }

    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    /// `self - other`; `None` beyond 128 bits, as of every operation here.
    pub fn minus(self, other: Rational) -> Option<Rational> {
        // Nearly all numbers of a table are integers: no common denominator has to be found.
        if self.den == other.den {
            let num = self.num.checked_sub(other.num)?;
            return if self.den == 1 { Some(Rational { num, den: 1 }) } else { Rational::new(num, self.den) };
        }
        let num = self.num.checked_mul(other.den)?.checked_sub(other.num.checked_mul(self.den)?)?;
        Rational::new(num, self.den.checked_mul(other.den)?)
    }

    /// `self * other`
    pub fn times(self, other: Rational) -> Option<Rational> {
        let num = self.num.checked_mul(other.num)?;
        match self.den.checked_mul(other.den)? {
            1 => Some(Rational { num, den: 1 }),
            den => Rational::new(num, den),
        }
    }

    /// `self / other`; `None` for 0 as well.
    pub fn over(self, other: Rational) -> Option<Rational> {
        if other == Rational::ONE {
            return Some(self);
        }
        Rational::new(self.num.checked_mul(other.den)?, self.den.checked_mul(other.num)?)
    }

    /// `self < other`
    pub fn less(self, other: Rational) -> Option<bool> {
        Some(self.num.checked_mul(other.den)? < other.num.checked_mul(self.den)?)
    }

    /// The smallest integer that is not less.
    pub fn ceil(self) -> i128 {
        self.num.div_euclid(self.den).saturating_add(i128::from(self.num.rem_euclid(self.den) != 0))
    }
}

/// Of numbers that are not negative. Dividing 128 bits takes many times as long as dividing 64.
fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return x.into();
        }
        (a, b) = (b, a % b);
    }
    a
}
