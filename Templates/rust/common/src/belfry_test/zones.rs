//! belfry.local-time/1, from the time zones of this machine.

use super::host::Circumstances;
use crate::belfry::raw;
use std::os::raw::{c_char, c_int, c_long, c_void};
use std::ptr::null;
use std::sync::Mutex;

const DAY: i64 = 86_400_000;
/// No zone is as far from UTC.
const FAR: i64 = 26 * 3_600_000;
/// Where the search for a transition ends: a zone without one for so long is taken to have none.
const AHEAD: i64 = 40 * 366 * DAY;

pub(super) static LOCAL_TIME: raw::LocalTime =
    raw::LocalTime { zone_named, zone_of_subject, offset, next_transition, local_day, start_of_day };

// MARK: Zones

/// Those that were asked for: kept until the process ends, as the contract has it.
static ZONES: Mutex<Vec<&'static String>> = Mutex::new(Vec::new());

fn zone(name: &str) -> *const c_void {
    let path = format!("/usr/share/zoneinfo/{}", name);
    if name.is_empty() || (name != "UTC" && !std::path::Path::new(&path).is_file()) {
        return null();
    }
    let mut zones = ZONES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let known = zones.iter().find(|known| **known == name).copied();
    let zone = known.unwrap_or_else(|| Box::leak(Box::new(name.to_string())));
    zones.push(zone);
    zone as *const String as *const c_void
}

extern "C" fn zone_named(_: *const raw::Host, name: *const u8, length: u64) -> *const c_void {
    zone(raw::Text { bytes: name, length }.str().unwrap_or(""))
}

extern "C" fn zone_of_subject(context: *const raw::Context) -> *const c_void {
    let name = unsafe { Circumstances::of(context) }.zone;
    let zone = zone(name);
    assert!(!zone.is_null(), "this machine has no time zone '{}'", name);
    zone
}

// MARK: Offsets

/// `struct tm` of C.
#[repr(C)]
struct Broken {
    second: c_int,
    minute: c_int,
    hour: c_int,
    day: c_int,
    month: c_int,
    year: c_int,
    weekday: c_int,
    day_of_year: c_int,
    is_summer: c_int,
    offset: c_long,
    zone: *const c_char,
}

extern "C" {
    fn tzset();
    fn localtime_r(time: *const i64, out: *mut Broken) -> *mut Broken;
}

/// The C library knows one zone at a time, that of TZ; tests run on several threads.
extern "C" fn offset(zone: *const c_void, instant: i64) -> i32 {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    std::env::set_var("TZ", unsafe { &*(zone as *const String) });
    let mut local = std::mem::MaybeUninit::<Broken>::uninit();
    unsafe {
        tzset();
        if localtime_r(&instant.div_euclid(1000), local.as_mut_ptr()).is_null() {
            return 0;
        }
        local.assume_init().offset as i32
    }
}

/// The first change of the offset after `from` and up to `to`.
fn transition(zone: *const c_void, from: i64, to: i64) -> Option<i64> {
    let before = offset(zone, from);
    let (mut low, mut high) = (from, from);
    while high < to && offset(zone, high) == before {
        low = high;
        high += DAY;
    }
    if offset(zone, high) == before {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if offset(zone, middle) == before { low = middle } else { high = middle }
    }
    (high <= to).then_some(high)
}

extern "C" fn next_transition(zone: *const c_void, instant: i64, next: *mut i64) -> u32 {
    match transition(zone, instant, instant + AHEAD) {
        Some(found) => {
            unsafe { *next = found };
            1
        }
        None => 0,
    }
}

// MARK: Days

/// The first instant at which clocks show midnight of that day, or a later time.
extern "C" fn start_of_day(zone: *const c_void, day: i64) -> i64 {
    let midnight = day * DAY;
    let mut from = midnight - FAR;
    loop {
        let start = (midnight - offset(zone, from) as i64 * 1000).max(from);
        match transition(zone, from, midnight + FAR) {
            Some(next) if start >= next => from = next,
            _ => return start,
        }
    }
}

/// Days never repeat: where clocks go back over midnight, it is the later day already.
extern "C" fn local_day(zone: *const c_void, instant: i64) -> i64 {
    let mut day = (instant + offset(zone, instant) as i64 * 1000).div_euclid(DAY);
    while start_of_day(zone, day + 1) <= instant {
        day += 1;
    }
    day
}
