"""A web site of somebody else, on another origin: pages that people paste the like button into, or frame the page."""

import http.server
import threading


class Site:
    """Serves one page, `html`, at every address, from `localhost`; likesd in these tests is `127.0.0.1`: another origin."""

    def __init__(self, html=""):
        self.html = html
        self._server = http.server.ThreadingHTTPServer(("localhost", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://localhost:{self._server.server_port}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def _handler(site):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = site.html.encode() if self.path == "/" else b""
                self.send_response(200 if body else 204)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler
