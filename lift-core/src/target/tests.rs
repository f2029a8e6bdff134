use super::{Class, Description, Family, Features, Limits, Measured, Target};

/// The family of a GPU whose driver says this.
fn gpu(name: &str, platform: &str) -> &'static str {
    let names = vec![name.to_string(), platform.to_string()];
    Family::of(&Description { names, ..Description::unknown(Class::Gpu, 4) }).name
}

/// The family of a processor whose driver says this.
fn processor(name: &str, vector: usize) -> &'static str {
    let names = vec![name.to_string(), "Portable Computing Language".to_string()];
    Family::of(&Description { names, vector, ..Description::unknown(Class::Processor, 4) }).name
}

#[test]
fn gpus_are_recognised_by_what_drivers_call_them() {
    for (name, platform, family) in [
        ("NVIDIA H200", "NVIDIA CUDA", "nvidia"),
        ("Tesla T4", "NVIDIA CUDA", "nvidia"),
        ("Mali-G71", "ARM Platform", "mali-bifrost"),
        ("Mali-G72", "ARM Platform", "mali-bifrost"),
        ("Mali-G31 r0p0", "ARM Platform", "mali-bifrost"),
        ("Mali-G52 (Panfrost)", "rusticl", "mali-bifrost-wide"),
        ("Mali-G76 r0p0", "ARM Platform", "mali-bifrost-wide"),
        ("Mali-G57", "ARM Platform", "mali-valhall"),
        ("Mali-G78", "ARM Platform", "mali-valhall"),
        // Not a G71, and not a G31, G51 or G72.
        ("Mali-G710 r0p0", "ARM Platform", "mali-valhall"),
        ("Mali-G310", "ARM Platform", "mali-valhall"),
        ("Mali-G510", "ARM Platform", "mali-valhall"),
        ("Mali-G720-Immortalis", "ARM Platform", "mali-valhall"),
        ("Mali-LODX r0p0", "ARM Platform", "mali-valhall"),
        ("Mali-T880", "ARM Platform", "unknown-gpu"),
        ("QUALCOMM Adreno(TM)", "QUALCOMM Snapdragon(TM)", "adreno"),
        ("Frobnicator 3000", "Frobs", "unknown-gpu"),
        ("", "", "unknown-gpu"),
    ] {
        assert_eq!(gpu(name, platform), family, "{name}");
    }
}

#[test]
fn processors_are_recognised_by_names_and_else_by_vectors() {
    for (name, vector, family) in [
        ("pthread-skylake-avx512-Intel(R) Xeon(R) Processor", 64, "avx512"),
        ("cpu-sapphirerapids-Intel(R) Xeon(R) Platinum 8480+", 64, "avx512"),
        ("cpu-sapphirerapids-Intel(R) Xeon(R) Platinum 8480+", 32, "avx512"),
        ("pthread-znver4-AMD EPYC 9654", 64, "avx512"),
        ("pthread-haswell-Intel(R) Core(TM) i7-4770", 32, "avx2"),
        ("cpu-skylake-Intel(R) Core(TM) i7-6700", 32, "avx2"),
        ("cpu-cortex-a76-ARM Cortex-A76", 16, "neon"),
        // Its vectors are as long as AVX2's.
        ("cpu-neoverse-v1-0xd40", 32, "neon"),
        ("cpu", 64, "avx512"),
        ("cpu", 32, "avx2"),
        ("cpu", 16, "unknown-processor"),
        ("NVIDIA Grace", 4, "unknown-processor"),
    ] {
        assert_eq!(processor(name, vector), family, "{name}");
    }
}

/// Whatever a file leaves out or misspells is refused when it is read.
#[test]
fn every_file_is_read_and_says_what_can_be() {
    for family in Family::all() {
        assert!(Family::named(family.name) == Some(family));
        assert!(!family.seeds().is_empty(), "{}", family.name);
        let described = Description {
            clock: Some(1e9),
            limits: Limits { local: 1 << 15, ..Limits::default() },
            ..Description::unknown(family.class(), 8)
        };
        let (hierarchy, costs) = {
            let hierarchy = family.hierarchy(&described);
            (hierarchy, family.costs(&described, &hierarchy))
        };
        let name = family.name;
        assert!(hierarchy.together.is_power_of_two() && hierarchy.together <= 128, "{name}");
        assert!(hierarchy.group.is_power_of_two() && hierarchy.group % hierarchy.together == 0, "{name}");
        assert!(costs.line % costs.banks == 0, "{name}: {costs:?}");
        assert!(costs.busy <= costs.resident, "{name}: {costs:?}");
        assert!(costs.most_registers <= costs.registers, "{name}: {costs:?}");
        // By orders of magnitude, of a phone's to a large card's.
        for (what, value, least, most) in [
            ("issue", costs.issue, 1e9, 1e12),
            ("near", costs.near, 1e9, 1e12),
            ("far", costs.far, 1e9, 1e13),
            ("launch", costs.launch, 1e-6, 1e-3),
            ("registers", costs.registers, 256.0, 1e6),
        ] {
            assert!((least..=most).contains(&value), "{name}: {what} = {value}");
        }
    }
    let unknown: Vec<_> = Family::all().iter().filter(|f| f.is_unknown()).map(|f| f.class()).collect();
    assert_eq!(unknown, [Class::Gpu, Class::Processor]);
}

/// What the estimates were fitted to on an H200 and on processors with AVX-512.
#[test]
fn measured_families_have_the_costs_that_were_fitted() {
    let names = vec!["NVIDIA H200".into(), "NVIDIA Corporation".into(), "NVIDIA CUDA".into()];
    let clock = Some(1.98e9);
    let h200 = Target::of(&Description { names, clock, ..Description::unknown(Class::Gpu, 132) });
    let (costs, hierarchy) = (h200.costs, h200.hierarchy);
    assert_eq!((hierarchy.units, hierarchy.group, hierarchy.together, hierarchy.vector), (132, 256, 32, 4));
    assert_eq!((costs.issue, costs.near, costs.far), (2e11, 2e11, 1e12));
    assert_eq!((costs.latency, costs.busy, costs.resident), (0.0, 512.0, 2048.0));
    assert_eq!((costs.registers, costs.most_registers), (262_144.0, 1020.0));
    assert_eq!(costs.in_a_loop, f64::INFINITY);
    assert_eq!((costs.line, costs.banks, costs.load), (128, 32, 16.0));
    assert_eq!((costs.answer, costs.barrier, costs.wait, costs.launch), (1.5e-7, 1.0, 5e-7, 4e-6));
    let avx512 = Target::of(&Description { vector: 64, ..Description::unknown(Class::Processor, 32) });
    let (costs, hierarchy) = (avx512.costs, avx512.hierarchy);
    assert_eq!((hierarchy.units, hierarchy.group, hierarchy.together, hierarchy.vector), (32, 256, 1, 64));
    assert_eq!((costs.issue, costs.near, costs.far, costs.load), (6e9, 1e11, 2e10, 16.0));
    assert_eq!((costs.latency, costs.line), (1e-9, 64));
    assert_eq!((costs.busy, costs.registers, costs.most_registers), (1.0, 2560.0, 2560.0));
    assert_eq!(costs.in_a_loop, 32.0 * 64.0);
    assert_eq!((costs.answer, costs.barrier, costs.wait, costs.launch), (0.0, 8.0, 0.0, 1e-5));
}

#[test]
fn a_device_of_no_family_is_judged_by_what_it_tells() {
    let described = |units, clock| Description { clock, ..Description::unknown(Class::Gpu, units) };
    let small = Target::of(&described(4, Some(5e8)));
    let large = Target::of(&described(64, Some(2e9)));
    assert_eq!(large.costs.issue, 4.0 * small.costs.issue);
    assert_eq!(large.costs.far, 16.0 * small.costs.far);
    // Drivers that tell 0 know no better.
    assert_eq!(Target::of(&described(0, Some(0.0))), Target::of(&described(1, None)));
    // Every seed of the others is tried, with nobody's correction.
    let seeds = small.family.seeds();
    assert!(seeds.iter().all(|seed| seed.times == 1.0));
    for other in ["nvidia", "mali-valhall", "adreno"] {
        let others = Family::named(other).expect("a family").seeds();
        assert!(others.iter().all(|seed| seeds.iter().any(|own| own.form == seed.form)), "{other}");
    }
}

#[test]
fn without_a_device_there_is_room_for_what_nearly_every_device_has() {
    let target = Target::default();
    assert_eq!(target.limits, Limits::default());
    assert_eq!(target.features, Features { f16: true, f64: true, wide_vectors: true, vector_sums: true });
    assert_eq!(target.hierarchy.group, 256);
}

/// Figures of a family that was measured change in proportion, those of an unknown one are what was measured; what can't be
/// is not believed.
#[test]
fn what_was_measured_takes_the_place_of_a_familys_figures() {
    let of = |name: &str, vector| {
        let names = vec![name.to_string()];
        Target::of(&Description { names, vector, ..Description::unknown(Class::Processor, 4) })
    };
    let (known, unknown) = (of("sapphirerapids", 64), of("none", 16));
    let reference = *known.family.measured().expect("it was measured");
    let same = known.calibrated(&reference).costs;
    assert_eq!((same.issue, same.near, same.far), (known.costs.issue, known.costs.near, reference.far));
    let twice = Measured { multiply_adds: 2.0 * reference.multiply_adds, ..reference };
    assert_eq!(known.calibrated(&twice).costs.issue, 2.0 * known.costs.issue);
    // Four lanes.
    assert_eq!(unknown.family.name, "unknown-processor");
    let slow = Measured { multiply_adds: 8e9, near: 5e10, far: 1e10, launch: 1e-5 };
    let costs = unknown.calibrated(&slow).costs;
    assert_eq!((costs.issue, costs.near, costs.far, costs.launch), (2e9, 5e10, 1e10, 1e-5));
    for wrong in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        let wrong = Measured { multiply_adds: wrong, near: wrong, far: wrong, launch: wrong };
        assert_eq!(known.calibrated(&wrong).costs, known.costs);
    }
    let far = Measured { far: 1e300, ..reference };
    assert_eq!(known.calibrated(&far).costs.far, 8.0 * known.costs.far);
}
