//! Programs that have nothing to launch: all their results are empty.
//!
//! Nothing is built for them and no driver is asked. To most an empty source text or an empty grid is an
//! error, and some read an empty text from an address that is none.

use super::driver::{Arguments, Loaded, Taken, Timing};
use crate::Error;
use crate::there::Place;
use lift_core::kernel::Plan;
use std::num::NonZeroUsize;
use std::time::Duration;

pub struct Idle;

impl Loaded for Idle {
    fn run(&self, plan: &Plan, _: Arguments<'_>, _: &mut [Place<'_>], _: Timing) -> Result<Taken, Error> {
        Ok(vec![Some(Duration::ZERO); plan.launches.len()])
    }

    fn repeat(
        &self,
        _: &Plan,
        _: Arguments<'_>,
        _: &mut [Place<'_>],
        _: NonZeroUsize,
    ) -> Result<Duration, Error> {
        Ok(Duration::ZERO)
    }

    fn allocated(&self) -> usize {
        0
    }

    fn unallocated(&self, _: usize) -> usize {
        0
    }

    fn spoil(&self, _: &Plan) -> Result<(), Error> {
        Ok(())
    }

    fn release(&self) {}
}
