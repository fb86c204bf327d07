internal import LikesCore
internal import WebPage

/// An address of the web page.
enum PageAddress {
    case home
    case news(NewsID)
    /// The profile of whoever looks, who is known to the browser only.
    case ownProfile
    case profile(UserID)
    case demo
    case likeButton
    case part(PageFile)

    /// What is served there. The screens are one page, which looks at its address.
    var file: PageFile {
        switch self {
        case .home, .news, .ownProfile, .profile: .page
        case .demo: .demo
        case .likeButton: .likeButton
        case .part(let file): file
        }
    }

    /// The form of its path.
    var template: RouteTemplate {
        switch self {
        case .home: .home
        case .news: .newsPage
        case .ownProfile: .ownProfilePage
        case .profile: .profilePage
        case .demo: .demo
        case .likeButton: .likeButton
        case .part: .pagePart
        }
    }

    /// The part of a name; nil when there is none.
    static func part(named name: Span<UInt8>) -> PageAddress? {
        for file in PageFile.allCases {
            if let known = file.name, name.equals(known) { return .part(file) }
        }
        return nil
    }
}
