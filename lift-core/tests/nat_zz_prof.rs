mod nat_common;
use nat_common::*;
#[test] fn prof() {
  for (k,c) in [("0 <= i < H*W*C", "i / (W*C) < H && i / C % W < W && i % C < C"),("0 <= i < H*W*C","i / C % W < W"),("0 <= i < H*W*C","i / (W*C) < H"),("0 <= i < H*W*C","i%C < C"),
   ("0 <= h < H; 0 <= w < W; 0 <= c < C", "(h*W*C + w*C + c) / (W*C) == h"),("N * M % 4 == 0", "(N * M) / 4 * 4 == N * M"),("", "(W + 2 - 3) / 1 + 1 == W"),("0 <= i < N; 0 <= j < 4", "0 <= i*4 + j && i*4 + j < 4*N"), ("0 <= h < H; 0 <= w < W; 0 <= c < C", "h*W*C + w*C + c < H*W*C"),("", "N == M"),("","H - KH + 3 >= 1")] {
    let c=c.replace("0 <= i*4 + j &&","");
    let f=facts(k,&[&c]); let cond=condition(&c);
    let t=std::time::Instant::now(); let mut a=None;
    for _ in 0..20 { a=Some(f.prove(&cond)); }
    println!("{:>8} us {k} |- {c}: {a:?}", t.elapsed().as_micros()/20);
  }
}
