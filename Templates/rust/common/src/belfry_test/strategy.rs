//! What happens to a strategy, as the real host lets it happen.

use super::candidate::{Called, Given};
use super::current::known;
use super::host::{host, Circumstances};
use super::state::{difference, Memory, Stored};
use crate::belfry::{raw, receipt_table, strategy_table};
use crate::belfry::{Instant, OpenDigest, Receipt, Strategy, ToldOutcomes, Value};
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::ptr::null;

pub struct Test<S: Strategy> {
    // What it is asked and told about. Change it as you like.
    /// It begins at 1970-01-01T00:00:00Z.
    pub now: Instant,
    /// Of the subject, such as Europe/Paris; UTC at first.
    pub zone: &'static str,
    /// Attributes, as mappings; at first there are none.
    pub user: Value,
    pub channel: Value,
    pub candidate: Given,
    /// What is known of the subject's current notifications, the oldest first. Those of `request` come by themselves, and go
    /// with `delete`.
    pub current: Vec<Value>,
    /// What is open, under the counter it is asked under. A `collect` opens it or adds to it.
    pub digest: Option<OpenDigest>,
    /// Whether the rest of the chain is against everything.
    pub others_deny: bool,
    /// Whether a telling hook may fail; it fails the test otherwise.
    pub may_fail: bool,

    // What it answered last.
    /// `abstain`, `allow`, `deny`, `defer`, `collect` or `withhold`.
    pub verdict: &'static str,
    pub code: Option<String>,
    pub message: String,
    pub until: Option<Instant>,
    /// How many items it keeps, if it says so, and when the digest closes that the candidate leads.
    pub keeps: Option<u64>,
    pub leads: Option<Instant>,
    /// Why the last telling hook failed; none if it did not.
    pub failure: Option<String>,

    pub(super) strategy: &'static raw::Strategy,
    pub(super) instance: *mut c_void,
    pub(super) state: Memory,
    /// How many items the candidate stands for, while a digest closes.
    pub(super) closing: Option<u64>,
    /// What a call is about; none: no candidate.
    campaign: Option<String>,
    app: (u32, Instant),
    created: usize,
    kind: PhantomData<S>,
}

// MARK: Set up

impl<S: Strategy> Test<S> {
    /// Panics with the strategy's own sentence if it refuses these parameters; none are the defaults.
    pub fn new(parameters: &[(&str, Value)]) -> Self {
        let strategy = strategy_table::<S>();
        Test {
            now: Instant(0),
            zone: "UTC",
            user: Value::Null,
            channel: Value::Null,
            candidate: Given::default(),
            current: Vec::new(),
            digest: None,
            others_deny: false,
            may_fail: false,
            verdict: "abstain",
            code: None,
            message: String::new(),
            until: None,
            keeps: None,
            leads: None,
            failure: None,
            strategy,
            instance: create(strategy.create, strategy.kind, parameters),
            state: Memory::new(strategy),
            closing: None,
            campaign: None,
            app: (0, Instant(0)),
            created: 0,
            kind: PhantomData,
        }
    }

    /// Gives it other parameters; what it remembers stays.
    pub fn change_parameters(&mut self, parameters: &[(&str, Value)]) {
        let instance = create(self.strategy.create, self.strategy.kind, parameters);
        (self.strategy.destroy)(std::mem::replace(&mut self.instance, instance));
        if let Some(hook) = self.strategy.update_parameters {
            self.tell("update_parameters", |state, context, error| hook(instance, state, context, error));
        }
    }

    /// With what is current, which is moved and not copied: a long test has much of it. It comes back by `take_back`.
    pub(super) fn circumstances(&mut self, now: Instant) -> Circumstances {
        let mut circumstances = Circumstances::new(now, self.zone, &self.user, &self.channel, self.app);
        circumstances.current = std::mem::take(&mut self.current);
        circumstances.candidate =
            self.campaign.as_ref().map(|campaign| known(None, campaign, &self.candidate, now));
        circumstances.closing = self.closing;
        circumstances
    }

    pub(super) fn take_back(&mut self, circumstances: &mut Circumstances) {
        self.current = std::mem::take(&mut circumstances.current);
    }

    pub(super) fn fail(&self, what: &str, why: String, fix: &str) -> ! {
        panic!("'{}' {}, at {}\n  why: {}\n  fix: {}", S::NAME, what, self.now, why, fix)
    }
}

impl<S: Strategy> Drop for Test<S> {
    fn drop(&mut self) {
        (self.strategy.destroy)(self.instance)
    }
}

/// An instance; panics with the plugin's own sentence if it refuses the parameters.
pub(super) fn create(create: raw::Create, kind: *mut c_void, parameters: &[(&str, Value)]) -> *mut c_void {
    let map = Value::Map(parameters.iter().map(|(name, value)| (name.to_string(), value.clone())).collect());
    let (instance, sentence) = raw::Sink::collect(|error| {
        map.lend(|map| create(kind, host(), if parameters.is_empty() { null() } else { map }, error))
    });
    assert!(!instance.is_null(), "{}", sentence);
    instance
}

// MARK: What happens

impl<S: Strategy> Test<S> {
    /// Asks whether it may be created, and tells the outcome: whether it was.
    pub fn request(&mut self, campaign: &str) -> bool {
        self.check_due();
        let strategy = self.strategy;
        self.about(campaign, None, |test, candidate| {
            let created = test.allows("should_create", strategy.should_create, candidate);
            test.tell_outcome("did_create", strategy.did_create, candidate, created);
            if created {
                test.created += 1;
                let id = format!("{}/{}", campaign, test.created);
                test.current.push(known(Some(&id), campaign, &test.candidate, test.now));
            }
            created
        })
    }

    /// Asks whether a current notification may be deleted, and tells the outcome: whether it was.
    pub fn delete(&mut self, campaign: &str) -> bool {
        let strategy = self.strategy;
        self.about_current(campaign, |test, candidate| {
            let deleted = test.allows("should_delete", strategy.should_delete, candidate);
            test.tell_outcome("did_delete", strategy.did_delete, candidate, deleted);
            if let (true, Some(index)) = (deleted, test.newest(campaign)) {
                test.current.remove(index);
            }
            deleted
        })
    }

    /// The user taps a notification of that campaign.
    pub fn open(&mut self, campaign: &str) {
        let (instance, hook) = (self.instance, self.strategy.on_opened);
        self.about_current(campaign, |test, candidate| {
            if let Some(hook) = hook {
                test.tell("on_opened", |state, context, error| {
                    hook(instance, state, candidate, context, error)
                });
            }
        })
    }

    /// A sink says what became of a notification of that campaign.
    pub fn receipt(&mut self, campaign: &str, receipt: Receipt) {
        if !S::HEARS_RECEIPTS {
            return;
        }
        let (instance, hook, receipt) = (self.instance, receipt_table::<S>().on_receipt, receipt.raw());
        self.about_current(campaign, |test, candidate| {
            test.tell("on_receipt", |state, context, error| {
                hook(instance, state, candidate, &receipt, context, error)
            })
        })
    }

    pub fn foreground(&mut self) {
        self.app = (1, self.now);
        self.tell_move("on_foreground", self.strategy.on_foreground)
    }

    pub fn background(&mut self) {
        self.app = (2, self.now);
        self.tell_move("on_background", self.strategy.on_background)
    }

    /// A region became watched.
    pub fn start_monitoring(&mut self, region: &str) {
        let (instance, region) = (self.instance, raw::Text::lent(region));
        if let Some(hook) = self.strategy.on_start_monitoring {
            self.tell("on_start_monitoring", |state, context, error| {
                hook(instance, state, &region, context, error)
            });
        }
    }

    /// About a notification that was created.
    fn about_current<R>(&mut self, campaign: &str, body: impl FnOnce(&mut Self, &raw::Candidate) -> R) -> R {
        let known = self.newest(campaign).and_then(|index| self.current[index].get("notification"));
        let id = known.and_then(Value::text).map(String::from);
        let id = id.unwrap_or_else(|| format!("{}/{}", campaign, self.created));
        self.about(campaign, Some(&id), body)
    }

    fn about<R>(
        &mut self, campaign: &str, notification: Option<&str>, body: impl FnOnce(&mut Self, &raw::Candidate) -> R,
    ) -> R {
        let given = self.candidate.clone();
        self.campaign = Some(campaign.to_string());
        let called = Called { campaign, notification, ..Called::default() };
        let result = given.lend(called, |candidate| body(self, candidate));
        self.campaign = None;
        result
    }

    /// The place of the current notification of that campaign that was created last.
    fn newest(&self, campaign: &str) -> Option<usize> {
        self.current.iter().rposition(|known| known.get("campaign").and_then(Value::text) == Some(campaign))
    }

    fn tell_outcome(&mut self, name: &str, hook: Option<raw::Outcome>, candidate: &raw::Candidate, outcome: bool) {
        if !outcome && S::OUTCOMES == ToldOutcomes::Happened {
            return;
        }
        let instance = self.instance;
        if let Some(hook) = hook {
            self.tell(name, |state, context, error| {
                hook(instance, state, candidate, outcome as u32, context, error)
            });
        }
    }

    fn tell_move(&mut self, name: &str, hook: Option<raw::Move>) {
        let instance = self.instance;
        if let Some(hook) = hook {
            self.tell(name, |state, context, error| hook(instance, state, context, error));
        }
    }
}

// MARK: Telling

impl<S: Strategy> Test<S> {
    /// Calls a hook, and keeps what it makes of the state. Of declared fields it gets a copy, so that a failure leaves no
    /// trace.
    fn tell(&mut self, name: &str, hook: impl FnOnce(*mut c_void, &raw::Context, *const raw::Sink) -> u32) {
        let mut circumstances = self.circumstances(self.now);
        let mut copy = (self.strategy.field_count > 0).then(|| self.state.copy());
        let state = copy.as_mut().unwrap_or(&mut self.state).address();
        let (told, sentence) = raw::Sink::collect(|error| hook(state, &circumstances.context(), error));
        self.take_back(&mut circumstances);
        self.failure = (told > raw::TOLD_CHANGED).then_some(sentence);
        match (&self.failure, copy) {
            (Some(why), _) if !self.may_fail => {
                let fix = "let it succeed; or set 'may_fail' if the test is about that";
                self.fail(&format!("fails in {}", name), why.clone(), fix)
            }
            // What a text or list of it points to is there as long as the circumstances.
            (None, Some(copy)) => self.load(0, &copy.stored()),
            _ => {}
        }
    }
}

// MARK: The state

impl<S: Strategy> Test<S> {
    /// What is stored under that name; none for no value.
    pub fn field(&self, name: &str) -> Option<Value> {
        self.state.stored().into_iter().find(|pair| pair.0 == name && pair.1 != Value::Null).map(|pair| pair.1)
    }

    /// As if the process had ended and started again.
    pub fn save_and_load(&mut self) {
        let stored = self.state.stored();
        self.load(self.strategy.state_version, &stored);
        if let Some(difference) = difference(&stored, &self.state.stored()) {
            let fix = "write every part of the state in 'save', and read it in 'load'";
            self.fail("does not survive saving and loading", difference, fix)
        }
    }

    /// Lets the subject begin with what an earlier version of the strategy stored, as of `now`.
    ///
    /// Of a state that declares its fields the version says nothing: values of a name and type that it still has are taken
    /// over.
    pub fn begin(&mut self, version: u32, stored: &[(&str, Value)]) {
        self.load(version, &stored.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
    }

    fn load(&mut self, version: u32, stored: &Stored) {
        match Memory::loaded(self.strategy, version, self.now, stored) {
            Ok(state) => self.state = state,
            Err(why) => self.fail("cannot load what was stored", why, "read every version up to 'VERSION' in 'migrate'"),
        }
    }
}
