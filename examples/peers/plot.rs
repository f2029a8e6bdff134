//! The ratios as a picture: a dot for each case, families below each other, on a logarithmic axis.

use crate::row::{Row, mean};
use plotters::prelude::*;
use std::error::Error;

const WIDTH: u32 = 900;
/// Of a family.
const LINE: u32 = 24;
const TOP: u32 = 70;
const BOTTOM: u32 = 58;
const LEFT: i32 = 170;
const RIGHT: i32 = 60;

const AHEAD: RGBColor = RGBColor(0, 114, 178);
const BEHIND: RGBColor = RGBColor(213, 94, 0);
const GREY: RGBColor = RGBColor(120, 120, 120);
const PALE: RGBColor = RGBColor(225, 225, 225);

/// The picture, as SVG.
pub fn draw(rows: &[Row], title: &str) -> Result<String, Box<dyn Error>> {
    let with: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((row, row.ratio()?))).collect();
    let mut families: Vec<&str> = with.iter().map(|(row, _)| row.family.as_str()).collect();
    families.dedup();
    if families.is_empty() {
        return Err("there is no ratio to draw: no peer computed any of the cases".into());
    }
    let least = with.iter().map(|(_, ratio)| *ratio).fold(0.5, f64::min) / 1.15;
    let most = with.iter().map(|(_, ratio)| *ratio).fold(2.0, f64::max) * 1.15;
    let across = f64::from(WIDTH as i32 - LEFT - RIGHT);
    let x = |ratio: f64| LEFT + ((ratio / least).ln() / (most / least).ln() * across).round() as i32;
    let height = TOP + LINE * families.len() as u32 + BOTTOM;
    let (first, last) = (TOP as i32, (height - BOTTOM) as i32);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let text = |words: &str, size: i32, colour: &RGBColor, at: (i32, i32), place: Place| {
            let style = TextStyle::from(("sans-serif", size).into_font()).color(colour).pos(place.into());
            root.draw_text(words, &style, at)
        };
        text(title, 18, &BLACK, (LEFT, 14), Place::Right)?;
        let words = "the fastest peer's time by this library's; the bar is a family's geometric mean";
        text(words, 13, &GREY, (LEFT, 40), Place::Right)?;
        for tick in ticks(least, most) {
            let (colour, width) = if tick == 1.0 { (GREY, 2) } else { (PALE, 1) };
            root.draw(&PathElement::new([(x(tick), first), (x(tick), last)], colour.stroke_width(width)))?;
            text(&format!("{tick}"), 13, &BLACK, (x(tick), last + 8), Place::Below)?;
        }
        let below = last + 32;
        text("peers are faster ←", 13, &BEHIND, (x(1.0) - 12, below), Place::Left)?;
        text("→ this library is faster", 13, &AHEAD, (x(1.0) + 12, below), Place::Right)?;
        for (line, family) in families.iter().enumerate() {
            let y = first + LINE as i32 * line as i32 + LINE as i32 / 2;
            text(family, 14, &BLACK, (LEFT - 12, y - 6), Place::Left)?;
            let own = || with.iter().filter(|(row, _)| row.family == *family).map(|(_, ratio)| *ratio);
            if let Some(mean) = mean(own()) {
                let at = [(x(mean) - 1, y - 9), (x(mean) + 2, y + 9)];
                root.draw(&Rectangle::new(at, BLACK.filled()))?;
                let right = WIDTH as i32 - 10;
                text(&format!("{mean:.2}"), 13, &BLACK, (right, y - 5), Place::Left)?;
            }
            for ratio in own() {
                let colour = if ratio < 1.0 { BEHIND } else { AHEAD };
                root.draw(&Circle::new((x(ratio), y), 4, colour.mix(0.55).filled()))?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}

/// Where words stand from their point.
enum Place {
    Left,
    Right,
    Below,
}

impl From<Place> for plotters::style::text_anchor::Pos {
    fn from(place: Place) -> Self {
        use plotters::style::text_anchor::{HPos, Pos, VPos};
        let across = match place {
            Place::Left => HPos::Right,
            Place::Right => HPos::Left,
            Place::Below => HPos::Center,
        };
        Pos::new(across, VPos::Top)
    }
}

/// 0.1, 0.2, 0.5, 1, 2, 5, … between these.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let tens = least.log10().floor() as i32..=most.log10().ceil() as i32;
    let all = tens.flat_map(|n| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(n)));
    // 0.30000000000000004 is no label.
    all.map(|v| (v * 1e9).round() / 1e9).filter(|v| (least..most).contains(v)).collect()
}
