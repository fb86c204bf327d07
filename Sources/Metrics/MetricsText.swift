/// Writes metrics in the text format of Prometheus, version 0.0.4.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricsText {
    /// What is written so far.
    package private(set) var text = ""

    /// The media type of the text.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// A label's name and value.
    package typealias Label = (name: String, value: String)

    /// Whether a metric only grows, or is what it is at the moment.
    package enum Kind: String {
        /// Only grows, until the process ends.
        case counter
        /// Goes up and down.
        case gauge
    }

    /// A text without any metric.
    package init() {}

    /// Writes a metric with one value.
    package mutating func metric(
        _ name: String, _ kind: Kind, _ help: String, _ value: some MetricsValue, _ labels: [Label] = []
    ) {
        family(name, kind.rawValue, help)
        sample(name, labels, value.metricsText)
    }

    /// Writes a metric with a value for each of some labels; nothing when there are none.
    package mutating func metric<Value: MetricsValue>(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [Label], value: Value)]
    ) {
        guard !samples.isEmpty else { return }
        family(name, kind.rawValue, help)
        for (labels, value) in samples { sample(name, labels, value.metricsText) }
    }

    /// Writes histograms of one name; nothing when there are none.
    ///
    /// - Parameters:
    ///   - name: with the unit that is shown at its end.
    ///   - help: a sentence.
    ///   - unit: how many of the histogram's make up one that is shown: a million, for microseconds as seconds.
    ///   - samples: each with its labels.
    package mutating func histogram(
        _ name: String, _ help: String, unit: Double, _ samples: [(labels: [Label], value: Histogram)]
    ) {
        guard !samples.isEmpty else { return }
        family(name, "histogram", help)
        for (labels, histogram) in samples {
            var count: UInt64 = 0
            for (bound, number) in zip(histogram.bounds, histogram.counts) {
                count += number
                sample("\(name)_bucket", labels + [("le", (Double(bound) / unit).metricsText)], String(count))
            }
            count = histogram.count
            sample("\(name)_bucket", labels + [("le", "+Inf")], String(count))
            sample("\(name)_sum", labels, (Double(histogram.sum) / unit).metricsText)
            sample("\(name)_count", labels, String(count))
        }
    }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
        text += name
        for (index, label) in labels.enumerated() {
            text += index == 0 ? "{" : ","
            text += "\(label.name)=\"\(Self.escaped(label.value, quotes: true))\""
        }
        text += "\(labels.isEmpty ? "" : "}") \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// A number as a metric can have it.
package protocol MetricsValue: Sendable {
    /// How the format writes it.
    var metricsText: String { get }
}

extension UInt64: MetricsValue {
    package var metricsText: String { String(self) }
}

extension Int: MetricsValue {
    package var metricsText: String { String(self) }
}

extension Double: MetricsValue {
    package var metricsText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        return self == rounded() && magnitude < 1e15 ? String(Int64(self)) : description
    }
}
