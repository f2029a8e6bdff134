//! What an editor shows inside `lift!`, in programs that are right and in such that are being typed:
//! a session with rust-analyzer, from the variable `RUST_ANALYZER` or from `PATH`.

#[path = "editor/session.rs"]
mod session;

use session::{Session, uri};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RIGHT: &str = "\
use lift::prelude::*;

lift! {
    fn total<L>(xs: [f32; L]) -> f32 { reduce(0.0, |acc, x| acc + x, xs) }
    fn pairs<L>(xs: [f32; L]) -> [(f32, f32); L] { zip(xs, xs) }
    /// Documented.
    pub fn blur<H, W>(image: [[f32; W]; H]) -> [[f32; W - 2]; H - 2] where H >= 3, W >= 3 {
        let windows = slide2D((3, 3), (1, 1), image);
        map2D(|window| total(join(window)) / 9.0, windows)
    }
    pub fn squares<N>(numbers: [f32; N]) -> [f32; N] {
        map(|(left, right)| left.max(right) * (N as f32), pairs(numbers))
    }
}

pub fn cubes(device: &Device) -> Result<Array1<f32>, lift::Error> {
    lift!(|values: [f32; M]| map(|value| value * value * value, values))(device, array![1.0].view())
}
";

/// Being typed: hardly any of it can be parsed.
const WRONG: &str = "\
use lift::prelude::*;

lift! {
    fn total<L>(xs: [f32; L]) -> f32 { reduce(0.0, |acc, x| acc + , xs) }
    pub fn blur<H, W>(image: [[f32; W]; H]) -> [[f32; W - 2]; H - 2] where H >= 3, W >= {
        let windows = slide2D((3, 3), (1, 1), image);
        let typed = sli;
        map2D(|window| , total(windows, win))
    }
    pub fn squares<N>(numbers: [f32; ]) -> [f32; N] {
        let = total(numb)
    }
}

pub fn cubes(device: &Device) -> Result<Array1<f32>, lift::Error> {
    lift!(|values: [f32; M]| map(|value| value * val, ))(device, array![1.0].view())
}
";

#[test]
#[ignore = "scripts/hunt runs it"]
fn hovering_definitions_and_completion() {
    let Some(analyzer) = analyzer() else {
        eprintln!(
            "SKIPPED: there is no rust-analyzer; `rustup component add rust-analyzer`, or name one in RUST_ANALYZER"
        );
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("the folder");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    let (right, wrong) = write_crate(&root);
    let mut session = Session::start(&analyzer, &root, &target);
    session.open(&right, RIGHT);
    session.open(&wrong, WRONG);
    let mut editor = Editor { session, file: right, source: RIGHT };
    in_a_right_program(&mut editor);
    (editor.file, editor.source) = (wrong, WRONG);
    in_a_wrong_program(&mut editor);
}

fn in_a_right_program(editor: &mut Editor) {
    editor.shows("slide¦2D((3", &["slide2D : ((r, c), (v, h), [[T; w]; n])", "Windows of `r` rows"]);
    editor.shows("left.ma¦x(", &["f32::max"]);
    editor.shows("(1, 1), im¦age", &["image: [[f32; W]; H]"]);
    editor.shows("bl¦ur<", &["Documented."]);
    editor.leads_to("map2D(|window| total(join(window)) / 9.0, win¦dows", "let windows");
    editor.leads_to("acc + ¦x,", "|acc, x|");
    editor.leads_to("to¦tal(join", "fn total");
    editor.leads_to("pai¦rs(numbers", "fn pairs");
    editor.leads_to("(join(win¦dow)", "map2D(|window|");
    editor.leads_to("image: [[f32; ¦W]", "blur<H, W>");
    editor.leads_to("(¦N as f32", "squares<N>");
    editor.leads_to("valu¦e * value", "|value|");
    editor.leads_to("[f32; ¦M]", "[f32; M]");
    editor.leads_into("sli¦de2D((3", "src/primitives.rs");
    editor.offers("= sli¦de2D", &["slide", "slide2D", "slideStrict", "slide3D"]);
    editor.offers(" / 9.0, win¦dows", &["windows", "image"]);
    editor.offers("value * val¦ue", &["value", "values"]);
    assert_eq!(editor.diagnostics(), [""; 0]);
}

fn in_a_wrong_program(editor: &mut Editor) {
    editor.shows("slide¦2D((3", &["slide2D : ((r, c), (v, h), [[T; w]; n])", "Windows of `r` rows"]);
    editor.shows("(1, 1), im¦age", &["image: [[f32; W]; H]"]);
    editor.leads_to("total(win¦dows", "let windows");
    editor.leads_to("tot¦al(win", "fn total");
    editor.leads_to("where ¦H", "blur<H, W>");
    editor.leads_into("sli¦de2D((3", "src/primitives.rs");
    editor.offers("= sli¦;", &["slide", "slide2D", "slideStrict", "slide3D"]);
    editor.offers("total(windows, win¦", &["windows", "image", "total", "typed", "H"]);
    editor.offers("total(numb¦", &["numbers", "N"]);
    editor.offers("value * val¦", &["value", "values"]);
}

/// The one that is to be used, if there is one.
fn analyzer() -> Option<String> {
    let named = std::env::var("RUST_ANALYZER").unwrap_or_else(|_| "rust-analyzer".to_string());
    // What rustup puts into the path may say only that there is none.
    let works = Command::new(&named).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    works.is_ok_and(|status| status.success()).then_some(named)
}

/// A crate of two modules that depends on this one.
fn write_crate(root: &Path) -> (PathBuf, PathBuf) {
    let lift = env!("CARGO_MANIFEST_DIR");
    let manifest = format!(
        "[package]\nname = \"edited\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nlift = {{ path = {lift:?} }}\n\n[workspace]\n"
    );
    let source = root.join("src");
    std::fs::create_dir(&source).expect("a folder");
    std::fs::write(root.join("Cargo.toml"), manifest).expect("a file");
    std::fs::copy(Path::new(lift).join("Cargo.lock"), root.join("Cargo.lock")).expect("a file");
    std::fs::write(source.join("lib.rs"), "mod right;\nmod wrong;\n").expect("a file");
    let (right, wrong) = (source.join("right.rs"), source.join("wrong.rs"));
    std::fs::write(&right, RIGHT).expect("a file");
    std::fs::write(&wrong, WRONG).expect("a file");
    (right, wrong)
}

/// One file of the session. Places in it are given by the text around a `¦`.
struct Editor {
    session: Session,
    file: PathBuf,
    source: &'static str,
}

impl Editor {
    fn shows(&mut self, place: &str, expected: &[&str]) {
        let shown = self.session.hover(&self.file, self.place(place));
        let missing: Vec<_> = expected.iter().filter(|text| !shown.contains(**text)).collect();
        assert!(missing.is_empty(), "hovering at `{place}` shows no {missing:?} but\n{shown}");
    }

    /// To the line of this file that has this text in it.
    fn leads_to(&mut self, place: &str, expected: &str) {
        let found = self.session.definitions(&self.file, self.place(place));
        let here = uri(&self.file);
        let lines: Vec<_> = found.iter().filter(|(file, _)| *file == here).map(|(_, line)| *line).collect();
        let wanted = self.source.lines().position(|line| line.contains(expected)).expect("the line");
        assert!(lines.contains(&wanted), "`{place}` leads to {found:?}, not to line {wanted} of {here}");
    }

    fn leads_into(&mut self, place: &str, expected: &str) {
        let found = self.session.definitions(&self.file, self.place(place));
        assert!(found.iter().any(|(file, _)| file.ends_with(expected)), "`{place}` leads to {found:?}");
    }

    fn offers(&mut self, place: &str, expected: &[&str]) {
        let labels = self.session.completions(&self.file, self.place(place));
        let names: Vec<&str> =
            labels.iter().map(|l| l.trim_end_matches("(…)").trim_end_matches("()")).collect();
        let missing: Vec<_> = expected.iter().filter(|name| !names.contains(name)).collect();
        assert!(missing.is_empty(), "at `{place}` there is no {missing:?} among {names:?}");
    }

    fn diagnostics(&self) -> &[String] {
        &self.session.diagnostics[&uri(&self.file)]
    }

    /// Line and column, counted in ASCII.
    fn place(&self, text: &str) -> (usize, usize) {
        let (before, after) = text.split_once('¦').expect("a place");
        let found = self.source.find(&format!("{before}{after}")).expect("the text") + before.len();
        let above = &self.source[..found];
        (above.matches('\n').count(), found - above.rfind('\n').map_or(0, |at| at + 1))
    }
}
