import {
  findRefusal,
  type HttpServer,
  SERVER_LIMITS,
  type ServerLimits,
  startServer,
} from '@steward/http'
import { type AppPorts, createApp } from './app.ts'
import { toErrorAnswer } from './error-answer.ts'
import { contentOf, isApiPath } from './is-api-path.ts'
import type { SetTimer } from './module-runner.ts'

export interface HttpServerPorts extends Omit<AppPorts, 'stopping'> {
  host: string
  port: number
  limits?: ServerLimits
  setTimer: SetTimer
}

/** The daemon's HTTP server: checks every request before its route sees it. */
export const startHttpServer = async (ports: HttpServerPorts): Promise<HttpServer> => {
  const streams = new AbortController()
  const calls = new AbortController()
  const app = createApp({ ...ports, stopping: { streams: streams.signal, calls: calls.signal } })
  const routes = new Map(
    ports.served.map(({ handler: { route } }) => [`${route.method} ${route.path}`, route]),
  )
  const server = await startServer({
    host: ports.host,
    port: ports.port,
    limits: ports.limits ?? SERVER_LIMITS,
    setting: 'observability.server',
    fetch: app.fetch,
    findRefusal: (incoming) => findRefusal(incoming, (path) => !isApiPath(path), contentOf),
    // Some routes have their own error format.
    toErrorAnswer: (error, { method = '', url = '' } = {}) =>
      toErrorAnswer(error, ports.homeRoot, routes.get(`${method} ${url.split('?', 1)[0]}`)),
    onRefused: ports.refusals.note,
    onFailed: ports.failures.note,
    endStreams: () => streams.abort(),
    setTimer: ports.setTimer,
  })
  return {
    ...server,
    stop: async (drainMs) => {
      await server.stop(drainMs)
      calls.abort()
    },
  }
}
