import Foundation
import Glibc
import Metrics
import Testing

@Suite("What the system says of the process")
struct ProcessStatusTests {
    @Test("descriptors are counted one by one")
    func descriptors() throws {
        // Other tests may open some meanwhile, but hardly as many.
        let before = try #require(ProcessStatus.now()).openDescriptors
        let opened = (0..<200).map { _ in dup(STDERR_FILENO) }
        let during = try #require(ProcessStatus.now())
        for descriptor in opened { close(descriptor) }
        #expect(during.openDescriptors >= before + 150)
        #expect(during.descriptorLimit >= during.openDescriptors)
    }

    @Test("memory, processor time, threads and the beginning are those of this process")
    func figures() throws {
        let status = try #require(ProcessStatus.now())
        #expect(status.residentBytes > 1 << 20)
        #expect(status.virtualBytes >= status.residentBytes)
        #expect(status.processorSeconds > 0)
        #expect(status.threads >= 1)
        let age = Date().timeIntervalSince1970 - status.startSeconds
        #expect((-1...86_400).contains(age), "\(age) seconds")
    }
}
