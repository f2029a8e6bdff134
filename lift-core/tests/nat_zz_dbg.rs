mod nat_common;
use nat_common::*;
#[test]
fn dbg() {
    for (k, c) in [
        ("KH <= H; KW <= W; 0 <= p < (H-KH+1)*(W-KW+1)", "p / (W-KW+1) < H - KH + 1"),
        ("KH <= H; KW <= W; 0 <= p < (H-KH+1)*(W-KW+1)", "p % (W-KW+1) < W - KW + 1"),
        ("0 <= r < KH*KW*C", "r / C % KW < KW"),
        ("KH <= H; KW <= W; 0 <= p < (H-KH+1)*(W-KW+1); 0 <= r < KH*KW*C", "(p % (W-KW+1) + r / C % KW) < W"),
        ("KH <= H; KW <= W; 0 <= p < (H-KH+1)*(W-KW+1); 0 <= r < KH*KW*C", "p / (W-KW+1) + r / (KW*C) < H"),
        ("KH <= H; KW <= W; 0 <= p < (H-KH+1)*(W-KW+1)", "W-KW+1 >= 1"),
        ("KH <= H; KW <= W", "(W-KW+1)*(H-KH+1) >= 1"),
        ("0 <= a < (N + A*B - 1)/(A*B)", "a*A*B <= N - 1"),
        ("0 <= a < (N + A - 1)/A", "a*A <= N - 1"),
        ("N % 3 == 0; N % 4 == 0", "N % 12 == 0"),
    ] {
        let f = facts(k, &[c]);
        let t = std::time::Instant::now();
        let a = f.prove(&condition(c));
        println!("{k} |- {} : {a:?} {} us", condition(c), t.elapsed().as_micros());
    }
}
