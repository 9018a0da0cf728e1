# The reverse proxy: https for the web pages and for Telegram's webhooks. Build: docker compose build proxy
FROM caddy:2.10.2-alpine
# Copied, the program loses the right to low ports, which it does not need and could not have without new privileges.
RUN adduser -D -u 10003 proxy && chown -R proxy /data /config \
    && cp /usr/bin/caddy /usr/bin/proxy && mv /usr/bin/proxy /usr/bin/caddy
COPY docker/Caddyfile /etc/caddy/Caddyfile
USER proxy
EXPOSE 8080 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:2020/healthz"]
