import {
  BETA_FAMILIES,
  type ClientEvent,
  type ErrorCode,
  hostedErrorBody,
  type LogQuery,
  reasonOf,
  type SessionLog,
  type SessionsOverview,
  StewardError,
  sessionLog,
  sessionsOverview,
} from '@steward/contract'
import type { OwnServer } from '@steward/hosted'
import { z } from 'zod'
import type { HostedModulePorts } from './ports.ts'

const serverStatus = z.object({
  engine: z.string(),
  hands: z.object({
    driver: z.string(),
    isolated: z.boolean(),
    limits: z.string(),
    seccomp: z.boolean(),
    remarks: z.array(z.string()),
  }),
  sessions: z.record(z.string(), z.int()),
})
type ServerStatus = z.infer<typeof serverStatus>

/** A client of this data home's server, in whichever process it runs. */
export interface HostedClient {
  address: string
  /** Asks any path of the API; a retry with the same idempotency key does nothing twice. */
  ask: (path: string, body?: unknown, idempotencyKey?: string) => Promise<unknown>
  status: () => Promise<ServerStatus>
  overview: (archived: boolean) => Promise<SessionsOverview>
  log: (id: string, query: LogQuery) => Promise<SessionLog>
  send: (id: string, event: ClientEvent) => Promise<void>
  archive: (id: string) => Promise<void>
}

const PATIENCE_MS = 10_000
const SERVICE = 'the hosted server'

/** Error codes for refusals that are passed on; all others count as faults of the server. */
const CODES: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_input',
  404: 'hosted_not_found',
  409: 'archived',
}

export const createHostedClient = (
  { address, key }: OwnServer,
  { fetch, abortAfter, redactor }: Pick<HostedModulePorts, 'fetch' | 'abortAfter' | 'redactor'>,
): HostedClient => {
  const ask: HostedClient['ask'] = async (path, body, idempotencyKey) => {
    const answer = await fetch(`${address}/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-api-key': key,
        'anthropic-beta': BETA_FAMILIES.agents,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: abortAfter(PATIENCE_MS),
    }).catch((thrown: unknown) => {
      const reason = `nothing answers at ${address} (${reasonOf(thrown)})`
      throw new StewardError('upstream_failed', { service: SERVICE, reason }, thrown)
    })
    const found: unknown = await answer.json().catch(() => undefined)
    if (!answer.ok) throw toRefusal(answer.status, found)
    return redactor().redact(found).value
  }
  const pathOf = (id: string): string => `/sessions/${encodeURIComponent(id)}`

  return {
    address,
    ask,
    status: async () => read(serverStatus, await ask('/steward/status')),
    overview: async (archived) =>
      read(sessionsOverview, await ask(`/steward/sessions?archived=${archived}`)),
    log: async (id, query) => {
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      )
      return read(sessionLog, await ask(`/steward${pathOf(id)}/log?${new URLSearchParams(given)}`))
    },
    send: async (id, event) => {
      await ask(`${pathOf(id)}/events`, { events: [event] })
    },
    archive: async (id) => {
      await ask(`${pathOf(id)}/archive`, {})
    },
  }
}

const read = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const { data } = schema.safeParse(value)
  if (data !== undefined) return data
  const reason = 'its answer has a format that this version does not know'
  throw new StewardError('upstream_failed', { service: SERVICE, reason })
}

const toRefusal = (status: number, body: unknown): StewardError => {
  const said = hostedErrorBody.safeParse(body).data?.error.message ?? `status ${status}`
  const code = CODES[status]
  if (code === undefined)
    return new StewardError('upstream_failed', { service: SERVICE, reason: said })
  // Both cases have the same code on the wire.
  const isRunning = code === 'archived' && !said.includes('archived')
  return StewardError.restore(isRunning ? 'session_running' : code, said)
}
