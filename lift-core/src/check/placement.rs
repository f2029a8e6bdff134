//! The rules for maps that are placed by hand on OpenCL's hierarchy of work-items.
//!
//! A program without such maps is placed by lowering, and there is nothing to check. Where one
//! stands, everything written in the same kernel is placed: a plain `map` runs in the work-item
//! that comes to it.

use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, Pattern};
use crate::kernel::Space;
use crate::primitives::{Form, Level, Primitive};
use crate::syntax::{Diagnostic, Site};
use std::collections::{BTreeSet, HashMap};

/// A rule that placements keep.
pub struct Rule {
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub reason: &'static str,
    pub help: &'static str,
}

const PRIVATE: Rule = Rule {
    name: "private scoping",
    source: "CC'22, rule 1",
    reason: "private memory is one work-item's own: a map that reads or writes it is sequential",
    help: "use `mapSeq`, or keep the values in other memory with `toLocal` or `toGlobal`",
};
const LOCAL: Rule = Rule {
    name: "local scoping",
    source: "CC'22, rule 2",
    reason: "local memory is one work-group's own: it is written and read inside a `mapWrg`, by `mapLcl` and \
             sequential maps",
    help: "keep what groups share with `toGlobal`, and what one group shares inside its `mapWrg`",
};
const DUPLICATE: Rule = Rule {
    name: "duplicate scheduling",
    source: "CC'22, rule 3",
    reason: "one index of a work-item cannot count two nested maps",
    help: "use another dimension: there are 0, 1 and 2",
};
const DIMENSIONS: Rule = Rule {
    name: "local and group dimensions",
    source: "CC'22, rules 4 and 5",
    reason: "a dimension has groups, and work-items in them: `mapWrg` and `mapLcl` go together",
    help: "put a `mapLcl` of this dimension inside, or use `mapGlb`",
};
const HIERARCHY: Rule = Rule {
    name: "hierarchy",
    source: "CC'22, rule 6",
    reason: "work is given to work-groups first, and then to the work-items in them",
    help: "put it around the `mapLcl` and not into it, or use `mapGlb` instead of both",
};
const EXHAUSTIVE: Rule = Rule {
    name: "exhaustive indexing",
    source: "CC'22, rule 7",
    reason: "what is written is spread over every dimension that the kernel uses, or several work-items would \
             write the same",
    help: "compute it in a `mapLcl` too, or in a kernel of its own",
};
const MIXED: Rule = Rule {
    name: "global apart from group and local",
    source: "CC'22 \u{a7}4.4",
    reason: "a kernel counts its work-items globally, or group by group",
    help: "use either `mapGlb`, or `mapWrg` and `mapLcl`",
};
const SYNCHRONISABLE: Rule = Rule {
    name: "synchronisability",
    source: "CC'22 \u{a7}4.6",
    reason: "only the work-items of a group can wait for each other between the steps of a reduction",
    help: "put the reduction into the map, or use `mapLcl`",
};

/// All of them.
pub static RULES: [&Rule; 8] =
    [&PRIVATE, &LOCAL, &DUPLICATE, &DIMENSIONS, &HIERARCHY, &EXHAUSTIVE, &MIXED, &SYNCHRONISABLE];

/// Does a program say itself where its maps run?
pub fn is_placed(function: &Function) -> bool {
    spreads(&function.body)
}

/// Mistakes in the placement of a function without calls.
pub fn check(function: &Function) -> Vec<Diagnostic> {
    let mut walk = Walk { kept: HashMap::new(), mistakes: vec![] };
    walk.expr(&function.body, &Chain::default());
    walk.mistakes
}

/// A map that is spread over work-items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spread {
    level: Level,
    dimension: i64,
}

/// The spread maps around a place, from the outside in.
#[derive(Clone, Default)]
struct Chain {
    maps: Vec<Spread>,
    /// Inside a function that is applied to what it gave before, and that inside a kernel or not.
    folding: bool,
}

/// Memory that only some work-items see.
#[derive(Clone, Copy, Default)]
struct Kept {
    private: bool,
    local: bool,
}

struct Walk {
    kept: HashMap<Local, Kept>,
    mistakes: Vec<Diagnostic>,
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let name = match self.level {
            Level::Global => "mapGlb",
            Level::Group => "mapWrg",
            Level::Local => "mapLcl",
        };
        write!(f, "`{name}({}, …)`", self.dimension)
    }
}

impl Spread {
    fn of(primitive: Primitive, arguments: &[Argument]) -> Option<Spread> {
        match (&primitive.form, arguments) {
            (Form::Spread(level), [Argument::Size(d), ..]) => {
                Some(Spread { level: *level, dimension: d.as_constant()? })
            }
            _ => None,
        }
    }

    fn at(self, level: Level) -> Spread {
        Spread { level, ..self }
    }
}

impl Kept {
    fn and(self, other: Kept) -> Kept {
        Kept { private: self.private || other.private, local: self.local || other.local }
    }
}

impl Chain {
    fn with(&self, map: Spread) -> Chain {
        let mut inner = self.clone();
        inner.maps.push(map);
        inner
    }
}

impl Walk {
    fn broken(&mut self, rule: &Rule, site: Site, message: String) {
        let note = format!("{} ({})", rule.reason, rule.source);
        let diagnostic = Diagnostic::new(site, message).note(note).help(rule.help);
        if !self.mistakes.contains(&diagnostic) {
            self.mistakes.push(diagnostic);
        }
    }

    /// Checks an expression; the memory in which its value is found.
    fn expr(&mut self, e: &Expr, chain: &Chain) -> Kept {
        match &*e.kind {
            Kind::Local(local) => self.kept.get(local).copied().unwrap_or_default(),
            Kind::Let(pattern, value, body) => {
                let kept = self.expr(value, chain);
                self.bind(pattern, kept);
                self.expr(body, chain)
            }
            Kind::Tuple(parts) => self.all(parts, chain),
            Kind::Field(inner, _) | Kind::Typed(inner, _) => self.expr(inner, chain),
            Kind::If(condition, then, otherwise) => {
                self.expr(condition, chain);
                self.expr(then, chain).and(self.expr(otherwise, chain))
            }
            Kind::Apply(primitive, arguments) => self.apply(e, *primitive, arguments, chain),
            _ => {
                self.all(e.children(), chain);
                Kept::default()
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern, kept: Kept) {
        self.kept.extend(pattern.locals().into_iter().map(|local| (local.clone(), kept)));
    }

    fn all<'a>(&mut self, es: impl IntoIterator<Item = &'a Expr>, chain: &Chain) -> Kept {
        es.into_iter().fold(Kept::default(), |kept, e| kept.and(self.expr(e, chain)))
    }

    fn apply(&mut self, e: &Expr, primitive: Primitive, arguments: &[Argument], chain: &Chain) -> Kept {
        let operands = arguments.iter().filter_map(|a| match a {
            Argument::Value(e) | Argument::Generator(_, e) => Some(e),
            _ => None,
        });
        let operands = self.all(operands, chain);
        let function = arguments.iter().find_map(|a| match a {
            Argument::Function(lambda) => Some(lambda),
            _ => None,
        });
        if let Some(lambda) = function {
            lambda.params.iter().for_each(|p| self.bind(p, operands));
        }
        match (&primitive.form, function) {
            (Form::Kept(space), _) => self.keep(e, *space, arguments, chain),
            (Form::Spread(_), Some(lambda)) => match Spread::of(primitive, arguments) {
                Some(map) => self.spread(e, map, lambda, operands, chain),
                None => operands,
            },
            (Form::Reduce | Form::ReduceSeq(_) | Form::Scan | Form::Iterate, Some(lambda)) => {
                // A step of an `iterate` outside of kernels is a launch of its own.
                let launches = matches!(primitive.form, Form::Iterate) && chain.maps.is_empty();
                let inner = Chain { folding: chain.folding || !launches, ..chain.clone() };
                operands.and(self.expr(&lambda.body, &inner))
            }
            (_, Some(lambda)) => self.expr(&lambda.body, chain),
            _ => operands,
        }
    }

    fn keep(&mut self, e: &Expr, space: Space, arguments: &[Argument], chain: &Chain) -> Kept {
        let in_group = chain.maps.iter().any(|m| m.level == Level::Group);
        match space {
            Space::Local | Space::Items if !in_group => {
                let name = if space == Space::Local { "toLocal" } else { "toItems" };
                self.broken(&LOCAL, e.site, format!("`{name}` stands in no `mapWrg`"));
                return Kept::default();
            }
            Space::Private if chain.maps.is_empty() && spreads(e) => {
                let message = "`toPrivate` keeps what several work-items compute".to_string();
                self.broken(&PRIVATE, e.site, message);
            }
            _ => {}
        }
        match (space, arguments) {
            (Space::Local | Space::Items, [Argument::Value(value)]) if in_group => {
                self.kernel(value, chain, Level::Local)
            }
            (Space::Global, [Argument::Value(value)]) if !chain.maps.is_empty() => {
                self.kernel(value, chain, Level::Global);
            }
            _ => {}
        }
        Kept { private: space == Space::Private, local: matches!(space, Space::Local | Space::Items) }
    }

    fn spread(&mut self, e: &Expr, map: Spread, lambda: &Lambda, operands: Kept, chain: &Chain) -> Kept {
        let before = self.mistakes.len();
        let around = |level| chain.maps.iter().any(|m| m.level == level);
        if chain.maps.contains(&map) {
            self.broken(&DUPLICATE, e.site, format!("{map} stands in another {map}"));
        } else if map.level == Level::Global && (around(Level::Group) || around(Level::Local)) {
            self.broken(&MIXED, e.site, format!("{map} stands in a `mapWrg` or `mapLcl`"));
        } else if map.level != Level::Global && around(Level::Global) {
            self.broken(&MIXED, e.site, format!("{map} stands in a `mapGlb`"));
        } else if map.level == Level::Group && around(Level::Local) {
            self.broken(&HIERARCHY, e.site, format!("{map} stands in a `mapLcl`"));
        } else if map.level == Level::Local && !chain.maps.contains(&map.at(Level::Group)) {
            self.broken(&HIERARCHY, e.site, format!("{map} stands in no {}", map.at(Level::Group)));
        } else if map.level == Level::Group && !nested(&lambda.body).contains(&map.at(Level::Local)) {
            self.broken(&DIMENSIONS, e.site, format!("{map} has no {} inside", map.at(Level::Local)));
        } else if map.level != Level::Local && chain.folding {
            self.broken(&SYNCHRONISABLE, e.site, format!("{map} stands in the function of a reduction"));
        }
        let free = self.free(&lambda.body);
        let mut body = self.expr(&lambda.body, &chain.with(map));
        if moves(lambda.body.tail()) {
            // What is only passed on is copied to where the map's result goes.
            body = Kept::default();
        }
        let used = operands.and(free).and(body);
        if used.private && self.mistakes.len() == before {
            let what = match (operands.private || free.private, body.private) {
                (true, _) => "reads private memory",
                _ => "has private memory for its result",
            };
            self.broken(&PRIVATE, e.site, format!("{map} {what}"));
        } else if used.local && map.level != Level::Local && self.mistakes.len() == before {
            self.broken(&LOCAL, e.site, format!("{map} reads or writes local memory"));
        }
        // The outermost map of a kernel answers for all of it.
        if chain.maps.is_empty() && self.mistakes.len() == before {
            self.kernel(e, chain, Level::Global);
        }
        body
    }

    /// Where the values of variables from outside are kept that an expression reads.
    fn free(&self, e: &Expr) -> Kept {
        let mut kept = Kept::default();
        e.visit(&mut |e| {
            if let Kind::Local(local) = &*e.kind
                && let Some(other) = self.kept.get(local)
            {
                kept = kept.and(*other);
            }
        });
        kept
    }

    /// Is everything that is written spread over all dimensions in use? `Level::Local`: those of a
    /// group; anything else: all.
    fn kernel(&mut self, e: &Expr, chain: &Chain, level: Level) {
        let mut used = nested(e);
        used.extend(&chain.maps);
        used.retain(|m| level != Level::Local || m.level == Level::Local);
        self.written(e, &chain.maps, &used);
    }

    fn written(&mut self, e: &Expr, around: &[Spread], used: &Dimensions) {
        match &*e.kind {
            Kind::Local(_) => {}
            Kind::Let(_, _, body) => self.written(body, around, used),
            Kind::Typed(inner, _) | Kind::Field(inner, _) => self.written(inner, around, used),
            Kind::Tuple(parts) => parts.iter().for_each(|p| self.written(p, around, used)),
            Kind::Apply(primitive, arguments) => match (&primitive.form, arguments.as_slice()) {
                (Form::Spread(_), [.., Argument::Function(lambda), _]) => {
                    let inner: Vec<Spread> =
                        around.iter().copied().chain(Spread::of(*primitive, arguments)).collect();
                    self.written(&lambda.body, &inner, used);
                }
                (Form::Map | Form::MapSeq(_), [Argument::Function(lambda), Argument::Value(xs)]) => {
                    if spreads(&lambda.body) {
                        self.written(&lambda.body, around, used);
                    } else if moves(&lambda.body) {
                        self.written(xs, around, used);
                    } else {
                        self.computed(e, around, used);
                    }
                }
                _ if moves_data(*primitive) => {
                    for argument in arguments {
                        if let Argument::Value(value) = argument {
                            self.written(value, around, used);
                        }
                    }
                }
                _ => self.computed(e, around, used),
            },
            _ => self.computed(e, around, used),
        }
    }

    fn computed(&mut self, e: &Expr, around: &[Spread], used: &Dimensions) {
        if let Some(missing) = used.iter().find(|m| !around.contains(m)) {
            let message = format!("every work-item of {missing} would write this");
            self.broken(&EXHAUSTIVE, e.site, message);
        }
    }
}

/// Each once, in the order in which they were met.
type Dimensions = Vec<Spread>;

fn spread((level, dimension): (Level, i64)) -> Spread {
    Spread { level, dimension }
}

/// The spread maps in an expression.
fn nested(e: &Expr) -> Dimensions {
    let mut found = BTreeSet::new();
    e.visit(&mut |e| {
        if let Kind::Apply(primitive, arguments) = &*e.kind {
            found.extend(Spread::of(*primitive, arguments).map(|m| (m.level, m.dimension)));
        }
    });
    found.into_iter().map(spread).collect()
}

fn spreads(e: &Expr) -> bool {
    !nested(e).is_empty()
}

/// Does an expression move data only, and compute nothing?
fn moves(e: &Expr) -> bool {
    let here = match &*e.kind {
        Kind::Local(_) | Kind::Let(..) | Kind::Tuple(_) | Kind::Field(..) | Kind::Typed(..) => true,
        Kind::Apply(primitive, _) => {
            moves_data(*primitive) || matches!(primitive.form, Form::Map | Form::MapSeq(_))
        }
        _ => false,
    };
    here && e.children().into_iter().all(moves)
}

fn moves_data(primitive: Primitive) -> bool {
    use Form::{AsScalar, AsVector, Concat, Kept, Layout, Pad, Reorder, Unzip, Width, Zip};
    matches!(
        primitive.form,
        Layout { .. } | Reorder | Pad | Concat | Zip | Unzip | Kept(_) | AsVector | AsScalar | Width
    )
}
