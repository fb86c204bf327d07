# The image of likesd.
#
#   docker build -t likesd .                            Debian with a shell and apt's security updates, but for libmicrohttpd and zlib (the default)
#   docker build -t likesd:minimal --target minimal .   nothing but the binary and the libraries it loads
#   docker run -p 8080:8080 -v likes:/data likesd

# Build stage: the toolchain and the headers stay here. The packages are those of `make setup` that a build needs.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libjansson-dev libmicrohttpd-dev libsqlite3-dev libxxhash-dev pkg-config zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# SwiftPM looks for every folder that the manifest names, those of the tests too; the tests themselves are not built.
COPY Package.swift openapi.yaml ./
COPY Linking ./Linking
COPY Sources ./Sources
COPY Tests ./Tests
# The Swift runtime, libmicrohttpd and zlib are linked in, so the run stages need none of their libraries. `-s` strips the symbols.
RUN swift build -c release --static-swift-stdlib --product likesd \
 && install -D -s "$(swift build -c release --show-bin-path)/likesd" /out/usr/local/bin/likesd

# What the minimal image holds: the binary, the libraries that it loads, the loader, one user, /data and /tmp.
FROM build AS collect
RUN set -eu; mkdir /minimal; cp -a /out/. /minimal/ \
 && ldd /out/usr/local/bin/likesd | awk '$2 == "=>" {print $3} $1 ~ "^/" {print $1}' | sort -u > /tmp/libraries \
 && while read -r library; do install -D "$library" "/minimal$library"; done < /tmp/libraries \
 && mkdir -p /minimal/etc /minimal/tmp && chmod 1777 /minimal/tmp \
 && install -d -o 10001 -g 10001 -m 0750 /minimal/data \
 && echo 'likesd:x:10001:10001::/:/sbin/nologin' > /minimal/etc/passwd \
 && echo 'likesd:x:10001:' > /minimal/etc/group

FROM scratch AS minimal
COPY --from=collect /minimal/ /
ENV PATH=/usr/local/bin LIKESD_HOST=0.0.0.0 LIKESD_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s --retries=3 CMD ["likesd", "health"]
ENTRYPOINT ["likesd"]
CMD ["serve"]

# The default: Debian, the libraries that the binary loads, and the binary.
FROM debian:bookworm-slim AS debian
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libjansson4 libsqlite3-0 libxxhash0 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 likesd \
 && useradd --uid 10001 --gid likesd --no-create-home --home-dir /data --shell /usr/sbin/nologin likesd \
 && install -d -o likesd -g likesd -m 0750 /data
COPY --from=build /out/ /
ENV LIKESD_HOST=0.0.0.0 LIKESD_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s --retries=3 CMD ["likesd", "health"]
ENTRYPOINT ["likesd"]
CMD ["serve"]
