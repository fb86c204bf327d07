internal import Checksum

/// A file of the web page. All of them are in the binary.
package enum PageFile: CaseIterable, Sendable {
    /// The page with all its screens.
    case page
    /// How the page looks.
    case style
    /// What starts the page, and decides which screen is shown.
    case app
    /// Who tells the screens of likes.
    case mediator
    /// The calls of the API, and the live stream.
    case client
    /// What screens are built of.
    case elements
    /// The screen with all news.
    case feed
    /// The screen of one news, and the sheet that says who likes it.
    case detail
    /// The screen of one user.
    case profile
    /// The like button for pages of others.
    case likeButton
    /// A page of others, as an example.
    case demo
    /// What puts like buttons on that page.
    case demoScript

    /// The name of a file that the page asks for by `/page/` and this; nil of those that have an address of their own.
    package var name: StaticString? {
        switch self {
        case .page, .likeButton, .demo: nil
        case .style: "page.css"
        case .app: "app.js"
        case .mediator: "mediator.js"
        case .client: "client.js"
        case .elements: "elements.js"
        case .feed: "feed.js"
        case .detail: "detail.js"
        case .profile: "profile.js"
        case .demoScript: "demo.js"
        }
    }

    /// The media type, as `Content-Type` says it.
    package var mediaType: String {
        switch self {
        case .page, .demo: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        default: "text/javascript; charset=utf-8"
        }
    }

    /// The content.
    var bytes: [UInt8] {
        switch self {
        case .page: PackageResources.page_html
        case .style: PackageResources.page_css
        case .app: PackageResources.app_js
        case .mediator: PackageResources.mediator_js
        case .client: PackageResources.client_js
        case .elements: PackageResources.elements_js
        case .feed: PackageResources.feed_js
        case .detail: PackageResources.detail_js
        case .profile: PackageResources.profile_js
        case .likeButton: PackageResources.like_button_js
        case .demo: PackageResources.demo_html
        case .demoScript: PackageResources.demo_js
        }
    }

    /// The content, in the form that is sent to a browser.
    ///
    /// - Parameter isCompressed: whether the browser takes gzip.
    package func content(isCompressed: Bool) -> PageContent {
        isCompressed ? PageContent.compressed(self) : PageContent.plain(self)
    }
}
