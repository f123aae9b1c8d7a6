import { type ServerLimits, startServer } from '@steward/http'
import type { StartTimer } from '@steward/platform'
import { createId } from '../ids/create-id.ts'
import type { HostedApi } from './create-hosted-api.ts'
import { toErrorAnswer } from './error-answer.ts'

export interface ServeOptions {
  host: string
  /** 0 selects a free port. */
  port: number
  /** How long stopping waits for calls in progress. */
  drainMs?: number
  setTimer: StartTimer
}

export interface HostedServer {
  /** `http://127.0.0.1:31338`, the base URL for clients. */
  address: string
  /** Ends streams, lets calls in progress finish, then closes every connection. */
  stop(): Promise<void>
}

const DRAIN_MS = 5000

const LIMITS: ServerLimits = {
  headersTimeoutMs: 60_000,
  // Allows 128 MiB files over slow connections.
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 5000,
  checkIntervalMs: 30_000,
  maxHeaderBytes: 32 * 1024,
  maxConnections: Number.POSITIVE_INFINITY,
}

/** Serves the API of hosted agents. */
export const serveHostedApi = async (
  api: HostedApi,
  { host, port, drainMs = DRAIN_MS, setTimer }: ServeOptions,
): Promise<HostedServer> => {
  const server = await startServer({
    host,
    port,
    limits: LIMITS,
    setting: 'hosted.host',
    fetch: api.app.fetch,
    toErrorAnswer: (error) => {
      const requestId = createId('req')
      const answer = toErrorAnswer(error, requestId)
      return { ...answer, headers: { ...answer.headers, 'request-id': requestId } }
    },
    onFailed: (_, error) => api.report(error, 'a connection'),
    endStreams: api.close,
    setTimer,
  })
  return {
    address: `http://${server.hosts[0]}:${server.port}`,
    stop: () => server.stop(drainMs),
  }
}
