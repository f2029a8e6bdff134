//! Each function becomes a Rust function, and a module beside it for compiling once and running
//! often. Whatever names are in scope where they stand, and whether there is a prelude, they mean the same:
//! every path is absolute or leads through the module, and traits' methods are called by path. A function with mistakes gets the same items around an empty program: nobody who calls
//! it should see errors of theirs.

mod free;
mod names;
mod types;

use crate::parse::Item;
use lift_core::Program;
use lift_core::syntax::{Diagnostic, Site};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use std::collections::{HashMap, HashSet};
use syn::Visibility;
use syn::ext::IdentExt;
use types::{Passed, Returned};

/// The Rust items of all functions that Rust can call.
pub fn items(
    items: &[Item],
    programs: &HashMap<String, Program>,
    diagnostics: &mut Vec<Diagnostic>,
) -> TokenStream {
    let expand = |item| {
        let program = programs.get(&Item::text(item));
        Signature::of(item, program).expand(item, program, diagnostics)
    };
    items.iter().filter(|item| !inner(item)).map(expand).collect()
}

/// The functions that become Rust's.
pub fn named(items: &[Item]) -> HashSet<String> {
    items.iter().filter(|item| !inner(item)).map(Item::text).collect()
}

/// A private function may take and return what only other functions of the block can pass and take.
fn inner(item: &Item) -> bool {
    let taken = || item.params.iter().filter_map(|p| p.ty.as_ref()).any(Passed::never);
    let returned = || item.result.as_ref().is_some_and(Returned::never);
    matches!(item.visibility, Visibility::Inherited) && (returned() || taken())
}

/// A function's Rust signature, as far as it could be read.
struct Signature {
    /// Sizes that the caller passes, under their names in Rust.
    free: Vec<Ident>,
    /// Names in Rust, and types.
    params: Vec<(Ident, Option<Passed>)>,
    /// `None` if it could not be read.
    result: Option<Returned>,
}

impl Signature {
    /// The signature by the checked program where there is one, else by what was written.
    fn of(item: &Item, program: Option<&Program>) -> Signature {
        let free = match program {
            Some(program) => {
                program.free_sizes().iter().map(|s| s.var.name.to_string()).collect::<HashSet<_>>()
            }
            None => free::guess(item),
        };
        let is_free = |name: &Ident| free.contains(&name.unraw().to_string());
        let given = item.sizes.iter().filter(|size| !size.tune && is_free(&size.name));
        let free: Vec<&Ident> = given.map(|size| &size.name).collect();
        let names: Vec<&Ident> = free.iter().copied().chain(item.params.iter().map(|p| &p.name)).collect();
        let mut names = names::parameters(&names);
        let of_params = names.split_off(free.len());
        let types = item.params.iter().map(|p| p.ty.as_ref().and_then(Passed::of));
        Signature {
            free: names,
            params: of_params.into_iter().zip(types).collect(),
            result: match program {
                Some(program) => Returned::found(program.result()),
                None => item.result.as_ref().and_then(Returned::of),
            },
        }
    }

    /// The function and its module. The program travels as a string of JSON, which keeps the
    /// expansion small and quick to compile.
    fn expand(
        &self,
        item: &Item,
        program: Option<&Program>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> TokenStream {
        // Without a program the items are there all the same, around a body that is never run.
        let (json, readable) = match program.map(serde_json::to_string) {
            None => (String::new(), self.readable()),
            Some(Ok(json)) => (json, true),
            Some(Err(error)) => {
                let message = format!("`lift!` cannot write this program down: {error}");
                diagnostics.push(Diagnostic::new(Site::default(), message));
                (String::new(), false)
            }
        };
        let parts = Parts::new(self, readable);
        let (function, module) = (parts.function(item), parts.module(item, &json));
        quote! { #function #module }
    }

    /// Can all of it be written in Rust?
    fn readable(&self) -> bool {
        self.result.is_some() && self.params.iter().all(|(_, ty)| ty.is_some())
    }
}

/// The pieces of an expansion that stand in it more than once.
struct Parts {
    /// A name that no parameter of the user's can be.
    device: Ident,
    free: Vec<Ident>,
    /// `image: ArrayView2<'_, f32>,`
    params: TokenStream,
    /// How each parameter is handed over.
    arguments: TokenStream,
    /// The same two where arrays may be on the device.
    params_there: TokenStream,
    arguments_there: TokenStream,
    /// The type of the result in Rust.
    result: TokenStream,
    /// How the result is taken from `outputs`.
    returned: TokenStream,
    /// The same two where it stays on the device.
    result_there: TokenStream,
    returned_there: TokenStream,
    /// How `place`, a variable of the result's type, is handed over to be written to.
    places: TokenStream,
    /// Is there a body that could be compiled?
    readable: bool,
}

impl Parts {
    fn new(signature: &Signature, readable: bool) -> Parts {
        // Names with this span are the macro's: no parameter of the user's with the same
        // spelling can be meant, or shadow them.
        let outputs = Ident::new("outputs", Span::mixed_site());
        let handed = |of: fn(Passed, &Ident) -> (TokenStream, TokenStream)| {
            let (mut params, mut arguments) = (TokenStream::new(), TokenStream::new());
            for (name, ty) in &signature.params {
                let nothing = || (quote!(impl ::core::marker::Sized), quote!());
                let (ty, argument) = ty.map_or_else(nothing, |ty| of(ty, name));
                params.extend(quote!(#name: #ty,));
                arguments.extend(quote!(#argument,));
            }
            (params, arguments)
        };
        let (params, arguments) = handed(|ty, name| (ty.parameter(), ty.argument(name)));
        let (params_there, arguments_there) =
            handed(|ty, name| (ty.parameter_there(), ty.argument_there(name)));
        let place = Ident::new("place", Span::mixed_site());
        let (result, returned, places) = match &signature.result {
            Some(result) => (result.ty(), result.take(&outputs), result.places(&place)),
            None => (quote!(()), quote!(), quote!()),
        };
        let (result_there, returned_there) = match &signature.result {
            Some(result) => (result.ty_there(), result.take_there(&outputs)),
            None => (quote!(()), quote!()),
        };
        Parts {
            device: Ident::new("device", Span::mixed_site()),
            free: signature.free.clone(),
            params,
            arguments,
            params_there,
            arguments_there,
            result,
            returned,
            result_there,
            returned_there,
            places,
            readable,
        }
    }

    /// Nothing that is there only because of a mistake is ever run.
    fn body(&self, body: TokenStream) -> TokenStream {
        if self.readable { body } else { quote!(::core::unreachable!()) }
    }

    /// The function that users call; its parameters have the user's names and spans, so that
    /// errors about them point there.
    fn function(&self, item: &Item) -> TokenStream {
        let Parts { device, free, params, arguments, result, .. } = self;
        let (attributes, visibility, name) = (&item.attributes, &item.visibility, &item.name);
        // A private function may be there for other functions of the block only.
        let unused = matches!(visibility, Visibility::Inherited).then(|| quote!(dead_code,));
        let body = self.body(quote! {
            #name::result(#name::ENTRY.call(#device, &[#(#free),*], &[#arguments])?)
        });
        quote! {
            #(#attributes)*
            #[allow(#unused non_snake_case, unused_variables, clippy::needless_question_mark, clippy::too_many_arguments)]
            #visibility fn #name(#device: &::lift::Device, #(#free: ::core::primitive::usize,)* #params)
                -> ::core::result::Result<#result, ::lift::Error>
            {
                #body
            }
        }
    }

    /// The module beside the function. It is as visible as the function, and has its `cfg`s.
    fn module(&self, item: &Item, json: &str) -> TokenStream {
        let (visibility, name, json) = (&item.visibility, &item.name, Literal::string(json));
        // Where the function is configured out, so is its module; other attributes are the function's alone.
        let conditions = item.attributes.iter().filter(|a| a.path().is_ident("cfg"));
        let sizes: Vec<&Ident> = item.sizes.iter().filter(|s| !s.tune).map(|s| &s.name).collect();
        let doc = format!("The function `{name}`, compiled once and run often.");
        let (compiled, taken) = (self.compiled(), self.taken());
        quote! {
            #(#conditions)*
            #[doc = #doc]
            #[allow(dead_code, missing_docs, non_snake_case, unused_variables, clippy::needless_question_mark, clippy::too_many_arguments)]
            #visibility mod #name {
                pub(super) static ENTRY: ::lift::__private::Entry = ::lift::__private::Entry::new(#json);

                /// The sizes that arrays and loops have.
                #[::core::prelude::v1::derive(
                    ::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug,
                    ::core::cmp::PartialEq, ::core::cmp::Eq
                )]
                pub struct Sizes { #(pub #sizes: ::core::primitive::usize),* }

                /// The checked program.
                pub fn program() -> &'static ::lift::Program { ENTRY.program() }

                /// Builds the program for a device at these sizes; the second time it is remembered.
                pub fn compile(device: &::lift::Device, sizes: Sizes)
                    -> ::core::result::Result<Compiled, ::lift::Error>
                {
                    ENTRY.compile(device, &[#(sizes.#sizes),*]).map(Compiled)
                }

                /// The program at these sizes on a device, to be tuned.
                pub fn tuning(device: &::lift::Device, sizes: Sizes)
                    -> ::core::result::Result<::lift::tune::Tuning, ::lift::Error>
                {
                    ::lift::tune::Tuning::new(program(), device, &[#(sizes.#sizes),*])
                }

                /// Builds the fastest form of the program that is known for the device and takes no more memory than im2col would; see
                /// `lift::tune::Goal`.
                pub fn best(device: &::lift::Device, sizes: Sizes)
                    -> ::core::result::Result<Compiled, ::lift::Error>
                {
                    let best = tuning(device, sizes)?.best(::lift::tune::Goal::Moderate)?;
                    ::core::result::Result::Ok(Compiled(::std::sync::Arc::new(best.compiled)))
                }

                /// The program, built for one device at fixed sizes.
                #[::core::prelude::v1::derive(::core::clone::Clone)]
                pub struct Compiled(::std::sync::Arc<::lift::Compiled>);
                #compiled
                #taken
            }
        }
    }

    /// What a compiled program offers: the function again, for fixed sizes.
    fn compiled(&self) -> TokenStream {
        let Parts { params, arguments, result, places, .. } = self;
        let Parts { params_there, arguments_there, result_there, returned_there, .. } = self;
        let run = self.body(quote!(self::result(self.0.run(&[#arguments])?)));
        let times = Ident::new("times", Span::mixed_site());
        let outputs = Ident::new("outputs", Span::mixed_site());
        let run_timed = self.body(quote! {
            let (#outputs, #times) = self.0.run_timed(&[#arguments])?;
            ::core::result::Result::Ok((self::result(#outputs)?, #times))
        });
        let place = Ident::new("place", Span::mixed_site());
        let run_into = self.body(quote!(self.0.run_into(&[#arguments], [#places])));
        let run_there = self.body(quote! {
            let mut #outputs = ::core::iter::IntoIterator::into_iter(self.0.run_there(&[#arguments_there])?);
            ::core::result::Result::Ok(#returned_there)
        });
        let run_there_into = self.body(quote!(self.0.run_into(&[#arguments_there], [#places])));
        quote! {
            impl Compiled {
                /// Runs the program on arrays of these sizes.
                pub fn run(&self, #params) -> ::core::result::Result<#result, ::lift::Error> { #run }

                /// Runs the program and says how long its kernels took.
                pub fn run_timed(&self, #params)
                    -> ::core::result::Result<(#result, ::lift::Times), ::lift::Error> { #run_timed }

                /// Runs the program and writes its result into that of an earlier run, or another place of its type and
                /// lengths: no memory is taken for it.
                pub fn run_into(&self, #params #place: &mut #result)
                    -> ::core::result::Result<::lift::Times, ::lift::Error> { #run_into }

                /// Runs the program on arrays of the host and of the device, mixed as they come, and leaves its result on the
                /// device: it is not waited for.
                pub fn run_there(&self, #params_there)
                    -> ::core::result::Result<#result_there, ::lift::Error> { #run_there }

                /// The same, its result written over that of an earlier run; waits for it, and says how long the kernels took.
                pub fn run_there_into(&self, #params_there #place: &mut #result_there)
                    -> ::core::result::Result<::lift::Times, ::lift::Error> { #run_there_into }
            }
            impl ::core::ops::Deref for Compiled {
                type Target = ::lift::Compiled;
                fn deref(&self) -> &::lift::Compiled { &self.0 }
            }
        }
    }

    /// How the outputs of a run become the function's result.
    fn taken(&self) -> TokenStream {
        let Parts { result, returned, .. } = self;
        let outputs = Ident::new("outputs", Span::mixed_site());
        let body = self.body(quote! {
            let mut #outputs = ::core::iter::IntoIterator::into_iter(#outputs);
            ::core::result::Result::Ok(#returned)
        });
        quote! {
            pub(super) fn result(#outputs: ::std::vec::Vec<::lift::__private::Output>)
                -> ::core::result::Result<#result, ::lift::Error>
            {
                #body
            }
        }
    }
}
