//! What edits notifications, or drops them.

use super::raw;
use super::{guarded, Candidate, Context, Host, Parameter, Parameters, Value};
use std::os::raw::c_void;
use std::ptr::{null, null_mut};

/// Edits a candidate, or drops it. It stands in the chain like a strategy, and keeps no state.
///
/// Like a strategy it never changes, and is used for different subjects at once.
pub trait Filter: Sized + Send + Sync + 'static {
    /// What `strategy:` names in the configuration; unique among strategies and filters of the host.
    const NAME: &'static str;
    /// One sentence on what it does.
    const SUMMARY: &'static str;

    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Takes parameters that fit their description; says in a sentence if they make no sense together.
    fn new(parameters: &Parameters, host: Host) -> Result<Self, String>;

    /// Edits or drops the candidate. Pure, like the questions of a strategy. After a failure none of its edits are kept.
    fn apply(&self, candidate: &Candidate, edits: &Edits, context: &Context) -> Result<(), String>;
}

/// What a filter may do to a candidate; identity and times are out of reach. None removes what it would set.
pub struct Edits<'a>(&'a raw::Edits);

impl Edits<'_> {
    pub fn set_title(&self, title: Option<&str>) {
        self.set(self.0.set_title, title)
    }
    pub fn set_message(&self, message: Option<&str>) {
        self.set(self.0.set_message, message)
    }
    /// One of the configuration. Its buttons come with it, unless `set_buttons` sets others.
    pub fn set_category(&self, category: Option<&str>) {
        self.set(self.0.set_category, category)
    }
    pub fn set_data(&self, data: Option<&Value>) {
        self.set_value(self.0.set_data, data)
    }
    pub fn set_presentation(&self, presentation: Option<&Value>) {
        self.set_value(self.0.set_presentation, presentation)
    }
    /// A list of mappings as in `categories`, instead of the buttons of the category.
    pub fn set_buttons(&self, buttons: Option<&Value>) {
        self.set_value(self.0.set_buttons, buttons)
    }
    /// Drops the candidate, with one sentence; edits are of no consequence then.
    pub fn drop(&self, message: &str) {
        self.set(self.0.drop, Some(message))
    }

    fn set(&self, edit: raw::EditText, text: Option<&str>) {
        let text = text.map_or(raw::Text::ABSENT, raw::Text::lent);
        edit(self.0.owner, text.bytes, text.length)
    }

    fn set_value(&self, edit: raw::EditValue, value: Option<&Value>) {
        match value {
            Some(value) => value.lend(|value| edit(self.0.owner, value)),
            None => edit(self.0.owner, null()),
        }
    }
}

// MARK: In C

/// The C table of a filter: constant, never freed.
pub(crate) fn filter_table<F: Filter>() -> &'static raw::Filter {
    Box::leak(Box::new(raw::Filter {
        name: raw::Text::of(F::NAME),
        summary: raw::Text::of(F::SUMMARY),
        parameters: Parameter::root(F::parameters()),
        kind: null_mut(),
        create: create::<F>,
        destroy: destroy::<F>,
        apply: apply::<F>,
    }))
}

/// What the host holds: `apply` finds the host through it.
struct Instance<F> {
    filter: F,
    host: Host,
}

extern "C" fn create<F: Filter>(
    _: *mut c_void, host: *const raw::Host, parameters: *const raw::Value, error: *const raw::Sink,
) -> *mut c_void {
    let host = Host(host);
    let made = guarded(|| F::new(&Parameters::checked(parameters, &F::parameters())?, host));
    match made.and_then(|made| made) {
        Ok(filter) => Box::into_raw(Box::new(Instance { filter, host })) as *mut c_void,
        Err(why) => {
            unsafe { &*error }.say(&why);
            null_mut()
        }
    }
}

extern "C" fn destroy<F>(instance: *mut c_void) {
    let _ = guarded(|| drop(unsafe { Box::from_raw(instance as *mut Instance<F>) }));
}

extern "C" fn apply<F: Filter>(
    instance: *mut c_void, candidate: *const raw::Candidate, context: *const raw::Context, edits: *const raw::Edits,
    error: *const raw::Sink,
) -> i32 {
    let instance = unsafe { &*(instance as *const Instance<F>) };
    let (candidate, edits) = unsafe { (Candidate(&*candidate), Edits(&*edits)) };
    let context = Context { raw: unsafe { &*context }, host: instance.host };
    let applied = guarded(|| instance.filter.apply(&candidate, &edits, &context));
    unsafe { &*error }.status(applied.and_then(|applied| applied))
}
