import Metrics
import Testing

@Suite("Histograms")
struct HistogramTests {
    @Test("a value falls into the first bucket whose bound it does not exceed, and none is lost")
    func buckets() {
        var histogram = Histogram(bounds: [10, 20])
        for value: Int64 in [0, 10, 11, 20, 21, .max / 2] { histogram.observe(value) }
        #expect(histogram.counts == [2, 2, 2])
        #expect(histogram.count == 6)
        #expect(histogram.sum == 62 + .max / 2)
    }
}
