//! GoogLeNet's modules: Szegedy et al.: Going deeper with convolutions (2015), table 1.

/// For each module the kernels of 1 × 1; of 1 × 1 before 3 × 3 and these; of 1 × 1 before 5 × 5 and these; and of 1 × 1 behind the
/// pooling.
pub const MODULES: [(&str, [usize; 6]); 9] = [
    ("3a", [64, 96, 128, 16, 32, 32]),
    ("3b", [128, 128, 192, 32, 96, 64]),
    ("4a", [192, 96, 208, 16, 48, 64]),
    ("4b", [160, 112, 224, 24, 64, 64]),
    ("4c", [128, 128, 256, 24, 64, 64]),
    ("4d", [112, 144, 288, 32, 64, 64]),
    ("4e", [256, 160, 320, 32, 128, 128]),
    ("5a", [256, 160, 320, 32, 128, 128]),
    ("5b", [384, 192, 384, 48, 128, 128]),
];
