//! Forms that are often best, to begin a search with: a device's family lists them ([`lift_core::target`]). They were found for
//! some programs on some devices, and do well on others. They are a start only: each is fitted to the sizes and the limits at
//! hand, and checked and measured like any other.

use super::Choice;
use super::forms::{Forms, PACKED};
use crate::threads;
use lift_core::cost;
use lift_core::target::{Family, Seed};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

/// The seeds of the device that these forms are for, as far as they have a form of these sizes, with how many times as long as
/// the model says they took. Options that do not apply are left out: most were found for padded convolutions with constant
/// weights.
///
/// They come in their family's order. For a device of no known family they come in the model's, since whoever found them
/// had another device: what has too few registers or work-items for a form tries it last.
pub fn seeds(forms: &Forms) -> Vec<(f64, Choice)> {
    let target = forms.target();
    let parsed = |seed: Seed| Some((seed.times, seed.form.parse().ok()?));
    let all: Vec<(f64, Choice)> = target.family.seeds().into_iter().filter_map(parsed).collect();
    // To derive a form takes a tenth of a second, and whoever wants it meanwhile waits: one seed of each goes first.
    let mut known = HashSet::new();
    let first = all.iter().map(|(_, seed)| seed).filter(|seed| known.insert(seed.form())).collect();
    threads::map(first, |seed| forms.of(seed));
    let fitted = |(times, seed): (f64, Choice)| fitted(forms, &seed, times);
    let mut found: Vec<(f64, Choice)> = threads::map(all, fitted).concat();
    // Where options are left out or numbers do not fit, several become the same.
    let mut seen = BTreeSet::new();
    found.retain(|(_, choice)| seen.insert(choice.to_string()));
    if !target.family.is_unknown() {
        return found;
    }
    let seconds = |(times, choice): (f64, Choice)| {
        let seconds = forms.plan(&choice).map_or(f64::INFINITY, |plan| cost::seconds(&plan, target));
        (seconds, (times, choice))
    };
    let mut all = threads::map(found, seconds);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, seed)| seed).collect()
}

/// The choices that are most like a seed, with how many times as long as the model says they may take.
pub fn fitted(forms: &Forms, seed: &Choice, times: f64) -> Vec<(f64, Choice)> {
    with_times(forms.like(seed), seed, times)
}

/// Those that are wanted, but where weights are rearranged once, those that read them as they are given only if no other may be taken,
/// as where there is no memory for a copy. To ask whether one may be taken is dear.
pub fn fitted_in_short(
    forms: &Forms,
    seed: &Choice,
    times: f64,
    wanted: &dyn Fn(&Choice) -> bool,
    may_be: &dyn Fn(&Choice) -> bool,
) -> Vec<(f64, Choice)> {
    let of_wanted = |choices: &[Choice]| {
        let choices = choices.iter().filter(|choice| wanted(choice)).cloned().collect();
        with_times(choices, seed, times)
    };
    if !forms.have_weights() || !seed.options.iter().any(|option| option == PACKED) {
        return of_wanted(&forms.like(seed));
    }
    let copied = forms.like_with(seed, Some(PACKED));
    let of_copied = of_wanted(&copied);
    let others = OnceCell::new();
    let others = || others.get_or_init(|| of_wanted(&forms.like(seed))).clone();
    if of_copied.is_empty() && others().is_empty() || copied.iter().any(may_be) {
        of_copied
    } else {
        others()
    }
}

fn with_times(choices: Vec<Choice>, seed: &Choice, times: f64) -> Vec<(f64, Choice)> {
    choices.into_iter().map(|choice| (weighed(times, choice.doublings_from(seed)), choice)).collect()
}

/// How many times as long as the model says a form takes, if one whose numbers are so many doublings away took `times` as
/// long: the further, the less that says.
pub fn weighed(times: f64, doublings: f64) -> f64 {
    times.powf((-doublings).exp2())
}

/// All that a family's seeds say: what was chosen by other seeds is chosen again.
pub fn text(family: &Family) -> String {
    let line = |seed: Seed| format!("{} {}\n", seed.times, seed.form);
    family.seeds().into_iter().map(line).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::forms::Forms;
    use super::seeds;
    use crate::Device;
    use crate::tune::goal::Bounds;
    use crate::tune::{Choice, Tuning};
    use lift_core::cost;
    use lift_core::expr::{
        Argument, Expr, Function, Kind, Lambda, Literal, Local, NodeId, Param, Pattern, Size,
    };
    use lift_core::nat::{Nat, Var};
    use lift_core::primitives::Primitive;
    use lift_core::scalar::Op;
    use lift_core::schedules::Schedule;
    use lift_core::syntax::Site;
    use lift_core::target::{Class, Description, Family, Limits, Target};
    use lift_core::types::{Scalar, Type};
    use lift_core::{Program, Sizes};

    #[test]
    fn what_was_measured_says_less_of_other_numbers() {
        assert_eq!([0.0, 1.0].map(|doublings| super::weighed(0.25, doublings)), [0.25, 0.5]);
        assert!(super::weighed(0.25, 9.0) > 0.99 && super::weighed(4.0, 9.0) < 1.01);
    }

    #[test]
    fn all_are_forms_of_schedules() {
        for family in Family::all() {
            assert!(family.seeds().len() >= 4, "{}", family.name);
            for seed in family.seeds() {
                assert!(seed.times > 0.01 && seed.times < 100.0, "{seed:?}");
                let choice: Choice = seed.form.parse().expect("a choice");
                assert_eq!(choice.to_string(), seed.form, "{}", family.name);
                let schedule = choice.schedule.as_deref().and_then(Schedule::named).expect("a schedule");
                let known = |name: &String| schedule.options.iter().any(|(option, _)| option == name);
                assert!(choice.options.iter().all(known), "{choice}");
                let has = |(name, value): &(String, i64)| {
                    schedule.parameters.iter().any(|p| p.name == name && p.values.contains(value))
                };
                assert!(choice.point.iter().all(has), "{choice}");
            }
        }
    }

    fn node(kind: Kind) -> Expr {
        Expr { id: NodeId::default(), site: Site::default(), kind: kind.into() }
    }

    fn local(index: u32, name: &str) -> Local {
        Local { name: name.into(), index }
    }

    fn apply(name: &str, arguments: Vec<Argument>) -> Expr {
        node(Kind::Apply(Primitive::named(name).expect("a primitive"), arguments))
    }

    fn lambda(params: Vec<Pattern>, body: Expr) -> Argument {
        Argument::Function(Lambda { site: Site::default(), params, body })
    }

    #[test]
    fn a_search_begins_with_the_seeds_in_the_order_of_the_model() {
        let tuning = Tuning::new(&product(), &Device::cpu(), &[256; 3]).expect("it has forms").stored(None);
        let known = tuning.known();
        let by_model = tuning.by_model(Bounds::NONE).into_iter().map(|(_, choice)| choice);
        let seeds: Vec<_> = by_model.filter(|choice| !choice.is_plain()).collect();
        assert!(seeds.len() > 1, "{seeds:?}");
        let among_seeds: Vec<_> = known.into_iter().filter(|choice| seeds.contains(choice)).collect();
        assert_eq!(among_seeds, seeds);
    }

    fn array(outer: &str, inner: &str) -> Type {
        let row = Type::array(Type::Scalar(Scalar::F32), Nat::size(inner));
        Type::array(row, Nat::size(outer))
    }

    /// A function of matrices, given its sizes, what each parameter is called and has for a type, and its result.
    fn of_matrices(
        name: &str,
        sizes: &[&str],
        params: &[(&Local, Type)],
        body: Expr,
        result: Type,
    ) -> Program {
        let site = Site::default();
        let size = |name: &&str| Size { var: Var::size(name), site, tune: None };
        let param = |(local, ty): &(&Local, Type)| Param {
            local: (*local).clone(),
            ty: ty.clone(),
            site,
            constant: false,
        };
        let function = Function {
            name: name.into(),
            site,
            sizes: sizes.iter().map(size).collect(),
            params: params.iter().map(param).collect(),
            result,
            result_site: site,
            wheres: vec![],
            body,
            strict: false,
        };
        Program { function: function.number() }
    }

    /// `fn transposed<N, M>(xs: [[f32; M]; N]) -> [[f32; N]; M]`
    pub fn transposition() -> Program {
        let xs = local(1, "xs");
        let body = apply("transpose", vec![Argument::Value(Expr::local(&xs))]);
        of_matrices("transposed", &["N", "M"], &[(&xs, array("N", "M"))], body, array("M", "N"))
    }

    /// `fn product<N, M, W>(xs: [[f32; W]; N], ys: [[f32; W]; M]) -> [[f32; M]; N]`: a size is called as a parameter
    /// of `blocked` is.
    pub fn product() -> Program {
        let [xs, ys, x, y] = [local(1, "xs"), local(2, "ys"), local(3, "x"), local(4, "y")];
        let [sum, p, q] = [local(5, "sum"), local(6, "p"), local(7, "q")];
        let value = |l: &Local| Argument::Value(Expr::local(l));
        let term = node(Kind::Op(Op::Mul, vec![Expr::local(&p), Expr::local(&q)]));
        let pair = Pattern::Tuple(vec![Pattern::Local(p), Pattern::Local(q)]);
        let step = node(Kind::Op(Op::Add, vec![Expr::local(&sum), term]));
        let zero = Argument::Value(node(Kind::Literal(Literal::Float(0.0))));
        let pairs = Argument::Value(apply("zip", vec![value(&x), value(&y)]));
        let dot = apply("reduce", vec![zero, lambda(vec![Pattern::Local(sum), pair], step), pairs]);
        let row = apply("map", vec![lambda(vec![Pattern::Local(y)], dot), value(&ys)]);
        let body = apply("map", vec![lambda(vec![Pattern::Local(x)], row), value(&xs)]);
        let params = [(&xs, array("N", "W")), (&ys, array("M", "W"))];
        of_matrices("product", &["N", "M", "W"], &params, body, array("N", "M"))
    }

    /// The seeds of a device for it, at a size that most have exact forms of.
    fn of(target: &Target) -> (Forms, Vec<(f64, Choice)>) {
        let sizes = ["N", "M", "W"].map(|name| (Var::size(name), 256));
        let forms = Forms::new(&product(), &Sizes(sizes.into()), target);
        let found = seeds(&forms);
        (forms, found)
    }

    /// A device of this name, with the least room that one of today's phones has.
    fn named(name: &str) -> Target {
        let limits = Limits { group: 256, sides: [256; 3], local: 16 << 10, ..Limits::default() };
        let names = vec![name.to_string()];
        Target::of(&Description { names, limits, ..Description::unknown(Class::Gpu, 4) })
    }

    #[test]
    fn a_parameter_is_found_by_its_name_whatever_the_sizes_are_called() {
        let h200 = Description {
            names: vec!["NVIDIA H200".into()],
            limits: Limits { local: 48 << 10, ..Limits::default() },
            ..Description::unknown(Class::Gpu, 132)
        };
        let (forms, found) = of(&Target::of(&h200));
        let first = &found[0].1;
        assert_eq!(
            first.to_string(),
            "blocked ragged split ahead GM=16 GN=32 TM=8 TN=4 BK=32 W=4 V=4 S=16 P=4"
        );
        // As text, and as the program that a worker is sent.
        assert_eq!(first.to_string().parse().as_ref(), Ok(first));
        let (program, sizes) = forms.of(first).and_then(|form| form.program(first)).expect("a form");
        let written = serde_json::to_string(&program).expect("text");
        let sent = crate::entry::from_json(&written).expect("a program");
        assert_eq!(sent, program);
        let w = |var: Var| sizes.get(&var);
        assert_eq!((w(Var::size("W")), w(Var::parameter("W"))), (Some(256), Some(4)));
        // Where names are all that there is, they are apart.
        let text = program.function.to_string();
        assert!(text.contains("product<N, M, W, ") && text.contains("tune W_: [1, 2, 4]"), "{text}");
        let kernels = forms.plan(first).expect("it is one").opencl();
        assert!(kernels.contains("#define W_ 256\n") && kernels.contains("#define W_2_ 4\n"), "{kernels}");
    }

    /// Of few results each compute unit has some, or most have: a block is no larger than that.
    #[test]
    fn small_products_are_spread_over_a_large_gpu() {
        let names = vec!["NVIDIA H200".into()];
        let limits = Limits { local: 48 << 10, ..Limits::default() };
        let target = Target::of(&Description { names, limits, ..Description::unknown(Class::Gpu, 132) });
        for (n, m, w) in [(128, 128, 128), (196, 96, 384), (49, 320, 960), (100, 250, 70)] {
            let sizes = [("N", n), ("M", m), ("W", w)].map(|(name, value)| (Var::size(name), value));
            let forms = Forms::new(&product(), &Sizes(sizes.into()), &target);
            let plans = seeds(&forms).into_iter().filter_map(|(times, choice)| {
                let plan = forms.plan(&choice).ok()?;
                Some((cost::corrected(&plan, &target, times), choice, plan))
            });
            let first = plans.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are forms");
            let groups = |launch: &lift_core::kernel::Launch| {
                let group = launch.group.map_or(1, |group| group.iter().product::<usize>());
                launch.global().iter().product::<usize>() / group
            };
            let most = first.2.launches.iter().map(groups).max().unwrap_or(0);
            assert!(most >= 66, "{n} × {w} by {w} × {m}: {most} groups by `{}`", first.1);
        }
    }

    /// A device of a known family begins with its own, and none begins with what it has no room for.
    #[test]
    fn small_devices_begin_with_forms_that_they_have_room_for() {
        for name in ["Mali-G72", "Mali-G52", "Mali-G78", "QUALCOMM Adreno(TM)", "Frobnicator 3000"] {
            let target = named(name);
            let (forms, found) = of(&target);
            assert!(found.len() >= 4, "{name}: {found:?}");
            for (_, choice) in &found {
                let plan = forms.plan(choice).unwrap_or_else(|e| panic!("{name}: {choice}: {e}"));
                let groups = plan.launches.iter().filter_map(|launch| launch.group);
                let most = groups.map(|group| group.iter().product::<usize>()).max().unwrap_or(1);
                let local = plan.report().kernels.iter().map(|kernel| kernel.local).max().unwrap_or(0);
                assert!(most <= 256 && local <= 16 << 10, "{name}: {choice}: {most}, {local} bytes");
            }
            let seconds = |choice: &Choice| cost::seconds(&forms.plan(choice).expect("it is one"), &target);
            if target.family.is_unknown() {
                let all: Vec<f64> = found.iter().map(|(_, choice)| seconds(choice)).collect();
                assert!(all.is_sorted(), "{all:?}");
            } else {
                let wanted: Choice = target.family.seeds()[0].form.parse().expect("a choice");
                assert_eq!(found[0].1.schedule, wanted.schedule, "{name}: {}", found[0].1);
            }
        }
    }
}
