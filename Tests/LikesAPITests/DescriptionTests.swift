import LikesCore
import MicroHTTP
import Testing
import WebPage

@testable import LikesAPI

@Suite("openapi.yaml and the routes say the same")
struct DescriptionTests {
    /// The paths of the description with their methods, read off the indentation: paths stand at 2, methods at 4.
    private static let described: [String: Set<String>] = {
        var paths: [String: Set<String>] = [:]
        var current: String?
        for line in String(decoding: PackageResources.openapi_yaml, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                current = String(line.dropFirst(2).dropLast())
                paths[current ?? "", default: []] = []
            } else if !line.hasPrefix("  ") {
                current = nil
            } else if let path = current, line.hasPrefix("    "), !line.hasPrefix("     "), line.hasSuffix(":") {
                let name = line.dropFirst(4).dropLast().uppercased()
                if name != "PARAMETERS" { paths[path, default: []].insert(name) }
            }
        }
        return paths
    }()

    @Test("each path that is described is served, by the route that it is described as")
    func describedIsServed() throws {
        #expect(Self.described.count == RouteTemplate.allCases.count)
        for path in Self.described.keys {
            let example = { (segment: Substring) in
                segment == "{file}" ? "app.js" : segment.hasPrefix("{") ? "x" : segment
            }
            let target = path.split(separator: "/").map(example).joined(separator: "/")
            #expect(try Route(uri: Array("/\(target)".utf8)).template.path == path)
        }
    }

    @Test("each route is described, with just the methods that it has")
    func servedIsDescribed() {
        for route in RouteTemplate.allCases {
            // OPTIONS is the same everywhere, and described once for all.
            let methods = Set(route.methods.map(\.name)).subtracting(["OPTIONS"])
            #expect(Self.described[route.path] == methods, "\(route.path)")
        }
    }

    @Test("each operation names its statuses: with `default`, no status would be undocumented")
    func statuses() {
        let description = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
        let defaults = description.split(separator: "\n").filter { $0.hasPrefix("        default: { $ref:") }
        #expect(defaults.isEmpty)
    }

    @Test("each operation names what any request can be answered with, also before it is known what it is about")
    func general() {
        let operations = Self.described.values.reduce(0) { $0 + $1.count }
        for status in ["501", "503"] {
            let count = Self.lines.count { $0.hasPrefix("        '\(status)':") }
            #expect(count == operations, "\(status)")
        }
    }

    @Test("each component is used")
    func components() {
        var section: Substring?
        var isInside = false
        var unused: [String] = []
        for line in Self.lines {
            if !line.hasPrefix(" ") { isInside = line == "components:" }
            guard isInside, let name = Self.key(line) else { continue }
            switch line.prefix(while: { $0 == " " }).count {
            case 2: section = name
            case 4:
                let component = "#/components/\(section ?? "")/\(name)"
                if !Self.references.contains(component) { unused.append(component) }
            default: break
            }
        }
        #expect(section == "schemas")
        #expect(unused == [])
    }

    private static let lines = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
        .split(separator: "\n")

    /// What stands before the colon of a line that begins with a key.
    private static func key(_ line: Substring) -> Substring? {
        let text = line.drop { $0 == " " }
        let key = text.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
        return key.isEmpty || !text.dropFirst(key.count).hasPrefix(":") ? nil : key
    }

    /// The components that something refers to. OpenAPI has no words for bodies of lines: the schemas of their lines are
    /// named in a description.
    private static let references: Set<String> = {
        var found: Set<String> = []
        for line in lines {
            let quoted = line.split(separator: "'")
            found.formUnion(quoted.filter { $0.hasPrefix("#/components/") }.map(String.init))
            guard line.contains("description: One "), line.hasSuffix(" a line.") else { continue }
            let words = line.split { !$0.isLetter }
            found.formUnion(words.map { "#/components/schemas/\($0)" })
        }
        return found
    }()

    @Test("the codes of problems are those that are described")
    func codes() {
        let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
        for code in Problem.Code.allCases {
            #expect(text.contains("| \(code.rawValue) | \(code.status) |"), "\(code.rawValue)")
            #expect(text.contains("        - \(code.rawValue)\n"), "\(code.rawValue)")
        }
        let described = text.split(separator: "\n").filter { line in
            line.hasPrefix("        | ") && (line.contains(" | 4") || line.contains(" | 50"))
        }
        #expect(described.count == Problem.Code.allCases.count)
    }
}
