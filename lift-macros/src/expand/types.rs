//! The language's types in Rust: arrays are `ndarray`'s, their rank in the type.

use lift_core::syntax::{TypeExpr, TypeKind};
use lift_core::types::{Scalar, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Index;

/// Ranks that `ndarray` has types of their own for.
const NAMED_RANKS: usize = 6;

/// A scalar (rank 0), or an array of scalars.
#[derive(Clone, Copy)]
pub struct Passed {
    /// The type of its elements.
    scalar: Scalar,
    /// The number of dimensions.
    rank: usize,
}

/// What a function returns: one value, or a tuple.
pub struct Returned {
    /// The components, or the one value.
    parts: Vec<Passed>,
    /// Is it a tuple? A tuple may have one component.
    tuple: bool,
}

impl Passed {
    /// As it was written; `None` for what Rust can't pass, or has a mistake in it.
    pub fn of(ty: &TypeExpr) -> Option<Passed> {
        match &ty.kind {
            TypeKind::Name(name) => Scalar::from_name(name).map(|scalar| Passed { scalar, rank: 0 }),
            TypeKind::Array(element, _) => Passed::of(element).map(|p| Passed { rank: p.rank + 1, ..p }),
            TypeKind::Tuple(_) => None,
        }
    }

    /// Is it a type that Rust can't pass, rather than one with a mistake in it?
    pub fn never(ty: &TypeExpr) -> bool {
        holds_tuple(ty)
    }

    /// As the checker knows it.
    fn found(ty: &Type) -> Option<Passed> {
        let (lengths, scalar) = ty.shape();
        scalar.as_scalar().map(|scalar| Passed { scalar, rank: lengths.len() })
    }

    /// The Rust type of an element, by an absolute path.
    fn element(self) -> TokenStream {
        // By an absolute path: a type of the user's may be called `f32` too.
        let name = Ident::new(self.scalar.name(), Span::call_site());
        match self.scalar {
            Scalar::F16 => quote!(::lift::half::f16),
            _ => quote!(::core::primitive::#name),
        }
    }

    /// The type of a parameter.
    pub fn parameter(self) -> TokenStream {
        let element = self.element();
        if self.rank == 0 {
            return element;
        }
        let view = named("ArrayView", self.rank);
        quote!(::lift::ndarray::#view<'_, #element>)
    }

    /// The type of a parameter that an array on the device may be passed for. A number is passed to kernels by value: it is the
    /// host's.
    pub fn parameter_there(self) -> TokenStream {
        let element = self.element();
        if self.rank == 0 {
            return element;
        }
        let dimension = self.dimension();
        quote!(impl ::lift::Passed<#element, #dimension>)
    }

    /// Such a parameter handed to the runtime.
    pub fn argument_there(self, name: &Ident) -> TokenStream {
        match self.rank {
            0 => quote!(::lift::__private::scalar(&#name)),
            _ => quote!(::lift::Passed::argument(&#name)),
        }
    }

    /// The type of its number of dimensions.
    fn dimension(self) -> TokenStream {
        let name = match self.rank {
            ..=NAMED_RANKS => format_ident!("Ix{}", self.rank),
            _ => format_ident!("IxDyn"),
        };
        quote!(::lift::ndarray::#name)
    }

    /// A parameter handed to the runtime.
    pub fn argument(self, name: &Ident) -> TokenStream {
        match self.rank {
            0 => quote!(::lift::__private::scalar(&#name)),
            _ => quote!(::lift::__private::array(#name)),
        }
    }

    /// The type of a result.
    fn ty(self) -> TokenStream {
        let element = self.element();
        if self.rank == 0 {
            return element;
        }
        let array = named("Array", self.rank);
        quote!(::lift::ndarray::#array<#element>)
    }

    /// The type of a result that stays on the device.
    fn ty_there(self) -> TokenStream {
        let (element, dimension) = (self.element(), self.dimension());
        quote!(::lift::DeviceArray<#element, #dimension>)
    }

    /// The next output of the runtime, as this type.
    fn take(self, outputs: &Ident) -> TokenStream {
        match self.rank {
            0 => quote!(::lift::__private::take_scalar(::core::iter::Iterator::next(&mut #outputs))?),
            _ => quote!(::lift::__private::take_array(::core::iter::Iterator::next(&mut #outputs))?),
        }
    }
}

impl Returned {
    /// As it was written.
    pub fn of(ty: &TypeExpr) -> Option<Returned> {
        match &ty.kind {
            TypeKind::Tuple(parts) => {
                let parts = parts.iter().map(Passed::of).collect::<Option<_>>()?;
                Some(Returned { parts, tuple: true })
            }
            _ => Passed::of(ty).map(|one| Returned { parts: vec![one], tuple: false }),
        }
    }

    /// As the checker knows it, which may be more than what was written.
    pub fn found(ty: &Type) -> Option<Returned> {
        match ty {
            Type::Tuple(parts) => {
                let parts = parts.iter().map(Passed::found).collect::<Option<_>>()?;
                Some(Returned { parts, tuple: true })
            }
            one => Passed::found(one).map(|one| Returned { parts: vec![one], tuple: false }),
        }
    }

    /// Is it a type that Rust can't be handed, rather than one with a mistake in it?
    pub fn never(ty: &TypeExpr) -> bool {
        match &ty.kind {
            TypeKind::Tuple(parts) => parts.iter().any(holds_tuple),
            _ => holds_tuple(ty),
        }
    }

    /// The Rust type of the whole result.
    pub fn ty(&self) -> TokenStream {
        let parts = self.parts.iter().map(|part| part.ty());
        if self.tuple { quote!((#(#parts,)*)) } else { quote!(#(#parts)*) }
    }

    /// The type of the whole result where it stays on the device.
    pub fn ty_there(&self) -> TokenStream {
        let parts = self.parts.iter().map(|part| part.ty_there());
        if self.tuple { quote!((#(#parts,)*)) } else { quote!(#(#parts)*) }
    }

    /// The value taken from an iterator over the runtime's outputs that stay on the device.
    pub fn take_there(&self, outputs: &Ident) -> TokenStream {
        let parts = self
            .parts
            .iter()
            .map(|_| quote!(::lift::__private::take_there(::core::iter::Iterator::next(&mut #outputs))?));
        if self.tuple { quote!((#(#parts,)*)) } else { quote!(#(#parts)*) }
    }

    /// Where the runtime writes each of the results, in a place of this type.
    pub fn places(&self, place: &Ident) -> TokenStream {
        let into =
            |part: TokenStream| quote!(<::lift::Destination as ::core::convert::From<_>>::from(&mut #part));
        match self.tuple {
            true => {
                let parts = (0..self.parts.len()).map(|k| {
                    let k = Index::from(k);
                    into(quote!(#place.#k))
                });
                quote!(#(#parts),*)
            }
            false => into(quote!(*#place)),
        }
    }

    /// The value taken from an iterator over the runtime's outputs.
    pub fn take(&self, outputs: &Ident) -> TokenStream {
        let parts = self.parts.iter().map(|part| part.take(outputs));
        if self.tuple { quote!((#(#parts,)*)) } else { quote!(#(#parts)*) }
    }
}

/// Is there a tuple anywhere in it?
fn holds_tuple(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Name(_) => false,
        TypeKind::Array(element, _) => holds_tuple(element),
        TypeKind::Tuple(_) => true,
    }
}

/// `Array3`, or `ArrayD` where there is no such type.
fn named(prefix: &str, rank: usize) -> Ident {
    match rank {
        ..=NAMED_RANKS => format_ident!("{prefix}{rank}"),
        _ => format_ident!("{prefix}D"),
    }
}
