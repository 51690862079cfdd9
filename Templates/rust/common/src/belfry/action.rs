//! What is run when a notification is opened.

use super::raw;
use super::{guarded, Instant, Value};
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};

/// One action type, and the function behind it. `belfry::action!` makes one:
///
///     belfry::action!("viewProduct", "shows a product", view(sku: &str, price: f64, quantity: i64 = 1))
///
///     fn view(sku: &str, price: f64, quantity: i64) -> Result<Value, String> { … }
///
/// The signature that the host reads, `viewProduct(sku: string, price: double, quantity: int = 1)`, follows from that. The host
/// has read, checked and converted the arguments before it calls. What the function returns is the `result` of
/// `action.invoked`, `Value::Null` for none; an error is one sentence.
pub struct Action {
    kind: &'static str,
    summary: &'static str,
    signature: String,
    function: *const c_void,
}

impl Action {
    /// - parameters: name, type and default of each; an empty type or default is left out.
    pub fn new(
        kind: &'static str, summary: &'static str, parameters: &[(&str, &str, &str)], function: *const c_void,
    ) -> Self {
        let parameters: Vec<String> = parameters
            .iter()
            .map(|(name, kind, default)| {
                let kind = if kind.is_empty() { String::new() } else { format!(": {}", kind) };
                let default = if default.is_empty() { String::new() } else { format!(" = {}", default) };
                format!("{}{}{}", name, kind, default)
            })
            .collect();
        Action { kind, summary, signature: format!("{}({})", kind, parameters.join(", ")), function }
    }

    /// As the host reads it.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The C table: constant, never freed.
    pub(crate) fn table(self) -> &'static raw::Action {
        Box::leak(Box::new(raw::Action {
            kind: raw::Text::of(self.kind),
            summary: raw::Text::of(self.summary),
            signature: raw::Text::of(Box::leak(self.signature.into_boxed_str())),
            function: self.function,
        }))
    }
}

/// What an argument can be: `bool`, `i64`, `f64`, `&str`, `Instant`, and a `Value` for the parameters `action`, which is the whole
/// action, and `payload`, which is the notification.
pub trait Argument {
    /// In a signature.
    const TYPE: &'static str;
    type C;
    /// # Safety
    /// It is what the host passes for that type.
    unsafe fn of(argument: Self::C) -> Self;
}

impl Argument for bool {
    const TYPE: &'static str = "bool";
    type C = u32;
    unsafe fn of(argument: u32) -> Self {
        argument != 0
    }
}

impl Argument for i64 {
    const TYPE: &'static str = "int";
    type C = i64;
    unsafe fn of(argument: i64) -> Self {
        argument
    }
}

impl Argument for f64 {
    const TYPE: &'static str = "double";
    type C = f64;
    unsafe fn of(argument: f64) -> Self {
        argument
    }
}

impl<'a> Argument for &'a str {
    const TYPE: &'static str = "string";
    type C = *const c_char;
    unsafe fn of(argument: *const c_char) -> Self {
        CStr::from_ptr(argument).to_str().expect("texts of the host are UTF-8")
    }
}

impl Argument for Instant {
    const TYPE: &'static str = "instant";
    type C = i64;
    unsafe fn of(argument: i64) -> Self {
        Instant(argument)
    }
}

impl Argument for Value {
    const TYPE: &'static str = "";
    type C = *const raw::Value;
    unsafe fn of(argument: *const raw::Value) -> Self {
        Value::of(&*argument)
    }
}

macro_rules! action {
    ($type:literal, $summary:literal, $handler:ident($($name:ident: $kind:ty $(= $default:literal)?),* $(,)?)) => {{
        extern "C" fn call(
            $($name: <$kind as $crate::belfry::Argument>::C,)* result: *const $crate::belfry::raw::ActionResult,
        ) -> i32 {
            $crate::belfry::perform(result, || {
                $handler($(unsafe { <$kind as $crate::belfry::Argument>::of($name) }),*)
            })
        }
        $crate::belfry::Action::new(
            $type,
            $summary,
            &[$((
                stringify!($name), <$kind as $crate::belfry::Argument>::TYPE, [$(stringify!($default),)? ""][0],
            )),*],
            call as *const std::os::raw::c_void,
        )
    }};
}
pub(crate) use action;

/// Runs a handler, and tells the host what came of it.
pub(crate) fn perform(result: *const raw::ActionResult, handler: impl FnOnce() -> Result<Value, String>) -> i32 {
    let result = unsafe { &*result };
    match guarded(handler).and_then(|answer| answer) {
        Ok(Value::Null) => 0,
        Ok(value) => {
            value.lend(|value| (result.set)(result.owner, value));
            0
        }
        Err(why) => {
            (result.fail)(result.owner, why.as_ptr(), why.len() as u64);
            1
        }
    }
}
