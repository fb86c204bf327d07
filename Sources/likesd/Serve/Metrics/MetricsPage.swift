internal import EventStreams
internal import LikesAPI
internal import LikesCore
internal import Logging
internal import Metrics
internal import MicroHTTP

/// What `/metrics` answers: all that the parts of the service have counted, and what they are like at the moment.
struct MetricsPage: Sendable {
    let requests: RequestMetrics
    let mediatorMetrics: MediatorMetrics
    /// Nil for a service in memory only, which has none.
    let snapshots: SnapshotMetrics?
    let mediator: LikesMediator
    let reader: LikesReader
    let auditor: Auditor
    let streams: EventStreams
    let log: Log
    /// Nil before the server is there.
    let server: @Sendable () -> HTTPServer?

    /// The text of this moment.
    func text() -> String {
        var text = MetricsText()
        writeBuild(to: &text)
        requests.write(to: &text)
        writeServer(to: &text)
        mediatorMetrics.write(to: &text)
        writeMediator(to: &text)
        writeState(to: &text)
        writeStreams(to: &text)
        snapshots?.write(to: &text)
        text.metric(
            "likesd_log_lines_dropped_total", .counter,
            "Lines of the log that were not written, since there were too many.",
            log.leftOutLines)
        if let status = ProcessStatus.now() { Self.write(status, to: &text) }
        return text.text
    }

    private func writeBuild(to text: inout MetricsText) {
        text.metric(
            "likesd_build_info", .gauge, "Always 1; the labels say what is running.", 1,
            [("version", Version.text), ("libmicrohttpd", HTTPServer.libraryVersion)])
    }

    private func writeServer(to text: inout MetricsText) {
        guard let statistics = server()?.statistics else { return }
        text.metric("likesd_http_connections", .gauge, "Connections that are open.", statistics.openConnections)
        text.metric(
            "likesd_http_requests_waiting", .gauge, "Requests that wait for their answer.", statistics.inFlightRequests)
    }

    private func writeMediator(to text: inout MetricsText) {
        text.metric(
            "likesd_queue_commands", .gauge, "Commands that the mediator has not answered yet.", mediator.queueDepth)
        text.metric(
            "likesd_queue_refusals_total", .counter, "Commands that were refused, since too many waited.",
            mediator.queueRefusals)
        text.metric(
            "likesd_journal_up", .gauge, "Whether writes can be stored: 1 or 0.", mediator.journalFailure == nil ? 1 : 0
        )
    }

    private func writeState(to text: inout MetricsText) {
        let totals = reader.totals
        text.metric("likesd_sequence", .gauge, "The last event that is kept and shown.", totals.position)
        text.metric("likesd_news", .gauge, "News that exist.", totals.news)
        text.metric("likesd_users", .gauge, "Users that have been part of a write and are not forgotten.", totals.users)
        text.metric("likesd_likes", .gauge, "Likes that exist.", totals.likes)
        let audit = auditor.status
        text.metric(
            "likesd_audit_drift", .gauge,
            "Counts and likes that the recount has found wrong: 0 unless there is a fault.",
            max(audit.drift + audit.orphans, audit.driftSoFar))
        text.metric("likesd_audit_passes_total", .counter, "Recounts of everything.", audit.passes)
    }

    private func writeStreams(to text: inout MetricsText) {
        let statistics = streams.statistics
        text.metric("likesd_streams", .gauge, "Live streams that are open.", statistics.open)
        text.metric("likesd_streams_limit", .gauge, "Live streams that may be open.", statistics.limit)
        text.metric(
            "likesd_streams_refused_total", .counter, "Live streams that were refused, since too many were open.",
            statistics.refused)
        text.metric(
            "likesd_streams_cut_total", .counter, "Live streams that were cut, since their client did not keep up.",
            statistics.cut)
        text.metric(
            "likesd_stream_ring_dropped_events_total", .counter,
            "Events that made room for newer ones in memory, as each does once that is full: who has missed them gets them from the journal.",
            statistics.droppedEvents)
        text.metric(
            "likesd_stream_replays_total", .counter, "Pages of the journal that were read for live streams.",
            statistics.replays)
    }

    /// The names are those of the client libraries of Prometheus.
    private static func write(_ status: ProcessStatus, to text: inout MetricsText) {
        text.metric(
            "process_cpu_seconds_total", .counter, "Processor time, of the program and of the system for it.",
            status.processorSeconds)
        text.metric("process_resident_memory_bytes", .gauge, "Memory that is resident.", status.residentBytes)
        text.metric("process_virtual_memory_bytes", .gauge, "Addresses that are mapped.", status.virtualBytes)
        text.metric("process_open_fds", .gauge, "Descriptors that are open.", status.openDescriptors)
        text.metric("process_max_fds", .gauge, "Descriptors that may be open.", status.descriptorLimit)
        text.metric("process_threads", .gauge, "Threads that run.", status.threads)
        text.metric(
            "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.", status.startSeconds)
    }
}
