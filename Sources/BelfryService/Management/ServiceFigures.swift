import BelfryRuntime
import BelfryDelivery
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryPluginHost

/// What a service is made of, and how that is doing, at the moment that it is asked.
struct ServiceFigures {
    let engine: ServiceEngine
    let metrics: Metrics
    let streams: Streams
    let connections: Connections
    let startedAt: Instant

    private typealias Gauge = Metrics.Gauge

    var gauges: [Metrics.Gauge] {
        service + configuration + plugins + ((try? engine.journal).map(journal) ?? []) + sinks + shadow
    }

    private var service: [Metrics.Gauge] {
        let depth = (try? engine.intake.depth) ?? (0, 0)
        let state = Readiness(engine: engine).state
        return [
            Gauge("belfry_build_info", "The version.", 1, labels: [label("version", belfryVersion)]),
            Gauge("belfry_ready", "Whether the service takes signals.", state == .ready || state == .degraded ? 1 : 0),
            Gauge(
                "belfry_deciding", "Whether this process decides, and does not stand by for another replica.",
                engine.state == .ready ? 1 : 0),
            Gauge("belfry_queue_signals", "Signals that wait to be decided or committed.", depth.0),
            Gauge("belfry_queue_bytes", "Bytes of signals that wait.", depth.1),
            Gauge("belfry_streams", "Streams and long polls that are open.", streams.count),
            Gauge("belfry_http_connections", "Connections of the API that are open.", connections.count),
            Gauge("http_server_active_requests", "Requests to the API that wait for their answer.", connections.busy),
            Gauge(
                "process_start_time_seconds", "When the process began, since 1970.",
                Double(startedAt.milliseconds) / 1000),
        ]
    }

    private var configuration: [Metrics.Gauge] {
        let (workspace, reload) = (engine.workspace, engine.lastReload)
        let configuration = workspace.configuration
        let silences = ["active", "pending", "expired"].map { state in
            Gauge(
                "belfry_silences", "Silences, by state.",
                Double(configuration.silences.count { $0.state(at: .wallClock).rawValue == state }),
                labels: [label("state", state)])
        }
        return silences + [
            Gauge(
                "belfry_config_info", "The configuration that is in force.", 1,
                labels: [label("generation", workspace.fingerprint)]),
            Gauge(
                "belfry_config_last_reload_successful", "Whether what was read last is in force.",
                reload.isInForce ? 1 : 0),
            Gauge(
                "belfry_config_last_reload_success_timestamp_seconds", "When what is in force was read, since 1970.",
                Double(reload.read.milliseconds) / 1000),
            Gauge("belfry_campaigns", "Campaigns of the configuration.", configuration.campaigns.count),
            Gauge("belfry_shards", "Threads or processes that share the subjects.", engine.shards),
        ]
    }

    private var plugins: [Metrics.Gauge] {
        let quarantined = Set(engine.quarantined)
        let entries = engine.workspace.configuration.chain.map { entry in
            Gauge(
                "belfry_strategy_quarantined", "Whether a chain entry is not asked for now, after too many faults.",
                quarantined.contains(entry.id) ? 1 : 0, labels: [label("entry", entry.id)])
        }
        return entries
            + engine.workspace.provenance.plugins.map { plugin, digest in
                Gauge(
                    "belfry_plugin_info", "Plugins of the chain, with the digest of each file.", 1,
                    labels: [label("plugin", plugin), label("digest", digest)])
            }
    }

    private func journal(_ journal: Journal) -> [Metrics.Gauge] {
        let latest = metrics.lastBatch
        let oldest = (try? journal.reader().next())?.writtenAt
        let times = [
            ("belfry_journal_oldest_timestamp_seconds", "When the oldest entry that is kept was written.", oldest),
            ("belfry_signals_latest_timestamp_seconds", "The latest time of a signal.", latest.accepted),
        ]
        return [
            Gauge("belfry_journal_entries_total", "Entries of the journal.", Double(journal.durable), type: "counter"),
            Gauge("belfry_journal_decisions_total", "Decisions in it.", Double(journal.decisions), type: "counter"),
            Gauge("belfry_records_in_memory", "Subjects whose records are in memory.", latest.records),
        ]
            + times.compactMap { name, help, time in
                time.map { Gauge(name, "\(help) Since 1970.", Double($0.milliseconds) / 1000) }
            } + store
    }

    /// Bytes on a disk; nothing of what is in memory.
    private var store: [Metrics.Gauge] {
        StoredBytes.parts(of: engine.location).map { part, bytes in
            Gauge("belfry_store_bytes", "What is on the disk, by part.", Double(bytes), labels: [label("part", part)])
        }
    }

    private var sinks: [Metrics.Gauge] {
        ((try? engine.sinks.statuses) ?? []).flatMap { sink in
            let labels = [label("sink", sink.id)]
            return [
                Gauge(
                    "belfry_sink_delivered_total", "Decisions that a sink has taken.", Double(sink.delivered),
                    labels: labels, type: "counter"),
                Gauge(
                    "belfry_sink_failed_attempts_total", "Attempts that did not get through.",
                    Double(sink.failedAttempts), labels: labels, type: "counter"),
                Gauge(
                    "belfry_sink_dropped_total", "Decisions that were given up.", Double(sink.dropped), labels: labels,
                    type: "counter"),
                Gauge("belfry_sink_waiting", "Decisions that wait for a sink.", Double(sink.waiting), labels: labels),
                Gauge(
                    "belfry_sink_ready", "Whether a sink gets what comes.", sink.state == .ready ? 1 : 0,
                    labels: labels),
            ]
        }
    }

    private var shadow: [Metrics.Gauge] {
        guard let status = try? engine.shadowed?.status else { return [] }
        let differences = ShadowDifference.Kind.allCases.map { kind in
            Gauge(
                "belfry_shadow_differences_total", "What the shadow decided otherwise.",
                Double(status.counts[kind] ?? 0), labels: [label("kind", kind.rawValue)], type: "counter")
        }
        return differences + [
            Gauge(
                "belfry_shadow_compared_total", "Decisions that were compared with the shadow's.",
                Double(status.compared), type: "counter"),
            Gauge("belfry_shadow_behind_entries", "Entries of the journal that it has not read.", status.behind),
            Gauge(
                "belfry_shadow_following", "Whether the shadow decides what comes.",
                status.state == .following ? 1 : 0),
        ]
    }

    private func label(_ name: String, _ text: String) -> String { "\(name)=\(Metrics.quoted(text))" }
}
