//! Programs at the edges of the syntax compile without a warning, and run.

#![deny(warnings)]

use std::collections::BTreeSet;
use std::path::Path;

macro_rules! programs {
    ($($name:ident)*) => {
        #[path = "ui/pass"]
        mod programs {
            $(pub mod $name;)*
        }

        $(#[test]
        fn $name() {
            Ended::ended(programs::$name::main());
        })*

        #[test]
        fn all_are_tried() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/pass");
            let name = |entry: std::io::Result<std::fs::DirEntry>| {
                entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned()
            };
            let there: BTreeSet<String> = folder.read_dir().expect("it is there").map(name).collect();
            assert_eq!(there, [$(stringify!($name)),*].map(String::from).into());
        }
    };
}

programs! {
    bare cc22_listing2 convolutions expressions functions gpgpu20_listing4 hashemi_16x2 iree_two_levels lengths long
    networks overlapped_tiles places rounding scalars scans stencils surface tiles
}

/// What `main` ends with.
trait Ended {
    fn ended(self);
}

impl Ended for () {
    fn ended(self) {}
}

impl Ended for Result<(), lift::Error> {
    fn ended(self) {
        self.expect("it runs");
    }
}
