import Metrics
import Testing

@Suite("The text of metrics")
struct MetricsTextTests {
    @Test("a metric has its help, its type and a line for each of its labels")
    func samples() {
        var text = MetricsText()
        text.metric("a_total", .counter, "All of them.", [([("x", "1")], 5), ([("x", "2"), ("y", "z")], 7)])
        text.metric("b", .gauge, "One.", 0.25)
        #expect(
            text.text == """
                # HELP a_total All of them.
                # TYPE a_total counter
                a_total{x="1"} 5
                a_total{x="2",y="z"} 7
                # HELP b One.
                # TYPE b gauge
                b 0.25

                """)
    }

    @Test("a histogram's buckets add up, in the unit that is shown, up to all values")
    func histogram() {
        var histogram = Histogram(bounds: [100, 2_500_000])
        for value: Int64 in [50, 100, 101, 3_000_000] { histogram.observe(value) }
        var text = MetricsText()
        text.histogram("t_seconds", "Times.", unit: 1e6, [([("m", "GET")], histogram)])
        #expect(
            text.text == """
                # HELP t_seconds Times.
                # TYPE t_seconds histogram
                t_seconds_bucket{m="GET",le="0.0001"} 2
                t_seconds_bucket{m="GET",le="2.5"} 3
                t_seconds_bucket{m="GET",le="+Inf"} 4
                t_seconds_sum{m="GET"} 3.000251
                t_seconds_count{m="GET"} 4

                """)
    }

    @Test("what would break a line is escaped")
    func escaping() {
        var text = MetricsText()
        text.metric("a", .gauge, "One\nof \"two\" \\.", 1, [("x", "\"\\\n")])
        #expect(text.text == "# HELP a One\\nof \"two\" \\\\.\n# TYPE a gauge\na{x=\"\\\"\\\\\\n\"} 1\n")
    }

    @Test("a metric without any labels to show is left out")
    func empty() {
        var text = MetricsText()
        text.metric("a", .gauge, "None.", [(labels: [MetricsText.Label], value: Int)]())
        #expect(text.text.isEmpty)
    }
}
