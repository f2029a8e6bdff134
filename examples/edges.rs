//! Edges of a photograph: blur, gradient, thinning and a threshold, as one array program.
//!
//! `cargo run --release --example edges -- PHOTO OUT.png` (JPEG or PNG in, PNG out).

use clap::Parser;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, ImageResult};
use lift::prelude::*;
use std::error::Error;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

lift! {
    /// Red, green and blue as one brightness between 0 and 255 (ITU-R BT.601).
    fn grey<H, W>(photo: [[[u8; 3]; W]; H]) -> [[f32; W]; H] {
        let weights = [0.299, 0.587, 0.114];
        map2D(|rgb| reduce(0.0, |sum, (c, w)| sum + w * (c as f32), zip(rgb, weights)), photo)
    }

    /// A Gaussian of 5 × 5 (σ ≈ 1.0). At the borders the picture is mirrored.
    fn blur<H, W>(picture: [[f32; W]; H]) -> [[f32; W]; H]
    where
        2 <= H,
        2 <= W,
    {
        let weights = [
            [1.0, 4.0, 6.0, 4.0, 1.0],
            [4.0, 16.0, 24.0, 16.0, 4.0],
            [6.0, 24.0, 36.0, 24.0, 6.0],
            [4.0, 16.0, 24.0, 16.0, 4.0],
            [1.0, 4.0, 6.0, 4.0, 1.0],
        ];
        map2D(
            |window| reduce(0.0, |sum, (x, w)| sum + x * w, zip(join(window), join(weights))) / 256.0,
            slide2D((5, 5), (1, 1), padMirror2D(2, 2, 2, 2, picture)),
        )
    }

    /// Sobel's two derivatives: to the right and downwards.
    fn gradient<H, W>(picture: [[f32; W]; H]) -> ([[f32; W]; H], [[f32; W]; H]) {
        let across = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
        let down = [[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]];
        let windows = slide2D((3, 3), (1, 1), padMirror2D(1, 1, 1, 1, picture));
        let derivative = |weights| map2D(
            |window| reduce(0.0, |sum, (x, w)| sum + x * w, zip(join(window), join(weights))),
            windows,
        );
        (derivative(across), derivative(down))
    }

    /// The gradient's direction in eighths of a turn, opposite ones being the same:
    /// 1 across, 2 down to the right, 3 down, 4 up to the right.
    fn direction(dx: f32, dy: f32) -> i32 {
        let tan = 0.41421357; // of 22.5°
        if abs(dy) <= tan * abs(dx) {
            1
        } else if abs(dx) <= tan * abs(dy) {
            3
        } else if (dx < 0.0) == (dy < 0.0) {
            2
        } else {
            4
        }
    }

    /// Where the brightness changes by at least `threshold` a pixel, and by more than on either side along the
    /// gradient (non-maximum suppression): 255, else 0.
    pub fn edges<H, W>(photo: [[[u8; 3]; W]; H], threshold: f32) -> [[u8; W]; H]
    where
        2 <= H,
        2 <= W,
    {
        let (across, down) = gradient(blur(grey(photo)));
        let strengths = map2D(|(dx, dy)| sqrt(dx * dx + dy * dy) / 8.0, zip2D(across, down));
        let directions = map2D(|(dx, dy)| direction(dx, dy), zip2D(across, down));
        // Each neighbour's direction as seen from the centre. One side must be smaller, the other not
        // larger, so that of two equal neighbours one remains.
        let sides = [[-2, -3, -4], [-1, 0, 1], [4, 3, 2]];
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, strengths));
        map2D(
            |(strength, direction, window)| {
                let peak = reduce(
                    true,
                    |peak, (other, side)| peak
                        && (side != direction || other < strength)
                        && (side != -direction || other <= strength),
                    zip(join(window), join(sides)),
                );
                if peak && strength >= threshold { 255 } else { 0 }
            },
            zip2D(strengths, directions, windows),
        )
    }
}

/// Finds the edges of a photograph.
#[derive(Parser)]
struct Flags {
    /// A JPEG or PNG file
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/astronaut.jpg"))]
    photo: PathBuf,
    /// Where the edges go, white on black: a PNG file
    #[arg(default_value = "edges.png", value_parser = png_name)]
    out: PathBuf,
    /// The least change of brightness (0 to 255) from one pixel to the next that makes an edge
    #[arg(long, default_value_t = 8.0)]
    threshold: f32,
}

fn main() -> ExitCode {
    match run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("edges: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<(), Box<dyn Error>> {
    let photo = read(&flags.photo)?;
    let device = Device::from_env()?;
    let start = Instant::now();
    let found = edges(&device, photo.view(), flags.threshold)?;
    let seconds = start.elapsed().as_secs_f64();
    let (height, width) = found.dim();
    let share = found.iter().filter(|&&pixel| pixel > 0).count() as f64 / found.len() as f64;
    write(&flags.out, found)?;
    println!("{device}: {width} × {height} in {seconds:.3} s, building included");
    println!("{:.1} % of the pixels are edges; see {}", 100.0 * share, flags.out.display());
    Ok(())
}

fn png_name(name: &str) -> Result<PathBuf, &'static str> {
    let png = ImageFormat::from_path(name).is_ok_and(|format| format == ImageFormat::Png);
    if png { Ok(name.into()) } else { Err("its name must end in .png") }
}

/// A picture, upright, as rows of red, green and blue.
fn read(path: &Path) -> Result<Array3<u8>, Box<dyn Error>> {
    let picture =
        decode(path).map_err(|error| format!("can't read {}: {error}", path.display()))?.into_rgb8();
    let (width, height) = picture.dimensions();
    Ok(Array3::from_shape_vec((height as usize, width as usize, 3), picture.into_raw())?)
}

fn decode(path: &Path) -> ImageResult<DynamicImage> {
    // The content says what it is; a name can be wrong.
    let file = Cursor::new(fs::read(path)?);
    let mut decoder = ImageReader::new(file).with_guessed_format()?.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn write(path: &Path, pixels: Array2<u8>) -> Result<(), Box<dyn Error>> {
    let (height, width) = pixels.dim();
    let (bytes, _) = pixels.into_raw_vec_and_offset();
    let picture = GrayImage::from_raw(u32::try_from(width)?, u32::try_from(height)?, bytes);
    let picture = picture.ok_or("the result is not a picture")?;
    picture
        .save_with_format(path, ImageFormat::Png)
        .map_err(|error| format!("can't write {}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD: f32 = 8.0;

    /// A white square on black: an unbroken line along its border, one pixel wide, and nothing else.
    #[test]
    fn a_square_is_outlined() -> Result<(), lift::Error> {
        let inside = |y, x| (6..18).contains(&y) && (6..18).contains(&x);
        let photo = Array3::from_shape_fn((24, 24, 3), |(y, x, _)| if inside(y, x) { 255 } else { 0 });
        let found = edges(&Device::cpu(), photo.view(), THRESHOLD)?;
        for across in 9..15 {
            for line in [found.row(across), found.column(across)] {
                let at: Vec<usize> = (0..24).filter(|&i| line[i] == 255).collect();
                assert!(matches!(at[..], [5 | 6, 17 | 18]), "{at:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn an_even_picture_has_no_edges() -> Result<(), lift::Error> {
        let found = edges(&Device::cpu(), Array3::from_elem((2, 7, 3), 200).view(), THRESHOLD)?;
        assert_eq!(found, Array2::<u8>::zeros((2, 7)));
        Ok(())
    }

    #[test]
    fn a_picture_too_small_to_mirror_is_refused() {
        let refused = edges(&Device::cpu(), Array3::zeros((1, 7, 3)).view(), THRESHOLD);
        let message = refused.map(|_| ()).unwrap_err().to_string();
        assert_eq!(message, "`edges` requires 2 <= H, which does not hold with H = 1");
    }

    #[test]
    fn a_bad_file_is_named() {
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        for path in [text, Path::new("nowhere.jpg")] {
            let message = read(path).map(|_| ()).unwrap_err().to_string();
            assert!(message.contains(&path.display().to_string()), "{message}");
        }
    }
}
