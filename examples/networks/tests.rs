//! Sizes that are published, or follow from what is.
