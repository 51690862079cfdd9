//! States that save and load themselves.

use super::raw;
use super::{guarded, Instant};
use std::os::raw::c_void;

/// A state that is made of something else than fields, such as a map. The host asks it more often, and so it costs more.
/// After `belfry::saves!(State);` it is a `State`.
pub trait SavedState: Default + Clone + 'static {
    /// Of what `save` writes, below 2^31. Raise it when a key changes its meaning, and read the old form in `migrate`.
    const VERSION: u32 = 1;

    /// Fills a new state from what was saved. A key that is not there leaves the initial value.
    fn load(&mut self, reader: &Reader);
    /// Writes each key once. A state that writes nothing is one of a subject who is new.
    fn save(&self, writer: &Writer);
    /// Fills a new state from what an earlier version saved, as of `now`, the subject's time.
    fn migrate(&mut self, reader: &Reader, _version: u32, _now: Instant) -> Result<(), String> {
        self.load(reader);
        Ok(())
    }
}

macro_rules! saves {
    ($state:ty) => {
        impl $crate::belfry::State for $state {
            fn fields() -> Vec<$crate::belfry::Field> {
                Vec::new()
            }
            fn saving() -> Option<$crate::belfry::Saving> {
                Some($crate::belfry::Saving::of::<$state>())
            }
            fn change(&mut self, hook: impl FnOnce(&mut Self) -> $crate::belfry::Told) -> $crate::belfry::Told {
                let before = self.clone();
                let told = hook(self);
                if told.is_err() {
                    *self = before;
                }
                told
            }
        }
    };
}
pub(crate) use saves;

/// The C functions of a state that saves itself.
pub struct Saving {
    pub(crate) version: u32,
    pub(crate) destroy: raw::StateDestroy,
    pub(crate) load: raw::StateLoad,
    pub(crate) save: raw::StateSave,
}

impl Saving {
    pub fn of<S: SavedState>() -> Saving {
        Saving { version: S::VERSION, destroy: destroy::<S>, load: load::<S>, save: save::<S> }
    }
}

extern "C" fn destroy<S>(_: *mut c_void, state: *mut c_void) {
    let _ = guarded(|| unsafe { (state as *mut S).drop_in_place() });
}

extern "C" fn load<S: SavedState>(
    _: *mut c_void, state: *mut c_void, version: u32, now: i64, reader: *const raw::Reader, error: *const raw::Sink,
) -> i32 {
    let (state, reader, error) = unsafe { (&mut *(state as *mut S), Reader(&*reader), &*error) };
    let loaded = guarded(|| {
        if version < S::VERSION {
            return state.migrate(&reader, version, Instant(now));
        }
        state.load(&reader);
        Ok(())
    });
    error.status(loaded.and_then(|loaded| loaded))
}

extern "C" fn save<S: SavedState>(_: *mut c_void, state: *const c_void, writer: *const raw::Writer) {
    let (state, writer) = unsafe { (&*(state as *const S), Writer(&*writer)) };
    let _ = guarded(|| state.save(&writer));
}

/// Reads what was saved, by key; none if the key is not there with that type.
pub struct Reader<'a>(&'a raw::Reader);

impl<'a> Reader<'a> {
    pub fn integer(&self, key: &str) -> Option<i64> {
        let mut out = 0;
        let found = (self.0.integer)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out);
        (found != 0).then_some(out)
    }
    pub fn number(&self, key: &str) -> Option<f64> {
        let mut out = 0.0;
        let found = (self.0.number)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out);
        (found != 0).then_some(out)
    }
    pub fn boolean(&self, key: &str) -> Option<bool> {
        let mut out = 0;
        let found = (self.0.boolean)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out);
        (found != 0).then_some(out != 0)
    }
    pub fn instant(&self, key: &str) -> Option<Instant> {
        let mut out = 0;
        let found = (self.0.instant)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out);
        (found != 0).then_some(Instant(out))
    }
    pub fn text(&self, key: &str) -> Option<&'a str> {
        let mut out = raw::Text::ABSENT;
        let found = (self.0.text)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out);
        if found != 0 { out.str() } else { None }
    }
    pub fn integers(&self, key: &str) -> Option<&'a [i64]> {
        let (mut items, mut count) = (std::ptr::null(), 0);
        let found = (self.0.integers)(self.0.owner, key.as_ptr(), key.len() as u64, &mut items, &mut count);
        (found != 0).then(|| unsafe { raw::slice(items, count) })
    }
}

/// Writes state by key, each key once.
pub struct Writer<'a>(&'a raw::Writer);

impl Writer<'_> {
    pub fn integer(&self, key: &str, value: i64) {
        (self.0.integer)(self.0.owner, key.as_ptr(), key.len() as u64, value)
    }
    pub fn number(&self, key: &str, value: f64) {
        (self.0.number)(self.0.owner, key.as_ptr(), key.len() as u64, value)
    }
    pub fn boolean(&self, key: &str, value: bool) {
        (self.0.boolean)(self.0.owner, key.as_ptr(), key.len() as u64, value as u32)
    }
    pub fn instant(&self, key: &str, value: Instant) {
        (self.0.instant)(self.0.owner, key.as_ptr(), key.len() as u64, value.0)
    }
    pub fn text(&self, key: &str, value: &str) {
        (self.0.text)(self.0.owner, key.as_ptr(), key.len() as u64, value.as_ptr(), value.len() as u64)
    }
    pub fn integers(&self, key: &str, value: &[i64]) {
        (self.0.integers)(self.0.owner, key.as_ptr(), key.len() as u64, value.as_ptr(), value.len() as u64)
    }
}
