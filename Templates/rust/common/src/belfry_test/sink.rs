//! Gives decisions to a sink.

use super::strategy::create;
use crate::belfry::{raw, sink_table, Delivered, Duration, Instant, Sink, Value};
use std::marker::PhantomData;
use std::os::raw::c_void;

pub struct SinkTest<S: Sink> {
    /// The time of day. It begins at 1970-01-01T00:00:00Z.
    pub now: Instant,

    sink: &'static raw::SinkType,
    instance: *mut c_void,
    delivered: usize,
    kind: PhantomData<S>,
}

impl<S: Sink> SinkTest<S> {
    /// Panics with the sink's own sentence if it refuses these parameters.
    pub fn new(parameters: &[(&str, Value)]) -> Self {
        let sink = sink_table::<S>();
        let instance = create(sink.create, sink.kind, parameters);
        SinkTest { now: Instant(0), sink, instance, delivered: 0, kind: PhantomData }
    }

    /// Gives it a decision of that type, with this `data`; each has an id of its own, such as `ana:1`.
    pub fn deliver(&mut self, kind: &str, subject: &str, data: Value) -> Delivered {
        self.delivered += 1;
        let id = format!("{}:{}", subject, self.delivered);
        let decision = Value::map([
            ("specversion", "1.0".into()), ("id", id.as_str().into()), ("source", "test".into()), ("type", kind.into()),
            ("subject", subject.into()), ("time", self.now.to_string().into()), ("data", data),
        ]);
        let line = json(&decision);
        let (code, why) = raw::Sink::collect(|why| {
            decision.lend(|decision| {
                let delivery = raw::Delivery {
                    id: raw::Text::lent(&id),
                    subject: raw::Text::lent(subject),
                    kind: raw::Text::lent(kind),
                    line: raw::Text::lent(&line),
                    decision,
                    now: self.now.0,
                    timeout: Duration::seconds(30).0,
                };
                (self.sink.deliver)(self.instance, &delivery, why)
            })
        });
        match code {
            raw::DELIVERED => Delivered::Taken,
            raw::DELIVER_LATER => Delivered::Later(why),
            raw::DELIVER_NEVER => Delivered::Never(why),
            raw::DELIVERY_STOPPED => Delivered::Stopped(why),
            _ => Delivered::Failed(why),
        }
    }
}

impl<S: Sink> Drop for SinkTest<S> {
    fn drop(&mut self) {
        (self.sink.destroy)(self.instance)
    }
}

fn json(value: &Value) -> String {
    match value {
        Value::Boolean(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Value::Map(members) => {
            let members = members.iter().map(|(key, value)| format!("{}:{}", quoted(key), json(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        _ => "null".into(),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{}", character),
        '\u{0}'..='\u{1f}' => format!("\\u{:04x}", character as u32),
        _ => character.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
