//! Drawing: panels below each other, each with its axes, its series and what they are called.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Words at points.
    pub notes: Vec<(f64, f64, String)>,
}

pub struct Axis {
    pub name: String,
    pub scale: Scale,
}

#[derive(Clone)]
pub enum Scale {
    Linear(f64, f64),
    Logarithmic(f64, f64),
    /// Around 0, 1, …
    Names(Vec<String>),
}

pub struct Series {
    pub name: String,
    /// Its colour; a few are told apart.
    pub colour: usize,
    pub shape: Shape,
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Dots,
    Line,
    Dashed,
    /// Each of two points: opposite corners.
    Boxes,
}

const WIDTH: u32 = 960;
const HEIGHT: u32 = 360;
const LEGEND: u32 = 220;

/// Told apart by all, printed or on a screen (Okabe and Ito 2008), and grey.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
    RGBColor(200, 185, 20),
];

/// The panels as one picture.
pub fn draw(panels: &[Panel]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let size = (WIDTH, HEIGHT * panels.len() as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (panel, area) in panels.iter().zip(root.split_evenly((panels.len(), 1))) {
            draw_panel(panel, &area)?;
        }
        root.present()?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw_panel(panel: &Panel, area: &Area) -> Result<(), Box<dyn Error>> {
    let (plot, legend) = area.split_horizontally(WIDTH - LEGEND);
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(panel.x.scale.clone(), panel.y.scale.clone())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(&panel.x.name).y_desc(&panel.y.name).light_line_style(WHITE).label_style(("sans-serif", 13));
    if let Scale::Names(names) = &panel.x.scale {
        mesh.disable_x_mesh().x_labels(names.len());
    }
    if let Scale::Names(names) = &panel.y.scale {
        mesh.disable_y_mesh().y_labels(names.len());
    }
    mesh.draw()?;
    for series in &panel.series {
        let colour = COLOURS[series.colour % COLOURS.len()];
        let points = || series.points.iter().copied();
        match series.shape {
            Shape::Dots => {
                chart.draw_series(points().map(|at| Circle::new(at, 3, colour.mix(0.6).filled())))?;
            }
            Shape::Line => {
                chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
            }
            Shape::Dashed => {
                chart.draw_series(DashedLineSeries::new(points(), 6, 4, colour.stroke_width(1)))?;
            }
            Shape::Boxes => {
                let corners = series.points.chunks_exact(2);
                chart.draw_series(corners.map(|c| Rectangle::new([c[0], c[1]], colour.filled())))?;
            }
        }
    }
    let words = panel.notes.iter().map(|(x, y, note)| Text::new(note.clone(), (*x, *y), ("sans-serif", 12)));
    chart.draw_series(words)?;
    for (line, series) in panel.series.iter().enumerate() {
        let (y, colour) = (50 + 20 * line as i32, COLOURS[series.colour % COLOURS.len()]);
        match series.shape {
            Shape::Dots => legend.draw(&Circle::new((10, y), 4, colour.filled()))?,
            Shape::Boxes => legend.draw(&Rectangle::new([(4, y - 5), (16, y + 5)], colour.filled()))?,
            Shape::Line => legend.draw(&Rectangle::new([(2, y - 1), (18, y + 1)], colour.filled()))?,
            Shape::Dashed => {
                legend.draw(&Rectangle::new([(2, y), (8, y + 1)], colour.filled()))?;
                legend.draw(&Rectangle::new([(12, y), (18, y + 1)], colour.filled()))?;
            }
        }
        legend.draw(&Text::new(series.name.clone(), (24, y - 7), ("sans-serif", 13)))?;
    }
    Ok(())
}

/// Bars side by side at each name, those of all `groups` together taking most of the room.
pub fn bars(group: usize, groups: usize, values: impl Iterator<Item = (usize, f64)>) -> Vec<(f64, f64)> {
    let width = 0.8 / groups.max(1) as f64;
    let left = |at: usize| at as f64 - 0.4 + width * group as f64;
    values.flat_map(|(at, value)| [(left(at), 0.0), (left(at) + width, value)]).collect()
}

/// A line that keeps its height until the next point.
pub fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let corners = points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    corners.chain(points.last().copied()).collect()
}

impl Axis {
    /// From 0 to a little more than the greatest.
    pub fn linear(name: &str, values: impl Iterator<Item = f64>) -> Axis {
        let most = values.fold(0.0, f64::max);
        let scale = Scale::Linear(0.0, if most > 0.0 { most * 1.08 } else { 1.0 });
        Axis { name: name.into(), scale }
    }

    /// From a little less than the least to a little more than the greatest; all are above 0.
    pub fn logarithmic(name: &str, values: impl Iterator<Item = f64>) -> Axis {
        let (least, most) = values
            .filter(|v| *v > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(least, most), v| (least.min(v), most.max(v)));
        let (least, most) = if least <= most { (least, most) } else { (1.0, 1.0) };
        Axis { name: name.into(), scale: Scale::Logarithmic(least / 1.2, most * 1.2) }
    }

    pub fn names(name: &str, names: Vec<String>) -> Axis {
        Axis { name: name.into(), scale: Scale::Names(names) }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let Range { start, end } = self.range();
        let part = match self {
            Scale::Logarithmic(..) => (value.max(start).ln() - start.ln()) / (end.ln() - start.ln()),
            Scale::Linear(..) | Scale::Names(_) => (value - start) / (end - start),
        };
        from + (part * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let range = self.range();
        match self {
            Scale::Linear(..) => RangedCoordf64::from(range).key_points(hint),
            Scale::Names(names) => (0..names.len()).map(|k| k as f64).collect(),
            Scale::Logarithmic(from, to) => {
                let tens = from.log10().floor() as i32..=to.log10().ceil() as i32;
                let all = tens.flat_map(|n| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(n)));
                all.filter(|v| range.contains(v)).collect()
            }
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Scale::Linear(from, to) | Scale::Logarithmic(from, to) => *from..*to,
            Scale::Names(names) => -0.5..names.len() as f64 - 0.5,
        }
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        match self {
            Scale::Names(names) => names.get(value.round() as usize).cloned().unwrap_or_default(),
            // As many digits as tell neighbours apart, and none more.
            _ => format!("{}", (value * 1e6).round() / 1e6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Panel, Series, Shape, bars, draw, steps};

    #[test]
    fn every_shape_is_drawn_on_every_axis() {
        let points = vec![(1.0, 2.0), (3.0, 40.0), (5.0, 1.0), (2.0, 3.0)];
        let shapes = [Shape::Dots, Shape::Line, Shape::Dashed, Shape::Boxes];
        let names = ["dots & <more>", "a line", "dashes", "boxes"];
        let series = || {
            let all = shapes.iter().zip(names).enumerate();
            all.map(|(colour, (shape, name))| Series {
                name: name.into(),
                colour,
                shape: *shape,
                points: points.clone(),
            })
            .collect::<Vec<_>>()
        };
        let xs = || points.iter().map(|p| p.0);
        let ys = || points.iter().map(|p| p.1);
        let columns = ["none", "one", "two", "three", "four", "five"].map(String::from).to_vec();
        let axes = [
            (Axis::linear("x", xs()), Axis::logarithmic("y", ys())),
            (Axis::names("x", columns), Axis::linear("y", ys())),
        ];
        let panels = axes.map(|(x, y)| Panel {
            title: "A title".into(),
            x,
            y,
            series: series(),
            notes: vec![(1.0, 2.0, "here".into())],
        });
        let svg = draw(&panels).expect("it can be drawn");
        let parsed = roxmltree::Document::parse(&svg).expect("it is XML");
        let count = |name: &str| parsed.descendants().filter(|n| n.has_tag_name(name)).count();
        // A dot for each point and one for the name of the series.
        assert_eq!(count("circle"), 2 * (points.len() + 1));
        let words: Vec<_> = parsed.descendants().filter_map(|n| n.text()).map(str::trim).collect();
        for expected in names.iter().chain(&["here", "A title", "three", "x", "y", "20"]) {
            assert!(words.contains(expected), "{expected}: {words:?}");
        }
        assert_eq!(svg, draw(&panels).expect("it can be drawn"));
    }

    #[test]
    fn bars_stand_side_by_side_and_steps_go_on() {
        let second = bars(1, 2, [(0, 5.0), (3, 1.0)].into_iter());
        assert_eq!(second, [(0.0, 0.0), (0.4, 5.0), (3.0, 0.0), (3.4, 1.0)]);
        assert_eq!(steps(&[(0.0, 1.0), (2.0, 3.0)]), [(0.0, 1.0), (2.0, 1.0), (2.0, 3.0)]);
    }
}
