import { createHash, timingSafeEqual } from 'node:crypto'
import { StewardError, toStewardError } from '@steward/contract'
import { type Request as EdgeRequest, Response as EdgeResponse } from 'miniflare'
import type { Clock } from './clock.ts'
import { type Exchange, forward } from './front.ts'
import {
  askSocket,
  createSandboxWorker,
  type SandboxRunner,
  type SandboxWorker,
} from './sandbox-worker.ts'
import { isSameDirectory, type WorkerDirectory } from './worker-directory.ts'

/** All workers of the sandbox tier: outside of workerd, behind the same bindings and addresses. */
export interface SandboxWorkers {
  /** Takes the directories of a reload; the process of a worker that changed ends after its requests. */
  set(directories: readonly WorkerDirectory[]): void
  /** A call through a service binding. */
  call(worker: string, request: EdgeRequest): Promise<EdgeResponse>
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
  runner: SandboxRunner,
  clock: Clock,
): SandboxWorkers => {
  const entries = new Map<string, Entry>()
  const leaving = new Set<SandboxWorker>()

  /** Runs `work` with the socket of a worker's process. The reason it has none is for callers with the token alone. */
  const withSocket = async <T>(
    worker: string,
    authorization: string | undefined,
    work: (socketPath: string) => Promise<T>,
  ): Promise<T> => {
    const entry = entries.get(worker)
    if (entry === undefined) throw new StewardError('worker_not_found', { worker })
    return entry.sandbox.use(async (opened) => {
      if (opened.ok) return work(opened.value)
      const known = isToken(authorization, environment.AUTH_TOKEN)
      throw known ? opened.error : new StewardError('unauthorized')
    })
  }

  return {
    set: (directories) => {
      const wanted = directories.filter(({ tier }) => tier === 'sandbox')
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
        const sandbox = createSandboxWorker(directory, given, runner, clock)
        entries.set(directory.worker, { directory, sandbox })
      }
    },
    call: async (worker, request) => {
      try {
        const { pathname, search } = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const body = new Uint8Array(await request.arrayBuffer())
        const asked = { method: request.method, path: pathname + search, headers, body }
        const answered = await withSocket(worker, headers.authorization, (socketPath) =>
          askSocket(socketPath, asked),
        )
        return new EdgeResponse(answered.body, answered)
      } catch (thrown) {
        const error = toStewardError(thrown, 'upstream_failed', { service: worker })
        return EdgeResponse.json(error.toBody(), { status: error.status })
      }
    },
    answer: async (worker, exchange) => {
      const { authorization } = exchange.incoming.headers
      await withSocket(worker, authorization, (socketPath) => forward(exchange, { socketPath }))
    },
    stop: async () => {
      const all = [...leaving, ...[...entries.values()].map(({ sandbox }) => sandbox)]
      await Promise.all(all.map((sandbox) => sandbox.stop()))
    },
  }
}

/** Compares digests: they have one length, and the time says nothing of the token. */
const isToken = (authorization: string | undefined, token: string | undefined): boolean => {
  if (!token || authorization === undefined) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`))
}
