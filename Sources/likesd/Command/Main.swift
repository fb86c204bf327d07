internal import Glibc
internal import Logging

/// The program.
@main
enum Main {
    // What runs here is bound to the main actor, which other threads must not touch: so nothing but this does.
    static func main() { exit(run(Array(CommandLine.arguments.dropFirst())).rawValue) }
}

/// Carries out a command line.
func run(_ arguments: [String]) -> ExitStatus {
    do throws(Stop) {
        let verb = arguments.first ?? "help"
        let rest = Array(arguments.dropFirst())
        switch verb {
        case "serve": return try serve(try Settings(rest, for: .serve))
        case "import": return try importFiles(try Settings(rest, for: .import))
        case "export": return try exportRecords(try Settings(rest, for: .export))
        case "verify": return try verify(try Settings(rest, for: .verify))
        case "health": return try checkHealth(try Settings(rest, for: .health))
        case "version", "--version": print("likesd \(Version.text)")
        case "help", "--help", "-h":
            guard rest.isEmpty || rest == ["markdown"] else {
                throw Stop(.usage, "help takes \"markdown\", or nothing")
            }
            print(rest.isEmpty ? Help.text : Help.markdown, terminator: "")
        default: throw Stop(.usage, "there is no command \"\(verb)\"; see \"likesd help\"")
        }
        return .success
    } catch {
        // Systemd's journal takes the level from the number in front.
        Console.error("\(Log.isJournal(STDERR_FILENO) ? "<3>" : "")likesd: \(error.line)")
        return error.status
    }
}

/// The release.
enum Version {
    static let text = "0.1.0"
}
