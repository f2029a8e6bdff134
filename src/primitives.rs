//! The reference of everything that can be called inside [`lift!`](crate::lift): each entry with its type, what
//! it does, a picture and an example.
//!
//! A lower-case name in a type is a size, a capital letter any type, `S` any type of scalars, `R` any type of numbers,
//! and `<S; v>` a vector of `v` scalars. The functions are here to be read, by you and by your editor; they can be
//! called inside `lift!` only.

// Made from the compiler's table of primitives by `LIFT_UPDATE_GOLDEN=1 cargo test --test reference`.

#![allow(non_snake_case, unused_variables, clippy::too_many_arguments)]

/// A length, or an index: arithmetic over size parameters.
pub enum Size {}

/// A lambda, or the name of a function.
pub enum Function {}

/// `[T; n]`
pub enum Array {}

/// A scalar, a vector, a tuple, or an array.
pub enum Value {}

fn inside_lift<T>() -> T {
    unreachable!("the functions of `lift::primitives` are called inside `lift!`")
}

/// Applies a function to every element.
///
/// ```text
/// map : (T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// xs         a     b     c
/// map(f, xs) f(a)  f(b)  f(c)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map(|x| x * x, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 4, 9]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn map(f: Function, xs: Array) -> Array {
    inside_lift()
}

/// Combines all elements into one value, from the left, starting with `init`: of no elements it is `init`.
///
/// Schedules may reassociate `+ * min max` and the like; `#[strict]` on the function forbids it for floats.
///
/// ```text
/// reduce : (U, (U, T) -> U, [T; n]) -> U
/// ```
///
/// ```text
/// xs                    a b c
/// reduce(init, f, xs)   f(f(f(init, a), b), c)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| reduce(10, |acc, x| acc + x, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, 16);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn reduce(x: Value, f: Function, xs: Array) -> Value {
    inside_lift()
}

/// Like `reduce`, and keeps every intermediate result: n of them, the first after one element.
///
/// `init` itself is not among them, so the last one is what `reduce` gives.
///
/// ```text
/// scan : (U, (U, T) -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// xs                  a           b                 c
/// scan(init, f, xs)   f(init, a)  f(f(init, a), b)  f(f(f(init, a), b), c)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| scan(0, |acc, x| acc + x, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 3, 6]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn scan(x: Value, f: Function, xs: Array) -> Array {
    inside_lift()
}

/// The index and the value of the best element, where `f(best, x)` says whether `x` is better than the best so far.
///
/// Elements are compared in order: `x > best` finds the first of the largest, `x >= best` the last of them, `x < best` the first of the smallest. With these no NaN is ever better, and nothing is better than a NaN, which is found if it comes first; `x > best || best != best` finds the largest number wherever NaNs are. The index is an `i32`, so an array has fewer than 2^31 elements.
///
/// ```text
/// argBest : ((T, T) -> bool, [T; n]) -> (i32, T)
/// ```
///
/// ```text
/// xs                                3       7       1       7
/// best so far                       (0, 3)  (1, 7)  (1, 7)  (1, 7)
/// argBest(|best, x| x > best, xs)                           (1, 7)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| argBest(|best, x| x > best, [3, 7, 1, 7]))(&Device::cpu())?;
/// assert_eq!(value, (1, 7));
/// # Ok::<(), lift::Error>(())
/// ```
pub fn argBest(f: Function, xs: Array) -> Value {
    inside_lift()
}

/// Applies a function `m` times, each time to what it gave before; where `m` is 0 not at all.
///
/// ```text
/// iterate : (m, T -> T, T) -> T
/// ```
///
/// ```text
/// iterate(3, f, x)   f(f(f(x)))
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| iterate(3, |x| x * 2, 1))(&Device::cpu())?;
/// assert_eq!(value, 8);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn iterate(m: Size, f: Function, x: Value) -> Value {
    inside_lift()
}

/// The array of `f(0)`, `f(1)`, … `f(n - 1)`. The index is a size: `i as f32` makes a number of it.
///
/// ```text
/// generate : (n, index(n) -> T) -> [T; n]
/// ```
///
/// ```text
/// generate(3, f)   f(0)  f(1)  f(2)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| generate(4, |i| (i * i) as i32))(&Device::cpu())?;
/// assert_eq!(value, array![0, 1, 4, 9]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn generate(n: Size, f: Function) -> Array {
    inside_lift()
}

/// An array of `n` times the same value.
///
/// ```text
/// repeat : (n, T) -> [T; n]
/// ```
///
/// ```text
/// repeat(3, x)   x  x  x
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| repeat(3, 7))(&Device::cpu())?;
/// assert_eq!(value, array![7, 7, 7]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn repeat(n: Size, x: Value) -> Array {
    inside_lift()
}

/// Cuts an array into rows of `m` elements.
///
/// ```text
/// split : (m, [T; n]) -> [[T; m]; n / m]
/// ```
///
/// ```text
/// xs            a  b  c  d  e  f
/// split(2, xs)  [a b] [c d] [e f]
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| split(2, [1, 2, 3, 4]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2], [3, 4]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn split(m: Size, xs: Array) -> Array {
    inside_lift()
}

/// Puts the rows of an array one after the other: the inverse of `split`.
///
/// ```text
/// join : ([[T; m]; n]) -> [T; n * m]
/// ```
///
/// ```text
/// xss        [a b] [c d] [e f]
/// join(xss)  a  b  c  d  e  f
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| join([[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn join(xss: Array) -> Array {
    inside_lift()
}

/// Cuts an array into rows of `m` elements, of which the last one ends where the array does: if the rows do not fill the array exactly, it begins inside the row before it.
///
/// ```text
/// splitOverlap : (m, [T; n]) -> [[T; m]; (n + m - 1) / m]
/// ```
///
/// ```text
/// xs                   a  b  c  d  e
/// splitOverlap(3, xs)  [a  b  c]
///                           [c  d  e]
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| splitOverlap(3, [1, 2, 3, 4, 5]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2, 3], [3, 4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn splitOverlap(m: Size, xs: Array) -> Array {
    inside_lift()
}

/// The array of `n` elements that `splitOverlap` cut into these rows: its inverse.
///
/// Of two rows that have an element the last one says what it is.
///
/// ```text
/// joinOverlap : (n, [[T; m]; k]) -> [T; n]
/// ```
///
/// ```text
/// xss                  [a  b  c]
///                           [c  d  e]
/// joinOverlap(5, xss)  a  b  c  d  e
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| joinOverlap(5, [[1, 2, 3], [3, 4, 5]]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4, 5]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn joinOverlap(n: Size, xss: Array) -> Array {
    inside_lift()
}

/// Swaps the two outer dimensions.
///
/// ```text
/// transpose : ([[T; m]; n]) -> [[T; n]; m]
/// ```
///
/// ```text
/// xss   a b c     transpose(xss)   a d
///       d e f                      b e
///                                  c f
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| transpose([[1, 2, 3], [4, 5, 6]]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 4], [2, 5], [3, 6]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn transpose(xss: Array) -> Array {
    inside_lift()
}

/// Moves a window of `size` elements over an array by `step` elements at a time.
///
/// Elements after the last whole window are not used.
///
/// ```text
/// slide : (size, step, [T; n]) -> [[T; size]; (n - size + step) / step]
/// ```
///
/// ```text
/// xs               a  b  c  d  e  f
/// slide(3, 2, xs)  [a  b  c]
///                        [c  d  e]     and no window has f
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| slide(3, 2, [1, 2, 3, 4, 5, 6]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2, 3], [3, 4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn slide(size: Size, step: Size, xs: Array) -> Array {
    inside_lift()
}

/// Like `slide`, where the windows must cover the array exactly (GPGPU'20 §5.2).
///
/// ```text
/// slideStrict : (size, step, [T; n]) -> [[T; size]; (n - size + step) / step]
/// ```
///
/// ```text
/// xs                     a  b  c  d  e
/// slideStrict(3, 2, xs)  [a  b  c]
///                              [c  d  e]
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| slideStrict(3, 2, [1, 2, 3, 4, 5]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2, 3], [3, 4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn slideStrict(size: Size, step: Size, xs: Array) -> Array {
    inside_lift()
}

/// The array that windows were moved over by `step` elements at a time: the inverse of `slide`.
///
/// Of the windows that have an element the last one says what it is.
///
/// ```text
/// unslide : (step, [[T; size]; n]) -> [T; (n - 1) * step + size]
/// ```
///
/// ```text
/// xss              [a  b  c]
///                        [c  d  e]
/// unslide(2, xss)  a  b  c  d  e
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| unslide(1, [[1, 2, 3], [2, 3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn unslide(step: Size, xss: Array) -> Array {
    inside_lift()
}

/// The elements in the opposite order.
///
/// ```text
/// reverse : ([T; n]) -> [T; n]
/// ```
///
/// ```text
/// xs           a  b  c
/// reverse(xs)  c  b  a
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| reverse([1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![3, 2, 1]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn reverse(xs: Array) -> Array {
    inside_lift()
}

/// The first `m` elements: the number comes first, then the array.
///
/// ```text
/// take : (m, [T; n]) -> [T; m]
/// ```
///
/// ```text
/// xs           a  b  c  d
/// take(2, xs)  a  b
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| take(2, [1, 2, 3, 4]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn take(m: Size, xs: Array) -> Array {
    inside_lift()
}

/// All but the first `m` elements: the number comes first, then the array.
///
/// ```text
/// drop : (m, [T; n]) -> [T; n - m]
/// ```
///
/// ```text
/// xs           a  b  c  d
/// drop(2, xs)        c  d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| drop(3, [1, 2, 3, 4]))(&Device::cpu())?;
/// assert_eq!(value, array![4]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn drop(m: Size, xs: Array) -> Array {
    inside_lift()
}

/// The element with this index, also written `xs[i]`.
///
/// An index is made of sizes, numbers and the indices of `generate` and `reorder`, and is proved to be in range.
///
/// ```text
/// at : (i, [T; n]) -> T
/// ```
///
/// ```text
/// xs         a  b  c
/// at(1, xs)     b
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| at(1, [10, 20, 30]))(&Device::cpu())?;
/// assert_eq!(value, 20);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn at(i: Size, xs: Array) -> Value {
    inside_lift()
}

/// Element `i` of the result is element `f(i)`.
///
/// `stridedIndex(s)` is such an `f`: i ↦ i / n + s * (i % n) with n = L / s on length L.
///
/// ```text
/// reorder : (index(n) -> index(n), [T; n]) -> [T; n]
/// ```
///
/// ```text
/// xs                     a  b  c  d
/// reorder(|i| 3 - i, xs) d  c  b  a
/// reorder(stridedIndex(2), xs)
///                        a  c  b  d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| reorder(|i| (i + 1) % 4, [1, 2, 3, 4]))(&Device::cpu())?;
/// assert_eq!(value, array![2, 3, 4, 1]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn reorder(f: Function, xs: Array) -> Array {
    inside_lift()
}

/// Adds `l` copies of a value before an array and `r` after it. Negative amounts crop.
///
/// A scalar value fills elements that are arrays.
///
/// ```text
/// pad : (l, r, fill T, [T; n]) -> [T; l + n + r]
/// ```
///
/// ```text
/// xs                     a  b  c
/// pad(2, 1, x, xs)  x  x  a  b  c  x
/// pad(-1, 0, x, xs)          b  c
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| pad(2, 1, 0, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![0, 0, 1, 2, 3, 0]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn pad(l: Size, r: Size, value: Value, xs: Array) -> Array {
    inside_lift()
}

/// Like `pad`, with copies of the first and the last element.
///
/// ```text
/// padClamp : (l, r, [T; n]) -> [T; l + n + r]
/// ```
///
/// ```text
/// xs                        a  b  c
/// padClamp(2, 1, xs)  a  a  a  b  c  c
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padClamp(2, 1, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 1, 1, 2, 3, 3]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padClamp(l: Size, r: Size, xs: Array) -> Array {
    inside_lift()
}

/// Like `pad`, reflecting the array at its ends, the end elements repeated: `b a | a b c`, not `c b | a b c`.
///
/// ```text
/// padMirror : (l, r, [T; n]) -> [T; l + n + r]
/// ```
///
/// ```text
/// xs                         a  b  c
/// padMirror(2, 1, xs)  b  a  a  b  c  c
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padMirror(2, 1, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![2, 1, 1, 2, 3, 3]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padMirror(l: Size, r: Size, xs: Array) -> Array {
    inside_lift()
}

/// Like `pad`, as if the array were a ring.
///
/// ```text
/// padWrap : (l, r, [T; n]) -> [T; l + n + r]
/// ```
///
/// ```text
/// xs                       a  b  c
/// padWrap(2, 1, xs)  b  c  a  b  c  a
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padWrap(2, 1, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![2, 3, 1, 2, 3, 1]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padWrap(l: Size, r: Size, xs: Array) -> Array {
    inside_lift()
}

/// Arrays of one length as one array of tuples.
///
/// ```text
/// zip : ([T0; n], [T1; n]) -> [(T0, T1); n]
/// zip : ([T0; n], [T1; n], [T2; n]) -> [(T0, T1, T2); n]
/// …
/// ```
///
/// ```text
/// xs           a      b      c
/// ys           d      e      f
/// zip(xs, ys)  (a, d) (b, e) (c, f)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map(|(x, y)| x * y, zip([1, 2, 3], [4, 5, 6])))(&Device::cpu())?;
/// assert_eq!(value, array![4, 10, 18]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn zip(xs: Array, ys: Array) -> Array {
    inside_lift()
}

/// An array of tuples as a tuple of arrays: the inverse of `zip`.
///
/// ```text
/// unzip : ([(T0, T1); n]) -> ([T0; n], [T1; n])
/// unzip : ([(T0, T1, T2); n]) -> ([T0; n], [T1; n], [T2; n])
/// …
/// ```
///
/// ```text
/// xys         (a, d) (b, e) (c, f)
/// unzip(xys)  ([a  b  c], [d  e  f])
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| unzip(map(|x| (x, x * x), [1, 2, 3])))(&Device::cpu())?;
/// assert_eq!(value, (array![1, 2, 3], array![1, 4, 9]));
/// # Ok::<(), lift::Error>(())
/// ```
pub fn unzip(xs: Array) -> Value {
    inside_lift()
}

/// One array after the other.
///
/// ```text
/// concat : ([T; n0], [T; n1]) -> [T; n0 + n1]
/// concat : ([T; n0], [T; n1], [T; n2]) -> [T; n0 + n1 + n2]
/// …
/// ```
///
/// ```text
/// xs              a  b
/// ys                    c  d  e
/// concat(xs, ys)  a  b  c  d  e
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| concat([1, 2], [3], [4, 5]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4, 5]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn concat(xs: Array, ys: Array) -> Array {
    inside_lift()
}

/// `map` whose iterations are the global work-items of dimension `d`: 0, 1 or 2.
///
/// Neighbouring work-items differ in dimension 0.
///
/// ```text
/// mapGlb : (d, T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// work-item           0     1     2
/// mapGlb(0, f, xs)    f(a)  f(b)  f(c)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |x| x * x, [1, 2, 3]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 4, 9]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn mapGlb(d: Size, f: Function, xs: Array) -> Array {
    inside_lift()
}

/// `map` whose iterations are the work-groups of dimension `d`: 0, 1 or 2.
///
/// A `mapLcl` of the same dimension, inside, says what each work-item of a group does.
///
/// ```text
/// mapWrg : (d, T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// work-group                                        0            1
/// work-item of it                                   0     1      0     1
/// mapWrg(0, |row| mapLcl(0, f, row), split(2, xs))  f(a)  f(b)   f(c)  f(d)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| join(mapWrg(0, |row| mapLcl(0, |x| x * x, row), split(2, [1, 2, 3, 4]))))(&Device::cpu())?;
/// assert_eq!(value, array![1, 4, 9, 16]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn mapWrg(d: Size, f: Function, xs: Array) -> Array {
    inside_lift()
}

/// `map` whose iterations are the work-items of a group, in dimension `d`: 0, 1 or 2.
///
/// It stands inside a `mapWrg` of the same dimension.
///
/// ```text
/// mapLcl : (d, T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// work-group                                        0            1
/// work-item of it                                   0     1      0     1
/// mapWrg(0, |row| mapLcl(0, f, row), split(2, xs))  f(a)  f(b)   f(c)  f(d)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapWrg(0, |row| mapLcl(0, |x| x + 1, row), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[2, 3], [4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn mapLcl(d: Size, f: Function, xs: Array) -> Array {
    inside_lift()
}

/// `map` in a loop of one work-item.
///
/// ```text
/// mapSeq : (T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// mapSeq(f, xs)   for i { out[i] = f(xs[i]); }
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| mapSeq(|x| x + 1, row), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[2, 3], [4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn mapSeq(f: Function, xs: Array) -> Array {
    inside_lift()
}

/// `mapSeq` as an unrolled loop.
///
/// ```text
/// mapSeqUnroll : (T -> U, [T; n]) -> [U; n]
/// ```
///
/// ```text
/// mapSeqUnroll(f, xs)   out[0] = f(xs[0]); out[1] = f(xs[1]); …
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| mapSeqUnroll(|x| x + 1, row), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[2, 3], [4, 5]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn mapSeqUnroll(f: Function, xs: Array) -> Array {
    inside_lift()
}

/// `reduce` in a loop of one work-item, in the order of the elements.
///
/// ```text
/// reduceSeq : (U, (U, T) -> U, [T; n]) -> U
/// ```
///
/// ```text
/// reduceSeq(init, f, xs)   acc = init; for i { acc = f(acc, xs[i]); }
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| reduceSeq(0, |acc, x| acc + x, row), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![3, 7]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn reduceSeq(x: Value, f: Function, xs: Array) -> Value {
    inside_lift()
}

/// `reduceSeq` as an unrolled loop.
///
/// ```text
/// reduceSeqUnroll : (U, (U, T) -> U, [T; n]) -> U
/// ```
///
/// ```text
/// reduceSeqUnroll(init, f, xs)   acc = f(acc, xs[0]); acc = f(acc, xs[1]); …
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| reduceSeqUnroll(0, |acc, x| acc + x, row), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![3, 7]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn reduceSeqUnroll(x: Value, f: Function, xs: Array) -> Value {
    inside_lift()
}

/// Computes a value once and keeps it in global memory.
///
/// ```text
/// toGlobal : (T) -> T
/// ```
///
/// ```text
/// toGlobal(e)   __global int kept[…]; kept = e
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |x| x + 1, toGlobal(mapGlb(0, |x| x * x, [1, 2]))))(&Device::cpu())?;
/// assert_eq!(value, array![2, 5]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn toGlobal(x: Value) -> Value {
    inside_lift()
}

/// Computes a value once and keeps it in the memory of a work-group.
///
/// ```text
/// toLocal : (T) -> T
/// ```
///
/// ```text
/// toLocal(e)   __local int kept[…]; kept = e; barrier
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapWrg(0, |row| mapLcl(0, |x| x + 1, reverse(toLocal(mapLcl(0, |x| x, row)))), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[3, 2], [5, 4]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn toLocal(x: Value) -> Value {
    inside_lift()
}

/// Like `toLocal`, with `p` unused elements after each row.
///
/// So the elements of a column lie in different banks of the memory, and work-items read them without bank conflicts.
///
/// ```text
/// toLocalPitched : (p, [[T; m]; n]) -> [[T; m]; n]
/// ```
///
/// ```text
/// toLocalPitched(1, xss)   a b c _
///                          d e f _
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapWrg(0, |xss| mapLcl(0, |xs| mapSeq(|x| x + 1, xs), transpose(toLocalPitched(1, mapLcl(0, |xs| mapSeq(|x| x, xs), xss)))), [[[1, 2], [3, 4]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[2, 4], [3, 5]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn toLocalPitched(p: Size, xss: Array) -> Array {
    inside_lift()
}

/// Computes a value once and keeps it in the memory of one work-item.
///
/// ```text
/// toPrivate : (T) -> T
/// ```
///
/// ```text
/// toPrivate(e)   int kept[…]; kept = e
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| mapSeq(|x| x + 1, mapSeq(|x| toPrivate(x * 2), row)), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[3, 5], [7, 9]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn toPrivate(x: Value) -> Value {
    inside_lift()
}

/// Computes a value once, in `mapLcl`s, and keeps it in the registers of the group's work-items: each has
///
/// the elements at its own indices, and no other work-item may read them.
///
/// ```text
/// toItems : (T) -> T
/// ```
///
/// ```text
/// toItems(mapLcl(0, f, xs))   work-item i: kept = f(xs[i])
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapWrg(0, |row| mapLcl(0, |x| x + 1, toItems(mapLcl(0, |x| x * x, row))), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[2, 5], [10, 17]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn toItems(x: Value) -> Value {
    inside_lift()
}

/// For the array of a `reduceSeq`: each element is prefetched into registers during the step that uses the one
///
/// before it. This hides the latency of loads (software pipelining).
///
/// ```text
/// ahead : ([T; n]) -> [T; n]
/// ```
///
/// ```text
/// reduceSeq(z, f, ahead(map(g, xs)))   y = g(xs[0]);
///                                      for i { use of y in f; y = g(xs[i + 1]); rest of f }
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| reduceSeq(0, |acc, x| acc + x, ahead(map(|x| toPrivate(x * x), row))), [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![5, 25]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn ahead(xs: Array) -> Array {
    inside_lift()
}

/// For the array of windows of a `mapSeq` or `reduceSeq`: the current window is kept in registers, and the elements
///
/// that it shares with the next are moved, so that each element is loaded once. Windows that share no elements, or
/// hold more than 64 numbers, are refused.
///
/// ```text
/// rotated : ([[T; m]; n]) -> [[T; m]; n]
/// ```
///
/// ```text
/// mapSeq(f, rotated(slide(3, 1, xs)))   a = xs[0]; b = xs[1];
///                                       for i { c = xs[i + 2]; out[i] = f([a, b, c]); a = b; b = c; }
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |row| mapSeq(|w| reduceSeq(0, |acc, x| acc + x, w), rotated(slide(2, 1, row))), [[1, 2, 3], [4, 5, 6]]))(&Device::cpu())?;
/// assert_eq!(value, array![[3, 5], [9, 11]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn rotated(xss: Array) -> Array {
    inside_lift()
}

/// For the array of a placed `map`: peels its loop, so that only elements at the ends have guards.
///
/// The elements between them must then need fewer guards, against padding or against the part of the last tile that
/// is beyond the result. Where nested maps are all `peeled`, an element at the end of any of them has guards.
///
/// ```text
/// peeled : ([T; n]) -> [T; n]
/// ```
///
/// ```text
/// mapSeq(f, peeled(slide(3, 1, pad(1, 1, 0, xs))))   for i { if (i is inside) { no test } else { tests } }
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| mapGlb(0, |w| reduceSeq(0, |acc, x| acc + x, w), peeled(slide(3, 1, pad(1, 1, 0, [1, 2, 3, 4])))))(&Device::cpu())?;
/// assert_eq!(value, array![3, 6, 9, 7]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn peeled(xs: Array) -> Array {
    inside_lift()
}

/// Groups of `v` neighbouring scalars as vectors of width 1, 2, 4, 8 or 16.
///
/// ```text
/// asVector : (v, [S; n]) -> [<S; v>; n / v]
/// ```
///
/// ```text
/// xs               a  b  c  d
/// asVector(2, xs)  <a b>  <c d>
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| asScalar(map(|v| v * 10, asVector(2, [1, 2, 3, 4]))))(&Device::cpu())?;
/// assert_eq!(value, array![10, 20, 30, 40]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn asVector(v: Size, xs: Array) -> Array {
    inside_lift()
}

/// The elements of vectors, one after the other: the inverse of `asVector`.
///
/// ```text
/// asScalar : ([<S; v>; n]) -> [S; n * v]
/// ```
///
/// ```text
/// vs            <a b>  <c d>
/// asScalar(vs)  a  b  c  d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| asScalar(map(|v| v + v, asVector(2, [1, 2, 3, 4]))))(&Device::cpu())?;
/// assert_eq!(value, array![2, 4, 6, 8]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn asScalar(xs: Array) -> Array {
    inside_lift()
}

/// The sum of the products of two vectors’ elements, or of two arrays’.
///
/// ```text
/// dot : (<R; v>, <R; v>) -> R
/// dot : ([R; v], [R; v]) -> R
/// ```
///
/// ```text
/// dot(<a b>, <c d>)   a * c + b * d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map(|v| dot(v, v), asVector(2, [1, 2, 3, 4])))(&Device::cpu())?;
/// assert_eq!(value, array![5, 25]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn dot(x: Value, y: Value) -> Value {
    inside_lift()
}

/// The function `f`, applied to vectors of `v` scalars.
///
/// ```text
/// vectorize : (v, <S; v> -> U) -> (<S; v> -> U)
/// ```
///
/// ```text
/// vectorize(2, f)(<a b>)   f(<a b>)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| asScalar(map(vectorize(2, |v| v + v), asVector(2, [1, 2, 3, 4]))))(&Device::cpu())?;
/// assert_eq!(value, array![2, 4, 6, 8]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn vectorize(v: Size, f: Function) -> Function {
    inside_lift()
}

/// Applies a function to every element of an array of arrays.
///
/// ```text
/// map2D : (T -> U, [[T; m]; n]) -> [[U; m]; n]
/// ```
///
/// ```text
/// xss           a b     map2D(f, xss)   f(a) f(b)
///               c d                     f(c) f(d)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map2D(|x| x * x, [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 4], [9, 16]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn map2D(f: Function, xss: Array) -> Array {
    inside_lift()
}

/// Applies a function to every element of a 3-dimensional array.
///
/// ```text
/// map3D : (T -> U, [[[T; l]; m]; n]) -> [[[U; l]; m]; n]
/// ```
///
/// ```text
/// map3D(f, xsss)   map(|plane| map(|row| map(f, row), plane), xsss)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map3D(|x| x + 1, [[[1, 2]], [[3, 4]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[2, 3]], [[4, 5]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn map3D(f: Function, xsss: Array) -> Array {
    inside_lift()
}

/// Arrays of arrays, of one shape, as one of tuples.
///
/// ```text
/// zip2D : ([[T; m]; n], [[U; m]; n], …) -> [[(T, U); m]; n]
/// ```
///
/// ```text
/// xss   a b    yss   e f    zip2D(xss, yss)   (a, e) (b, f)
///       c d          g h                      (c, g) (d, h)
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map2D(|(x, y)| x * y, zip2D([[1, 2]], [[3, 4]])))(&Device::cpu())?;
/// assert_eq!(value, array![[3, 8]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn zip2D(xss: Array, yss: Array) -> Array {
    inside_lift()
}

/// 3-dimensional arrays of one shape as one of tuples.
///
/// ```text
/// zip3D : ([[[T; l]; m]; n], [[[U; l]; m]; n], …) -> [[[(T, U); l]; m]; n]
/// ```
///
/// ```text
/// zip3D(xsss, ysss)   element [i][j][k] is (xsss[i][j][k], ysss[i][j][k])
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map3D(|(x, y)| x * y, zip3D([[[1, 2]]], [[[3, 4]]])))(&Device::cpu())?;
/// assert_eq!(value, array![[[3, 8]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn zip3D(xsss: Array, ysss: Array) -> Array {
    inside_lift()
}

/// Windows of `r` rows and `c` columns, moved by `(v, h)`: down and to the right.
///
/// ```text
/// slide2D : ((r, c), (v, h), [[T; w]; n]) -> [[[[T; c]; r]; (w - c + h) / h]; (n - r + v) / v]
/// ```
///
/// ```text
/// xss   a b c     slide2D((2, 2), (1, 1), xss)   a b   b c
///       d e f                                    d e   e f
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map2D(join, slide2D((2, 2), (1, 1), [[1, 2, 3], [4, 5, 6]])))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 2, 4, 5], [2, 3, 5, 6]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn slide2D((r, c): (Size, Size), (v, h): (Size, Size), xss: Array) -> Array {
    inside_lift()
}

/// Like `slide2D`, where the windows must cover the array exactly.
///
/// ```text
/// slideStrict2D : ((r, c), (v, h), [[T; w]; n]) -> [[[[T; c]; r]; (w - c + h) / h]; (n - r + v) / v]
/// ```
///
/// ```text
/// xss   a b c d     slideStrict2D((1, 2), (1, 2), xss)   a b   c d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map2D(join, slideStrict2D((1, 2), (1, 2), [[1, 2, 3, 4]])))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 2], [3, 4]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn slideStrict2D((r, c): (Size, Size), (v, h): (Size, Size), xss: Array) -> Array {
    inside_lift()
}

/// Windows of `p` planes, `r` rows and `c` columns, moved by `(u, v, h)`.
///
/// ```text
/// slide3D : ((p, r, c), (u, v, h), [[[T; w]; n]; d]) -> [[[[[[T; c]; r]; p]; (w - c + h) / h]; (n - r + v) / v]; (d - p + u) / u]
/// ```
///
/// ```text
/// slide3D((p, r, c), (u, v, h), xsss)   windows of p planes, r rows, c columns, for each place one
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| join2D(map3D(join2D, slide3D((1, 1, 2), (1, 1, 1), [[[1, 2, 3]]]))))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2], [2, 3]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn slide3D((p, r, c): (Size, Size, Size), (u, v, h): (Size, Size, Size), xsss: Array) -> Array {
    inside_lift()
}

/// `pad` on the left, right, top and bottom: columns before and after each row, then rows before and after all.
///
/// A scalar value fills rows.
///
/// ```text
/// pad2D : (l, r, t, b, fill T, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]
/// ```
///
/// ```text
/// xss   a b     pad2D(1, 0, 0, 1, x, xss)   x a b
///       c d                                 x c d
///                                           x x x
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| pad2D(1, 0, 0, 1, 0, [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[0, 1, 2], [0, 3, 4], [0, 0, 0]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn pad2D(l: Size, r: Size, t: Size, b: Size, value: Value, xss: Array) -> Array {
    inside_lift()
}

/// `pad` on the left, right, top, bottom, front and back: the innermost dimension comes first.
///
/// ```text
/// pad3D : (l, r, t, b, f, k, fill T, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]
/// ```
///
/// ```text
/// pad3D(l, r, t, b, f, k, x, xsss)   pad2D of every plane, f planes of x before and k after
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| pad3D(1, 0, 0, 0, 1, 0, 0, [[[1]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[0, 0]], [[0, 1]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn pad3D(l: Size, r: Size, t: Size, b: Size, f: Size, k: Size, value: Value, xsss: Array) -> Array {
    inside_lift()
}

/// `padClamp` on the left, right, top and bottom.
///
/// ```text
/// padClamp2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]
/// ```
///
/// ```text
/// xss   a b     padClamp2D(1, 0, 0, 1, xss)   a a b
///       c d                              c c d
///                                        c c d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padClamp2D(1, 0, 0, 1, [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 1, 2], [3, 3, 4], [3, 3, 4]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padClamp2D(l: Size, r: Size, t: Size, b: Size, xss: Array) -> Array {
    inside_lift()
}

/// `padMirror` on the left, right, top and bottom.
///
/// ```text
/// padMirror2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]
/// ```
///
/// ```text
/// xss   a b     padMirror2D(1, 0, 0, 1, xss)   a a b
///       c d                               c c d
///                                         c c d
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padMirror2D(1, 0, 0, 1, [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 1, 2], [3, 3, 4], [3, 3, 4]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padMirror2D(l: Size, r: Size, t: Size, b: Size, xss: Array) -> Array {
    inside_lift()
}

/// `padWrap` on the left, right, top and bottom.
///
/// ```text
/// padWrap2D : (l, r, t, b, [[T; w]; h]) -> [[T; l + w + r]; t + h + b]
/// ```
///
/// ```text
/// xss   a b     padWrap2D(1, 0, 0, 1, xss)   b a b
///       c d                             d c d
///                                       b a b
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padWrap2D(1, 0, 0, 1, [[1, 2], [3, 4]]))(&Device::cpu())?;
/// assert_eq!(value, array![[2, 1, 2], [4, 3, 4], [2, 1, 2]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padWrap2D(l: Size, r: Size, t: Size, b: Size, xss: Array) -> Array {
    inside_lift()
}

/// `padClamp` on the left, right, top, bottom, front and back.
///
/// ```text
/// padClamp3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]
/// ```
///
/// ```text
/// padClamp3D(l, r, t, b, f, k, xsss)   padClamp2D of every plane, and the same among the planes
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padClamp3D(1, 0, 0, 0, 1, 0, [[[1]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 1]], [[1, 1]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padClamp3D(l: Size, r: Size, t: Size, b: Size, f: Size, k: Size, xsss: Array) -> Array {
    inside_lift()
}

/// `padMirror` on the left, right, top, bottom, front and back.
///
/// ```text
/// padMirror3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]
/// ```
///
/// ```text
/// padMirror3D(l, r, t, b, f, k, xsss)   padMirror2D of every plane, and the same among the planes
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padMirror3D(1, 0, 0, 0, 1, 0, [[[1]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 1]], [[1, 1]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padMirror3D(l: Size, r: Size, t: Size, b: Size, f: Size, k: Size, xsss: Array) -> Array {
    inside_lift()
}

/// `padWrap` on the left, right, top, bottom, front and back.
///
/// ```text
/// padWrap3D : (l, r, t, b, f, k, [[[T; w]; h]; d]) -> [[[T; l + w + r]; t + h + b]; f + d + k]
/// ```
///
/// ```text
/// padWrap3D(l, r, t, b, f, k, xsss)   padWrap2D of every plane, and the same among the planes
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| padWrap3D(1, 0, 0, 0, 1, 0, [[[1]]]))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 1]], [[1, 1]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn padWrap3D(l: Size, r: Size, t: Size, b: Size, f: Size, k: Size, xsss: Array) -> Array {
    inside_lift()
}

/// A 3-dimensional array as one long one.
///
/// ```text
/// join2D : ([[[T; c]; b]; a]) -> [T; a * b * c]
/// ```
///
/// ```text
/// xsss          [[a b] [c d]] [[e f] [g h]]
/// join2D(xsss)  a  b  c  d  e  f  g  h
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| join2D([[[1, 2], [3, 4]]]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn join2D(xsss: Array) -> Array {
    inside_lift()
}

/// A 4-dimensional array as one long one.
///
/// ```text
/// join3D : ([[[[T; d]; c]; b]; a]) -> [T; a * b * c * d]
/// ```
///
/// ```text
/// join3D(xssss)   join2D of every element, one after the other
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| join3D([[[[1, 2]], [[3, 4]]]]))(&Device::cpu())?;
/// assert_eq!(value, array![1, 2, 3, 4]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn join3D(xssss: Array) -> Array {
    inside_lift()
}

/// Cuts an image into tiles of `r` rows and `c` columns.
///
/// ```text
/// split2D : ((r, c), [[T; w]; h]) -> [[[[T; c]; r]; w / c]; h / r]
/// ```
///
/// ```text
/// xss   a b c d     split2D((2, 2), xss)   a b   c d
///       e f g h                            e f   g h
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| map2D(join, split2D((2, 2), [[1, 2, 3, 4], [5, 6, 7, 8]])))(&Device::cpu())?;
/// assert_eq!(value, array![[[1, 2, 5, 6], [3, 4, 7, 8]]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn split2D((r, c): (Size, Size), xss: Array) -> Array {
    inside_lift()
}

/// Puts tiles together: the inverse of `split2D`.
///
/// ```text
/// untile2D : ([[[[T; c]; r]; m]; n]) -> [[T; m * c]; n * r]
/// ```
///
/// ```text
/// tiles   a b   c d     untile2D(tiles)   a b c d
///         e f   g h                       e f g h
/// ```
///
/// ```
/// # use lift::prelude::*;
/// let value = lift!(|| untile2D(split2D((1, 2), [[1, 2, 3, 4]])))(&Device::cpu())?;
/// assert_eq!(value, array![[1, 2, 3, 4]]);
/// # Ok::<(), lift::Error>(())
/// ```
pub fn untile2D(xssss: Array) -> Array {
    inside_lift()
}

/// Of numbers, or of vectors of them: Rust’s [`f32::min`].
///
/// ```text
/// min : (S, S) -> S
/// ```
pub fn min(x: Value, y: Value) -> Value {
    inside_lift()
}

/// Of numbers, or of vectors of them: Rust’s [`f32::max`].
///
/// ```text
/// max : (S, S) -> S
/// ```
pub fn max(x: Value, y: Value) -> Value {
    inside_lift()
}

/// Of numbers, or of vectors of them: Rust’s [`f32::abs`].
///
/// ```text
/// abs : (S) -> S
/// ```
pub fn abs(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::sqrt`].
///
/// ```text
/// sqrt : (S) -> S
/// ```
pub fn sqrt(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::exp`].
///
/// ```text
/// exp : (S) -> S
/// ```
pub fn exp(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::exp2`].
///
/// ```text
/// exp2 : (S) -> S
/// ```
pub fn exp2(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::ln`].
///
/// ```text
/// ln : (S) -> S
/// ```
pub fn ln(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::log2`].
///
/// ```text
/// log2 : (S) -> S
/// ```
pub fn log2(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::log10`].
///
/// ```text
/// log10 : (S) -> S
/// ```
pub fn log10(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::sin`].
///
/// ```text
/// sin : (S) -> S
/// ```
pub fn sin(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::cos`].
///
/// ```text
/// cos : (S) -> S
/// ```
pub fn cos(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::tan`].
///
/// ```text
/// tan : (S) -> S
/// ```
pub fn tan(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::asin`].
///
/// ```text
/// asin : (S) -> S
/// ```
pub fn asin(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::acos`].
///
/// ```text
/// acos : (S) -> S
/// ```
pub fn acos(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::atan`].
///
/// ```text
/// atan : (S) -> S
/// ```
pub fn atan(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::atan2`].
///
/// ```text
/// atan2 : (S, S) -> S
/// ```
pub fn atan2(x: Value, y: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::sinh`].
///
/// ```text
/// sinh : (S) -> S
/// ```
pub fn sinh(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::cosh`].
///
/// ```text
/// cosh : (S) -> S
/// ```
pub fn cosh(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::tanh`].
///
/// ```text
/// tanh : (S) -> S
/// ```
pub fn tanh(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::floor`].
///
/// ```text
/// floor : (S) -> S
/// ```
pub fn floor(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::ceil`].
///
/// ```text
/// ceil : (S) -> S
/// ```
pub fn ceil(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::round`].
///
/// ```text
/// round : (S) -> S
/// ```
pub fn round(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::trunc`].
///
/// ```text
/// trunc : (S) -> S
/// ```
pub fn trunc(x: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::powf`].
///
/// ```text
/// pow : (S, S) -> S
/// ```
pub fn pow(x: Value, y: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::hypot`].
///
/// ```text
/// hypot : (S, S) -> S
/// ```
pub fn hypot(x: Value, y: Value) -> Value {
    inside_lift()
}

/// Of floats, or of vectors of them: Rust’s [`f32::mul_add`].
///
/// ```text
/// fma : (S, S, S) -> S
/// ```
pub fn fma(x: Value, y: Value, z: Value) -> Value {
    inside_lift()
}
