//! What operators refuse.

use lift::ComposeError;

/// Why there is no such operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// Programs that do not fit together.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// An axis that an array of this rank does not have.
    #[error("`{operator}`: there is no axis {axis} in an array of {rank} dimensions")]
    Axis {
        /// The operator that was asked for.
        operator: &'static str,
        /// The axis, counted from 0.
        axis: usize,
        /// The number of dimensions.
        rank: usize,
    },
    /// Numbers that contradict each other.
    #[error("`{operator}`: {reason}")]
    Numbers {
        /// The operator that was asked for.
        operator: &'static str,
        /// What is wrong with them.
        reason: String,
    },
    /// The checker refuses the program.
    #[error("`{operator}`: {mistake}")]
    Unsound {
        /// The operator that was asked for.
        operator: &'static str,
        /// The first of its mistakes.
        mistake: String,
    },
}

impl OperatorError {
    /// Numbers that contradict each other.
    pub(crate) fn numbers(operator: &'static str, reason: impl Into<String>) -> OperatorError {
        OperatorError::Numbers { operator, reason: reason.into() }
    }
}
