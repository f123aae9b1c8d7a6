import {
  createRateLimits,
  createRequestLog,
  createStreamCount,
  type HttpServer,
  type IsOwnAccount,
  systemPeerAccounts,
} from '@steward/http'
import type { Handler } from '../../module.ts'
import { type AuthMode, createGate } from '../auth/gate.ts'
import { type HttpServerPorts, startHttpServer } from '../http-server.ts'

export const TEST_TOKEN = 'a-token-of-more-than-thirty-two-characters'

export interface TestServer {
  server: HttpServer
  base: string
  lines: string[]
  fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** A real server on a free port with these handlers, and its log. */
export const startTestServer = async (
  handlers: readonly Handler[],
  given: Partial<HttpServerPorts> & { mode?: AuthMode; isOwnAccount?: IsOwnAccount } = {},
): Promise<TestServer> => {
  const lines: string[] = []
  const say = (line: string) => {
    lines.push(line)
  }
  const server = await startHttpServer({
    served: handlers.map((handler) => ({ handler, checkRunning: () => undefined })),
    gate: createGate({
      token: async () => TEST_TOKEN,
      sessions: { has: async (id) => id === 'signed-in' },
      mode: () => given.mode ?? 'default',
      cookieName: () => 'steward_session',
      isOwnAccount: given.isOwnAccount ?? systemPeerAccounts(say),
    }),
    rateLimits: createRateLimits(() => 0),
    streams: createStreamCount(),
    refusals: createRequestLog('refused', say, () => 0),
    failures: createRequestLog('failed', say, () => 0),
    homeRoot: '/data/home',
    servePage: async (path) => new Response(`page ${path}`),
    host: '127.0.0.1',
    port: 0,
    setTimer: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
    ...given,
  })
  const base = `http://127.0.0.1:${server.port}`
  return { server, base, lines, fetch: (path, init) => fetch(`${base}${path}`, init) }
}
