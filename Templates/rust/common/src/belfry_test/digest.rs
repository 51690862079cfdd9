//! belfry.digest/1: what a strategy has collected, until it closes.

use super::asking::Answer;
use super::host::Circumstances;
use super::strategy::Test;
use crate::belfry::{raw, Instant, OpenDigest, Strategy};

pub(super) static DIGEST: raw::Digest = raw::Digest { open, count, keep, lead };

extern "C" fn open(context: *const raw::Context, digest: *mut raw::OpenDigest) -> u32 {
    let circumstances = unsafe { Circumstances::of(context) };
    match &circumstances.digest {
        Some(open) => {
            let open = raw::OpenDigest { opened: open.opened.0, closes: open.closes.0, count: open.count };
            unsafe { digest.write(open) };
            1
        }
        None => 0,
    }
}

extern "C" fn count(context: *const raw::Context) -> u64 {
    unsafe { Circumstances::of(context) }.closing.unwrap_or(0)
}

extern "C" fn keep(context: *const raw::Context, items: u64) {
    unsafe { Circumstances::of(context) }.keeps.set(Some(items))
}

extern "C" fn lead(context: *const raw::Context, closes: i64) {
    unsafe { Circumstances::of(context) }.leads.set(Some(Instant(closes)))
}

impl<S: Strategy> Test<S> {
    /// Lets time pass until the open digest closes, asks about the candidate that stands for its items, and tells the outcome:
    /// whether it was created. A digest without items closes without a question.
    pub fn close_digest(&mut self, campaign: &str) -> bool {
        let digest = match self.digest.take() {
            Some(digest) => digest,
            None => panic!("'{}' has no digest that is open, at {}", S::NAME, self.now),
        };
        self.now = self.now.max(digest.closes);
        if digest.count == 0 {
            return false;
        }
        self.closing = Some(digest.count);
        let created = self.request(campaign);
        self.closing = None;
        created
    }

    /// The real host closes a digest before it goes on.
    pub(super) fn check_due(&self) {
        match self.digest {
            Some(digest) if digest.closes <= self.now => {
                let why = format!("one that closes at {} is open", digest.closes);
                self.fail("has a digest that is due", why, "call 'close_digest' first")
            }
            _ => {}
        }
    }

    /// At its close it must not be collected again.
    pub(super) fn check_close(&mut self, name: &str, check: raw::Check, candidate: &raw::Candidate, answer: &Answer) {
        let until = match answer.until {
            Some(until) if answer.verdict == raw::COLLECT => until.max(self.now),
            _ => return,
        };
        if self.closing.is_some() {
            self.fail_again(format!("{} answered '{}' about a digest that closes", name, answer))
        }
        let open = self.digest.take();
        self.closing = Some(open.map_or(0, |open| open.count) + 1);
        let then = self.ask(check, candidate, until);
        self.closing = None;
        self.digest = open;
        if then.verdict == raw::COLLECT {
            self.fail_again(format!("{} answered '{}', and when that closes '{}'", name, answer, then))
        }
    }

    fn fail_again(&self, why: String) -> ! {
        self.fail("collects a digest again", why, "do not collect where 'digest_count' is something")
    }

    /// What the host keeps after an answer, if the rest of the chain agrees.
    pub(super) fn keep_digest(&mut self, answer: &Answer, created: bool) {
        let fresh = |closes| OpenDigest { opened: self.now, closes, count: 0 };
        match (answer.verdict, answer.until, answer.leads) {
            (raw::COLLECT, Some(closes), _) if !self.others_deny => {
                let open = self.digest.unwrap_or(fresh(closes));
                self.digest = Some(OpenDigest { closes, count: open.count + 1, ..open });
            }
            (_, _, Some(closes)) if created && closes > self.now => self.digest = Some(fresh(closes)),
            _ => {}
        }
    }
}
