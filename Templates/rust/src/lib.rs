//! Leaves a pause after every notification.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Candidate, Context, Host, Parameter, Parameters, Reader, Reason, Verdict, Writer};

const HOUR: i64 = 3_600_000;

/// The parameters of one place in the configuration. It never changes: it is used for different subjects at once.
struct MyStrategy {
    /// ms
    pause: i64,
}

/// What is remembered of a subject: facts, from which the checks conclude.
#[derive(Default)]
struct State {
    /// ms since 1970
    created_at: Option<i64>,
}

impl belfry::State for State {
    fn load(&mut self, reader: &Reader) {
        self.created_at = reader.instant("createdAt");
    }

    fn save(&self, writer: &Writer) {
        if let Some(at) = self.created_at {
            writer.instant("createdAt", at);
        }
    }
}

impl belfry::Strategy for MyStrategy {
    const NAME: &'static str = "my-strategy";
    const SUMMARY: &'static str = "Leaves a pause after every notification.";
    type State = State;

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    fn parameters() -> Vec<Parameter> {
        vec![Parameter::duration("pause", "how long nothing more is created").at_least(0).default(HOUR)]
    }

    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        Ok(MyStrategy { pause: parameters.integer("pause").unwrap_or(HOUR) })
    }

    /// Pure: asked as often as somebody wants to know.
    fn should_create(&self, _candidate: &Candidate, state: &State, context: &Context) -> Verdict {
        match state.created_at {
            Some(at) if context.now() < at + self.pause => {
                let why = format!("the last one was created less than {} s ago", self.pause / 1000);
                Verdict::Deny(Reason::new(why).until(at + self.pause))
            }
            _ => Verdict::Allow,
        }
    }

    /// Told what came of it, when every strategy of the chain was asked.
    fn did_create(&self, _candidate: &Candidate, created: bool, state: &mut State, context: &Context) {
        if created {
            state.created_at = Some(context.now());
        }
    }
}

belfry::plugin!("my-strategy", "0.1.0", MyStrategy);

#[cfg(test)]
mod tests {
    use super::{MyStrategy, HOUR};
    use crate::belfry_test::{Given, Test};

    const MINUTE: i64 = 60_000;

    #[test]
    fn after_a_notification_there_is_a_pause() {
        let mut test = Test::<MyStrategy>::new(&[("pause", Given::Duration(HOUR))]);
        assert!(test.request("hello"));
        test.save_and_load();
        test.now += 59 * MINUTE;
        assert!(!test.request("hello"));
        assert_eq!(test.until, Some(HOUR));
        assert_eq!(test.message, "the last one was created less than 3600 s ago");
        test.now += MINUTE;
        assert!(test.request("hello"));
    }

    #[test]
    fn the_pause_is_an_hour_by_default() {
        let mut test = Test::<MyStrategy>::new(&[]);
        assert!(test.request("hello"));
        assert!(!test.request("hello"));
        assert_eq!(test.until, Some(HOUR));
    }
}
