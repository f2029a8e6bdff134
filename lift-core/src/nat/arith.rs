//! `+`, `-`, `*` and conversions.

use super::{Nat, Var};
use std::ops::{Add, Mul, Neg, Sub};

macro_rules! operator {
    ($Trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $Trait<&Nat> for &Nat {
            type Output = Nat;
            fn $method(self, other: &Nat) -> Nat {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $Trait<Nat> for &Nat {
            type Output = Nat;
            fn $method(self, other: Nat) -> Nat {
                self.$method(&other)
            }
        }
        impl $Trait<&Nat> for Nat {
            type Output = Nat;
            fn $method(self, other: &Nat) -> Nat {
                (&self).$method(other)
            }
        }
        impl $Trait<Nat> for Nat {
            type Output = Nat;
            fn $method(self, other: Nat) -> Nat {
                (&self).$method(&other)
            }
        }
        impl $Trait<i64> for &Nat {
            type Output = Nat;
            fn $method(self, other: i64) -> Nat {
                self.$method(&Nat::constant(other))
            }
        }
        impl $Trait<i64> for Nat {
            type Output = Nat;
            fn $method(self, other: i64) -> Nat {
                (&self).$method(&Nat::constant(other))
            }
        }
    };
}

operator!(Add, add, |a, b| a.plus(b));
operator!(Sub, sub, |a, b| a.minus(b));
operator!(Mul, mul, |a, b| a.times(b));

impl Neg for &Nat {
    type Output = Nat;
    fn neg(self) -> Nat {
        self.scaled(-1)
    }
}

impl Neg for Nat {
    type Output = Nat;
    fn neg(self) -> Nat {
        self.scaled(-1)
    }
}

impl From<i64> for Nat {
    fn from(n: i64) -> Nat {
        Nat::constant(n)
    }
}

impl From<i32> for Nat {
    fn from(n: i32) -> Nat {
        Nat::constant(n.into())
    }
}

impl From<u32> for Nat {
    fn from(n: u32) -> Nat {
        Nat::constant(n.into())
    }
}

/// Numbers beyond `i64` keep their value, in two parts.
impl From<usize> for Nat {
    fn from(n: usize) -> Nat {
        match i64::try_from(n) {
            Ok(n) => Nat::constant(n),
            Err(_) => &(&Nat::from(n / 2) * 2) + &Nat::constant((n % 2) as i64),
        }
    }
}

impl From<&Var> for Nat {
    fn from(v: &Var) -> Nat {
        Nat::var(v)
    }
}
