import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { StewardError, toStewardError } from '@steward/contract'
import type { Clock } from './clock.ts'
import { type Destination, type Exchange, forward } from './front.ts'
import {
  askSocket,
  createSandboxWorker,
  type PlainResponse,
  type SandboxRunner,
  type SandboxWorker,
} from './sandbox-worker.ts'
import { isApart, isSameDirectory, type WorkerDirectory } from './worker-directory.ts'

interface GateRequest {
  method: string
  /** Path and query. */
  path: string
  authorization: string | undefined
}

/**
 * Answers without starting a process, like the worker in front of a container: `/health` for everyone,
 * and 401 without the token. Returns undefined for requests that may pass.
 */
const answerAtGate = (
  { method, path, authorization }: GateRequest,
  worker: { name: string; token: string | undefined; nowMs: number },
): PlainResponse | undefined => {
  const [pathname] = path.split('?')
  if (method === 'GET' && pathname === '/health') {
    const timestamp = new Date(worker.nowMs).toISOString()
    return respondJson(200, { status: 'ok', action: worker.name, timestamp })
  }
  if (isToken(authorization, worker.token)) return undefined
  const refusal = new StewardError('unauthorized')
  return respondJson(refusal.status, refusal.toBody(), [['www-authenticate', 'Bearer']])
}

const respondJson = (
  status: number,
  body: object,
  more: readonly [string, string][] = [],
): PlainResponse => ({
  status,
  headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...more],
  body: Buffer.from(JSON.stringify(body)),
})

/** Compares digests, which have equal lengths, so that the time reveals nothing about the token. */
const isToken = (authorization: string | undefined, token: string | undefined): boolean => {
  if (!token || authorization === undefined) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`))
}

const respond = (outgoing: ServerResponse, { status, headers, body }: PlainResponse): void => {
  outgoing.writeHead(status, Object.fromEntries(headers))
  outgoing.end(body)
}

/** Those of the connection, and of the runtime itself, are not for the worker. */
const OWN_HEADERS = /^(host|connection|transfer-encoding|content-length|mf-.*)$/

const forwarded = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OWN_HEADERS.test(name) ? [[name, value]] : [],
    ),
  )

/**
 * All workers outside the shared workerd, behind the same bindings and addresses: those of the sandbox
 * tier, and those with the user's code, which could loop endlessly.
 */
export interface SandboxWorkers {
  /** Applies a reload; the process of a changed worker ends after its requests. */
  set(directories: readonly WorkerDirectory[]): void
  /** A call through a service binding. */
  call(worker: string, exchange: Exchange): Promise<void>
  /** A request at the worker's own address. */
  answer(worker: string, exchange: Exchange): Promise<void>
  stop(): Promise<void>
}

interface Entry {
  directory: WorkerDirectory
  sandbox: SandboxWorker
}

export const createSandboxWorkers = (
  environment: Readonly<Record<string, string>>,
  runnerOf: (directory: WorkerDirectory) => SandboxRunner,
  clock: Clock,
): SandboxWorkers => {
  const entries = new Map<string, Entry>()
  const leaving = new Set<SandboxWorker>()

  const find = (worker: string): Entry => {
    const entry = entries.get(worker)
    if (entry === undefined) throw new StewardError('worker_not_found', { worker })
    return entry
  }

  const withSocket = <T>(
    { sandbox }: Entry,
    work: (destination: Destination) => Promise<T>,
    options?: { isRepeatable: boolean },
  ): Promise<T> =>
    sandbox.use(async (opened) => {
      if (!opened.ok) throw opened.error
      return work(opened.value)
    }, options)

  const judge = ({ directory }: Entry, request: GateRequest): PlainResponse | undefined =>
    answerAtGate(request, {
      name: directory.name,
      token: environment.AUTH_TOKEN,
      nowMs: clock.now(),
    })

  return {
    set: (directories) => {
      const wanted = directories.filter(isApart)
      for (const [worker, entry] of entries) {
        if (wanted.some((directory) => isSameDirectory(directory, entry.directory))) continue
        entries.delete(worker)
        leaving.add(entry.sandbox)
        void entry.sandbox.retire().then(() => leaving.delete(entry.sandbox))
      }
      for (const directory of wanted) {
        if (entries.has(directory.worker)) continue
        const given = Object.fromEntries(
          directory.secrets.flatMap((name) => {
            const value = environment[name]
            return value === undefined ? [] : [[name, value]]
          }),
        )
        const sandbox = createSandboxWorker(directory, given, runnerOf(directory), clock)
        entries.set(directory.worker, { directory, sandbox })
      }
    },
    call: async (worker, { incoming, outgoing }) => {
      const ask = async (): Promise<PlainResponse> => {
        const entry = find(worker)
        const { method = '', url: path = '' } = incoming
        const headers = forwarded(incoming.headers)
        const body = await buffer(incoming)
        const refused = judge(entry, { method, path, authorization: headers.authorization })
        const work = (socket: Destination): Promise<PlainResponse> => {
          // The process may have started only now, and whatever it does may cost money.
          if (outgoing.destroyed) throw new Error('its caller ended')
          return askSocket(socket, { method, path, headers, body })
        }
        return refused ?? withSocket(entry, work, { isRepeatable: true })
      }
      const answered = await ask().catch((thrown: unknown) => {
        const error = toStewardError(thrown, 'upstream_failed', { service: worker })
        return respondJson(error.status, error.toBody())
      })
      respond(outgoing, answered)
    },
    answer: async (worker, exchange) => {
      const entry = find(worker)
      const { method = '', url: path = '', headers } = exchange.incoming
      const answered = judge(entry, { method, path, authorization: headers.authorization })
      if (answered === undefined) {
        return withSocket(entry, (destination) => forward(exchange, destination))
      }
      respond(exchange.outgoing, answered)
    },
    stop: async () => {
      const all = [...leaving, ...[...entries.values()].map(({ sandbox }) => sandbox)]
      await Promise.all(all.map((sandbox) => sandbox.stop()))
    },
  }
}
