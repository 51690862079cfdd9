import BelfryModel

/// What each subject got on each side: how much in all, and today. The only thing in a simulation's figures that grows, with the
/// subjects; what was on earlier days is counted in the histograms, since for one subject time never goes back.
struct SubjectLedger {
    private struct Account {
        /// Notifications created on either side.
        var created = SIMD2<UInt32>()
        var day = SIMD2<Int32>(repeating: .min)
        var today = SIMD2<UInt16>()

        /// - Returns: what was created on the day before, when another one begins.
        mutating func note(_ side: Int, day: Int32, isCreated: Bool) -> Int? {
            var former: Int?
            if self.day[side] != day {
                former = self.day[side] == .min ? nil : Int(today[side])
                (self.day[side], today[side]) = (day, 0)
            }
            guard isCreated else { return former }
            created[side] &+= 1
            if today[side] < .max { today[side] += 1 }
            return former
        }
    }

    private var accounts: [SubjectKey: Account] = [:]
    private var days = [DayHistogram(), DayHistogram()]

    /// Notes a decision about a candidate.
    mutating func note(_ side: Int, _ subject: String, day: Int64, isCreated: Bool) {
        let former = accounts[SubjectKey(subject), default: Account()]
            .note(side, day: Int32(clamping: day), isCreated: isCreated)
        if let former { days[side].add(former) }
    }

    /// With the days that have not ended.
    func dayHistogram(of side: Int) -> DayHistogram {
        var histogram = days[side]
        for account in accounts.values where account.day[side] != .min { histogram.add(Int(account.today[side])) }
        return histogram
    }

    /// What the change from one side to the other means for people.
    struct Change {
        var seen = 0
        var gain = 0
        var lose = 0
        /// Subjects by how many notifications more they get, from -50 to 50; the ends collect what is beyond.
        var byDifference: [Int: Int] = [:]
        var mostGained: [Person] = []
        var mostLost: [Person] = []

        struct Person {
            let subject: SubjectKey
            let created: SIMD2<UInt32>
            var difference: Int { Int(created.y) - Int(created.x) }
        }

        fileprivate static let listed = 20
    }

    func change() -> Change {
        var change = Change()
        for (subject, account) in accounts {
            let person = Change.Person(subject: subject, created: account.created)
            change.seen += 1
            change.byDifference[max(-50, min(50, person.difference)), default: 0] += 1
            if person.difference > 0 {
                change.gain += 1
                change.mostGained.keep(person) { ($1.difference, $0.subject) < ($0.difference, $1.subject) }
            } else if person.difference < 0 {
                change.lose += 1
                change.mostLost.keep(person) { ($0.difference, $0.subject) < ($1.difference, $1.subject) }
            }
        }
        return change
    }
}

extension [SubjectLedger.Change.Person] {
    /// Inserts it in its place, if that is among the first ones.
    fileprivate mutating func keep(_ person: Element, by isBefore: (Element, Element) -> Bool) {
        let limit = SubjectLedger.Change.listed
        if count == limit, let last, !isBefore(person, last) { return }
        insert(person, at: firstIndex { isBefore(person, $0) } ?? count)
        if count > limit { removeLast() }
    }
}

extension SubjectLedger.Change {
    var value: Value {
        func integer(_ number: Int) -> Value { .integer(Int64(number)) }
        func list(_ people: [Person]) -> Value {
            .list(
                people.map {
                    [
                        "subject": .text($0.subject.text), "a": integer(Int($0.created.x)),
                        "b": integer(Int($0.created.y)),
                    ]
                })
        }
        return [
            "seen": integer(seen), "gain": integer(gain), "lose": integer(lose), "same": integer(seen - gain - lose),
            "change": .list(
                byDifference.sorted { $0.key < $1.key }.map {
                    ["delta": integer($0.key), "subjects": integer($0.value)]
                }),
            "mostGained": list(mostGained), "mostLost": list(mostLost),
        ]
    }
}
