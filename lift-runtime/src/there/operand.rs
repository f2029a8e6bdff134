//! What a run reads and writes: memory of the host's, or of the device's.

use super::Stored;

/// An argument in standard layout.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    Host(&'a [u8]),
    There {
        memory: &'a dyn Stored,
        /// A number that no other contents of any array have.
        identity: u64,
    },
}

impl<'a> Operand<'a> {
    /// The bytes of one that is on the host.
    pub(crate) fn host(self) -> Option<&'a [u8]> {
        match self {
            Operand::Host(bytes) => Some(bytes),
            Operand::There { .. } => None,
        }
    }
}

/// Where a result goes, in standard layout.
pub(crate) enum Place<'a> {
    Host(&'a mut [u8]),
    There(&'a mut dyn Stored),
}
