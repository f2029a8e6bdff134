//! Binaries of OpenCL programs on disk, which a driver may refuse to take back, or end the process over.

use crate::Error;
use crate::cache::Cache;

/// What is noted of a binary before the driver is given it back for the first time, what before the second time if the first process
/// came to no end of that, and what once the driver has taken it.
const BEGUN: &[u8] = b"begun";
const BEGUN_AGAIN: &[u8] = b"begun again";
const TAKEN: &[u8] = b"taken";

/// The binary of one program, or the place for it.
pub struct Kept<'a> {
    cache: &'a Cache,
    binary: String,
    note: String,
}

/// What became of a binary.
pub enum Back<T> {
    /// The driver took it back.
    Taken(T),
    /// There is none.
    Missing,
    /// The driver did not take it back, and it is thrown away: another is to be tried before it is kept.
    Refused,
    /// Two processes ended over it: it is of no use, and is not made again.
    Ended,
}

impl<'a> Kept<'a> {
    pub fn of(cache: &'a Cache, key: &str) -> Kept<'a> {
        Kept { cache, binary: format!("{key}.clbin"), note: format!("{key}.taken") }
    }

    /// Keeps a binary that was not given back to the driver yet: to do so at once takes as long as a good part of the build.
    pub fn keep(&self, binary: &[u8]) {
        self.cache.write(&self.binary, binary);
    }

    /// Keeps a binary that the driver has taken back.
    pub fn keep_taken(&self, binary: &[u8]) {
        self.keep(binary);
        self.cache.write(&self.note, TAKEN);
    }

    /// What `build` makes of the binary. Until the driver has taken it back once, it is noted before each try, so that a binary over
    /// which the driver ends the process ends two processes and no more. Somebody else may have ended the first.
    pub fn taken_back<T>(&self, build: impl FnOnce(&[u8]) -> Result<T, Error>) -> Back<T> {
        let note = self.cache.read(&self.note);
        if note.as_deref() == Some(BEGUN_AGAIN) {
            return Back::Ended;
        }
        let Some(binary) = self.cache.read(&self.binary) else { return Back::Missing };
        let untried = note.as_deref() != Some(TAKEN);
        if untried {
            let again = note.as_deref() == Some(BEGUN);
            self.cache.write(&self.note, if again { BEGUN_AGAIN } else { BEGUN });
        }
        match build(&binary) {
            Ok(built) => {
                if untried {
                    self.cache.write(&self.note, TAKEN);
                }
                Back::Taken(built)
            }
            Err(error) => {
                let why = error.to_string();
                self.cache.remove(&self.binary, &why);
                self.cache.remove(&self.note, &why);
                Back::Refused
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn taken(kept: &Kept) -> Option<Vec<u8>> {
        match kept.taken_back(|binary| Ok(binary.to_vec())) {
            Back::Taken(binary) => Some(binary),
            Back::Missing | Back::Refused | Back::Ended => None,
        }
    }

    fn in_folder(check: impl FnOnce(&Kept)) {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(Some(folder.path().to_path_buf()), 1 << 20);
        check(&Kept::of(&cache, "program"));
    }

    #[test]
    fn what_was_kept_is_taken_back_again_and_again() {
        in_folder(|kept| {
            assert!(matches!(kept.taken_back(|_| Ok(())), Back::Missing));
            kept.keep(b"kernels");
            for _ in 0..3 {
                assert_eq!(taken(kept).as_deref(), Some(&b"kernels"[..]));
            }
        });
    }

    /// Is given the binary, and ends before it has built it; a panic stands for the end of the process.
    fn ended(kept: &Kept) {
        let ends = |_: &[u8]| -> Result<(), Error> { panic!("the process ends") };
        let ended = catch_unwind(AssertUnwindSafe(|| matches!(kept.taken_back(ends), Back::Taken(()))));
        assert!(ended.is_err());
    }

    #[test]
    fn what_ends_two_processes_ends_no_other() {
        in_folder(|kept| {
            kept.keep(b"kernels");
            ended(kept);
            ended(kept);
            assert!(matches!(kept.taken_back(|_| Ok(())), Back::Ended));
        });
    }

    #[test]
    fn a_process_that_somebody_ended_costs_nothing() {
        in_folder(|kept| {
            kept.keep(b"kernels");
            ended(kept);
            for _ in 0..2 {
                assert!(taken(kept).is_some());
            }
            // Nor does one that ends later.
            for _ in 0..3 {
                ended(kept);
            }
            assert!(taken(kept).is_some());
        });
    }

    #[test]
    fn what_the_driver_refuses_is_thrown_away() {
        in_folder(|kept| {
            let refused = |_: &[u8]| {
                Err::<(), _>(Error::OutOfMemory { what: "a test".into(), bytes: 1, available: None })
            };
            for keep in [Kept::keep, Kept::keep_taken] {
                keep(kept, b"kernels");
                assert!(matches!(kept.taken_back(refused), Back::Refused));
                assert!(matches!(kept.taken_back(refused), Back::Missing));
            }
            kept.keep_taken(b"others");
            assert_eq!(taken(kept).as_deref(), Some(&b"others"[..]));
        });
    }
}
