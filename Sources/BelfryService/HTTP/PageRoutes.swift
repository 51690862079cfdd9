import BelfryModel
import CServicePages
import Foundation
import HTTPTypes
import Hummingbird

/// `GET /` and `GET /openapi.yaml`: what the service shows of itself, to any caller.
enum PageRoutes {
    static var routes: [Route] {
        let page = String(cString: belfry_inspector_page())
        let policy = policy(for: page)
        return [
            Route(.get, "/", nil) { _ in
                var response = Response(bytes: Array(page.utf8), type: "text/html; charset=utf-8")
                response.headers[HTTPField.Name("Content-Security-Policy")!] = policy
                return response
            },
            Route(.get, "/openapi.yaml", nil) { _ in
                Response(bytes: Array(String(cString: belfry_openapi()).utf8), type: "application/yaml")
            },
        ]
    }

    /// Of scripts only those of the page itself run, and it talks to nothing but its service.
    static func policy(for page: String) -> String {
        let hashes = page.components(separatedBy: "<script>").dropFirst().map { rest in
            "'sha256-\(hash(of: rest.components(separatedBy: "</script>")[0]))'"
        }
        return """
            default-src 'none'; script-src \(hashes.joined(separator: " ")); style-src 'unsafe-inline'; img-src data:; \
            connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    private static func hash(of text: String) -> String {
        Base64.encode(SHA256Digest(of: text).bytes)
    }
}
