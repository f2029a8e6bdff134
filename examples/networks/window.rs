//! Windows that convolutions and pooling move over pictures.

/// As large, as far apart and as padded in both directions.
#[derive(Clone, Copy)]
pub struct Window {
    pub side: usize,
    stride: usize,
    before: usize,
    after: usize,
}

impl Window {
    pub fn of(side: usize) -> Window {
        Window { side, stride: 1, before: 0, after: 0 }
    }

    pub fn stride(self, stride: usize) -> Window {
        Window { stride, ..self }
    }

    pub fn padding(self, padding: usize) -> Window {
        Window { before: padding, after: padding, ..self }
    }

    /// The last window may be cut off, as Caffe's pooling has it: so much padding at the end that it is whole.
    pub fn cut_off(self) -> Window {
        Window { after: self.after + self.stride - 1, ..self }
    }

    /// Values for the sizes of a convolution.
    pub fn strides(self) -> Vec<(&'static str, usize)> {
        let Window { stride, before, after, .. } = self;
        let strides = [("SH", stride), ("SW", stride), ("DH", 1), ("DW", 1)];
        strides.into_iter().chain([("PT", before), ("PL", before), ("PB", after), ("PR", after)]).collect()
    }

    /// Values for the sizes of pooling, which has no kernels that tell how large they are.
    pub fn sizes(self) -> Vec<(&'static str, usize)> {
        [("KH", self.side), ("KW", self.side)].into_iter().chain(self.strides()).collect()
    }
}
