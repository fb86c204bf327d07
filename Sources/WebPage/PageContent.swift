internal import Checksum

/// The content of a file of the web page in one of its two forms.
package struct PageContent: Sendable {
    /// What is sent.
    package let bytes: [UInt8]
    /// The entity tag (RFC 9110, 8.8.3): another one for any other content, the same on every server with the same.
    package let tag: String

    private init(_ bytes: [UInt8], tag: String) {
        self.bytes = bytes
        self.tag = tag
    }

    /// A file as it is.
    static func plain(_ file: PageFile) -> PageContent { PageContent(file.bytes, tag: "\"\(tag(of: file))\"") }

    /// A file compressed. All of them are when the first one is asked for; a server without a browser needs none.
    static func compressed(_ file: PageFile) -> PageContent { compressed[file] ?? plain(file) }

    private static let compressed = Dictionary(
        uniqueKeysWithValues: PageFile.allCases.map { file in
            (file, PageContent(Gzip.compressed(file.bytes), tag: "\"\(tag(of: file))-gzip\""))
        })

    private static func tag(of file: PageFile) -> String {
        let checksum = unsafe file.bytes.withUnsafeBytes { unsafe Checksum.of($0) }
        return String(checksum, radix: 16)
    }
}
