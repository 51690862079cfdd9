//! Asks a strategy, and looks at whether the answer keeps to the contract.

use super::state::{difference, Stored};
use super::strategy::Test;
use crate::belfry::{raw, Instant, Strategy};
use std::fmt;
use std::os::raw::c_void;

/// 9999-12-31T23:59:59.999Z, after which a host writes no times.
const LAST_INSTANT: Instant = Instant(253_402_300_799_999);

/// What a question was answered.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub verdict: u32,
    pub code: Option<String>,
    pub message: String,
    pub until: Option<Instant>,
    /// What was said of digests besides: `keep_items`, and `lead_digest`.
    pub keeps: Option<u64>,
    pub leads: Option<Instant>,
}

impl Answer {
    pub(super) fn of(question: impl FnOnce(&raw::Reason) -> u32) -> Answer {
        let mut answer = Answer::default();
        let reason = raw::Reason { owner: &mut answer as *mut Answer as *mut c_void, explain, until };
        let verdict = question(&reason);
        Answer { verdict, ..answer }
    }

    pub(super) fn refuses(&self) -> bool {
        self.verdict > raw::ALLOW
    }

    /// A fault, or a deferral without end.
    pub(super) fn is_failure(&self) -> bool {
        let needs_until = matches!(self.verdict, raw::DEFER | raw::COLLECT);
        self.verdict == raw::FAULT || (needs_until && self.until.is_none())
    }

    pub(super) fn word(&self) -> &'static str {
        ["abstain", "allow", "deny", "defer", "fault", "collect", "withhold"][self.verdict as usize]
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.word())?;
        if let Some(until) = self.until {
            write!(f, " until {}", until)?;
        }
        if let Some(count) = self.keeps {
            write!(f, ", keeping {}", count)?;
        }
        if let Some(closes) = self.leads {
            write!(f, ", leading a digest until {}", closes)?;
        }
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

extern "C" fn explain(owner: *mut c_void, code: *const raw::Text, message: *const raw::Text) {
    let answer = unsafe { &mut *(owner as *mut Answer) };
    answer.code = unsafe { *code }.str().map(String::from);
    answer.message = unsafe { *message }.str().unwrap_or("").into();
}

extern "C" fn until(owner: *mut c_void, instant: i64) {
    unsafe { &mut *(owner as *mut Answer) }.until = Some(Instant(instant));
}

// MARK: What holds for every question

impl<S: Strategy> Test<S> {
    /// Asks, checks all that has to hold, and says whether it comes to pass.
    pub(super) fn allows(&mut self, name: &str, check: raw::Check, candidate: &raw::Candidate) -> bool {
        let before = self.state.stored();
        let first = self.ask(check, candidate, self.now);
        let answer = self.ask(check, candidate, self.now);
        self.check_answers(name, &first, &answer);
        self.check_until(name, check, candidate, &answer);
        self.check_close(name, check, candidate, &answer);
        self.check_unchanged(name, &before);
        let allows = !answer.refuses() && !self.others_deny;
        if name == "should_create" {
            self.keep_digest(&answer, allows);
        }
        self.verdict = answer.word();
        (self.keeps, self.leads) = (answer.keeps, answer.leads);
        (self.code, self.message, self.until) = (answer.code, answer.message, answer.until);
        allows
    }

    pub(super) fn ask(&mut self, check: raw::Check, candidate: &raw::Candidate, now: Instant) -> Answer {
        let mut circumstances = self.circumstances(now);
        circumstances.digest = self.digest.filter(|digest| digest.closes > now);
        let (instance, state) = (self.instance, self.state.address());
        let answer = Answer::of(|reason| check(instance, state, candidate, &circumstances.context(), reason));
        self.take_back(&mut circumstances);
        Answer { keeps: circumstances.keeps.get(), leads: circumstances.leads.get(), ..answer }
    }

    fn check_answers(&self, name: &str, first: &Answer, answer: &Answer) {
        if first != answer {
            let why = format!("{} answered '{}', and asked again '{}'", name, first, answer);
            self.fail("has a question that is not pure", why, "decide from parameters, state and context alone")
        }
        if name == "should_delete" && matches!(answer.verdict, raw::COLLECT | raw::WITHHOLD) {
            let why = format!("{} answered '{}'", name, answer);
            self.fail("has a question that fails", why, "collect and withhold in 'should_create' only")
        }
        if answer.verdict == raw::COLLECT && answer.until.map_or(false, |until| until < self.now) {
            let why = format!("{} answered '{}' at {}", name, answer, self.now);
            self.fail("has a question that fails", why, "let a digest close now, or later")
        }
        if answer.is_failure() {
            let why = format!("{} answered '{}'", name, answer);
            let fix = "answer abstain, allow, deny, withhold, or defer or collect with an 'until'";
            self.fail("has a question that fails", why, fix)
        }
    }

    fn check_unchanged(&self, name: &str, before: &Stored) {
        if let Some(difference) = difference(before, &self.state.stored()) {
            let why = format!("{} changed the state: {}", name, difference);
            self.fail("has a question that is not pure", why, "change the state in telling hooks only")
        }
    }

    /// 1 ms before `until` it has to refuse, and at it to allow, if nothing else happens. What is past does not come again. What
    /// is collected is asked about at its close in another way.
    fn check_until(&mut self, name: &str, check: raw::Check, candidate: &raw::Candidate, answer: &Answer) {
        let until = match answer.until {
            Some(until) if answer.refuses() && answer.verdict != raw::COLLECT && until < LAST_INSTANT => until,
            _ => return,
        };
        for instant in [Instant(until.0.saturating_sub(1)), until.max(self.now)] {
            if instant < self.now {
                continue;
            }
            let then = self.ask(check, candidate, instant);
            if then.refuses() != (instant < until) {
                let why = format!("{} answered '{}', and at {} '{}'", name, answer, instant, then);
                let fix = "give the first instant at which it would allow if nothing else happens, or none";
                self.fail("gives an 'until' that is not exact", why, fix)
            }
        }
    }
}
