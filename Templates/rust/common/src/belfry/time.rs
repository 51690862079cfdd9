//! Event time, in whole milliseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// ms since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Instant(pub i64);

impl Instant {
    /// Before every other, and shown as no value.
    pub const NEVER: Instant = Instant(i64::MIN);

    /// None if it is never.
    pub fn if_ever(self) -> Option<Instant> {
        (self != Self::NEVER).then_some(self)
    }
}

impl Default for Instant {
    fn default() -> Self {
        Self::NEVER
    }
}

/// ms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Duration(pub i64);

impl Duration {
    pub const fn seconds(count: i64) -> Self {
        Duration(count * 1_000)
    }
    pub const fn minutes(count: i64) -> Self {
        Duration(count * 60_000)
    }
    pub const fn hours(count: i64) -> Self {
        Duration(count * 3_600_000)
    }
    pub const fn days(count: i64) -> Self {
        Duration(count * 86_400_000)
    }
    /// Whole seconds, for sentences.
    pub const fn in_seconds(self) -> i64 {
        self.0 / 1_000
    }
}

/// As RFC 3339: `2026-03-02T09:00:00Z`.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (days, ms) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = date(days);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
        write!(f, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", year, month, day, hour, minute, second)?;
        if ms % 1_000 == 0 { write!(f, "Z") } else { write!(f, ".{:03}Z", ms % 1_000) }
    }
}

/// Year, month and day of a number of days since 1970-01-01, by eras of 400 years that begin in March, so that the leap day is
/// the last one of a year. http://howardhinnant.github.io/date_algorithms.html#civil_from_days
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    (era * 400 + year + (month >= 10) as i64, if month < 10 { month + 3 } else { month - 9 }, day)
}

// What would overflow stays at the last one there is: parameters may be as large as they like.

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_add(duration.0))
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, duration: Duration) -> Instant {
        Instant(self.0.saturating_sub(duration.0))
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl Mul<i64> for Duration {
    type Output = Duration;
    fn mul(self, factor: i64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }
}
