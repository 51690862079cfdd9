//! Leaves people alone who do not look: the pause after a notification doubles with each one that was not opened.
//!
//! `first` after the first, twice that after the second, and so on up to `longest`. Whoever opens one begins again.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Candidate, Context, Host, Parameter, Parameters, Reader, Reason, Verdict, Writer};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

struct BackOff {
    /// ms
    first: i64,
    longest: i64,
}

/// How many were created since the last opening, and when the last one was. Not when the next may be: campaigns with other
/// parameters may share this.
#[derive(Default)]
struct State {
    unopened: i64,
    /// ms since 1970
    last: Option<i64>,
}

impl BackOff {
    /// After so many that were not opened, in ms.
    fn pause(&self, unopened: i64) -> i64 {
        // A shift by 40 is past every `longest`, and within an i64 for every `first`.
        let doublings = (unopened - 1).clamp(0, 40) as u32;
        self.first.checked_mul(1 << doublings).unwrap_or(i64::MAX).min(self.longest)
    }
}

impl belfry::State for State {
    fn load(&mut self, reader: &Reader) {
        self.unopened = reader.integer("unopened").unwrap_or(0);
        self.last = reader.instant("last");
    }

    fn save(&self, writer: &Writer) {
        writer.integer("unopened", self.unopened);
        if let Some(last) = self.last {
            writer.instant("last", last);
        }
    }
}

impl belfry::Strategy for BackOff {
    const NAME: &'static str = "back-off";
    const SUMMARY: &'static str = "Doubles the pause after each notification that was not opened.";
    type State = State;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::duration("first", "the pause after the first that was not opened").at_least(1).default(HOUR),
            Parameter::duration("longest", "where the pause stops growing").at_least(1).default(7 * DAY),
        ]
    }

    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        let first = parameters.integer("first").unwrap_or(HOUR);
        let longest = parameters.integer("longest").unwrap_or(7 * DAY);
        if longest < first {
            return Err("'longest' is shorter than 'first'".into());
        }
        Ok(BackOff { first, longest })
    }

    fn should_create(&self, _candidate: &Candidate, state: &State, context: &Context) -> Verdict {
        let end = match state.last {
            Some(last) if state.unopened > 0 => last.saturating_add(self.pause(state.unopened)),
            _ => return Verdict::Allow,
        };
        if context.now() >= end {
            return Verdict::Allow;
        }
        let why = match state.unopened {
            1 => "the last one was not opened".into(),
            count => format!("the last {count} in a row were not opened"),
        };
        Verdict::Deny(Reason::new(why).until(end))
    }

    fn did_create(&self, _candidate: &Candidate, created: bool, state: &mut State, context: &Context) {
        if created {
            state.unopened += 1;
            state.last = Some(context.now());
        }
    }

    fn on_opened(&self, _candidate: &Candidate, state: &mut State, _context: &Context) {
        state.unopened = 0;
    }
}

belfry::plugin!("back-off", "1.0.0", BackOff);

#[cfg(test)]
mod tests {
    use super::{BackOff, DAY, HOUR};
    use crate::belfry_test::{Given, Test};

    #[test]
    fn the_pause_doubles_until_the_longest() {
        let mut test = Test::<BackOff>::new(&[("first", Given::Duration(HOUR)), ("longest", Given::Duration(3 * HOUR))]);
        for pause in [HOUR, 2 * HOUR, 3 * HOUR, 3 * HOUR] {
            assert!(test.request("sale"));
            let created = test.now;
            test.save_and_load();
            assert!(!test.request("sale"));
            assert_eq!(test.until, Some(created + pause));
            test.now = created + pause - 1;
            assert!(!test.request("sale"));
            test.now += 1;
        }
    }

    #[test]
    fn opening_begins_again() {
        let mut test = Test::<BackOff>::new(&[]);
        assert!(test.request("sale"));
        test.now += HOUR;
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.message, "the last 2 in a row were not opened");
        test.open("sale");
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.message, "the last one was not opened");
        assert_eq!(test.until, Some(2 * HOUR));
    }

    #[test]
    fn a_thousand_unopened_ones_wait_a_week_each() {
        let mut test = Test::<BackOff>::new(&[]);
        for _ in 0..1000 {
            assert!(test.request("sale"));
            test.now += 7 * DAY;
        }
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.until, Some(test.now + 7 * DAY));
    }

    #[test]
    #[should_panic(expected = "'longest' is shorter than 'first'")]
    fn a_longest_pause_that_is_none_is_refused() {
        Test::<BackOff>::new(&[("first", Given::Duration(2 * HOUR)), ("longest", Given::Duration(HOUR))]);
    }

    #[test]
    #[should_panic(expected = "'first' is a duration")]
    fn a_parameter_of_another_kind_is_refused() {
        Test::<BackOff>::new(&[("first", Given::Text("1h"))]);
    }
}
