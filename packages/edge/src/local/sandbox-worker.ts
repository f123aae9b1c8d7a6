import { Agent, request as httpRequest } from 'node:http'
import { createConnection } from 'node:net'
import { fail, ok, type Result, StewardError, toStewardError } from '@steward/contract'
import { codeOf } from '@steward/platform'
import type { Clock } from './clock.ts'
import type { Destination } from './front.ts'
import { createWorkCount } from './work-count.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** A running worker outside the shared workerd. It serves the workers' HTTP contract. */
type SandboxProcess = Destination & {
  /** Resolves with its last output when it exits by itself. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Starts one worker in isolation: its `container.js`, or a workerd of its own. */
export interface SandboxRunner {
  start(options: {
    directory: string
    environment: Readonly<Record<string, string>>
    network: boolean
  }): Promise<Result<SandboxProcess>>
}

export interface SandboxWorker {
  /**
   * Passes the address, starting the process if necessary, or the error if it cannot start. Ends the
   * process and rejects if `work` takes longer than the action may: its code may be in a loop. If the
   * process died and accepts no connection, repeatable work is done by a new one.
   */
  use<T>(
    work: (destination: Result<Destination>) => Promise<T>,
    options?: { isRepeatable: boolean },
  ): Promise<T>
  /** Accepts nothing new and ends the process after the calls in progress. */
  retire(): Promise<void>
  stop(): Promise<void>
}

/** A process is kept this long after its last request. */
const KEEP_WARM_MS = 60_000
const START_TIMEOUT_MS = 15_000
/** How much longer than its timeout an action may take, because it reports a timeout itself. */
const GRACE_MS = 2000
const LOOK_EVERY_MS = 20
const MOST_ATTEMPTS = 3

/** One worker in its own process, which starts at the first request and ends when idle. */
export const createSandboxWorker = (
  directory: WorkerDirectory,
  environment: Readonly<Record<string, string>>,
  runner: SandboxRunner,
  clock: Clock,
): SandboxWorker => {
  let running: Promise<Result<SandboxProcess>> | undefined
  let cancelIdle: () => void = () => undefined
  const requests = createWorkCount()

  const launch = async (onEnd: () => void): Promise<Result<SandboxProcess>> => {
    const { path, network } = directory
    const started = await runner.start({ directory: path, environment, network })
    if (!started.ok) return started
    const process = started.value
    let lastWords: string | undefined
    void process.ended.then((words) => {
      lastWords = words
      onEnd()
    })
    const giveUpAtMs = clock.now() + START_TIMEOUT_MS
    while (!(await accepts(destinationOf(process)))) {
      if (lastWords !== undefined) return notStarted(directory, lastWords)
      if (clock.now() > giveUpAtMs) {
        await process.stop()
        return notStarted(directory, `it does not listen after ${START_TIMEOUT_MS} ms`)
      }
      await new Promise<void>((resolve) => clock.at(clock.now() + LOOK_EVERY_MS, resolve))
    }
    return ok(process)
  }

  const start = (): Promise<Result<SandboxProcess>> => {
    /** The next request starts a new process; another may be running by then. */
    const forget = () => {
      if (running === mine) running = undefined
    }
    const mine = launch(forget)
      .catch((thrown: unknown) => fail(toStewardError(thrown, 'sandbox_unavailable')))
      .then((process) => {
        if (!process.ok) forget()
        return process
      })
    return mine
  }

  const stop = async (): Promise<void> => {
    cancelIdle()
    const ending = running
    running = undefined
    const process = await ending
    if (process?.ok) await process.value.stop()
  }

  /** The process cannot be trusted to end the call itself. */
  const withinLimit = async <T>(process: SandboxProcess, work: Promise<T>): Promise<T> => {
    const limitMs = directory.timeoutMs
    const over = Promise.withResolvers<never>()
    const cancel = clock.at(clock.now() + limitMs + GRACE_MS, () => {
      running = undefined
      void process.stop()
      over.reject(new StewardError('timeout', { subject: directory.name, limitMs }))
    })
    try {
      return await Promise.race([work, over.promise])
    } finally {
      cancel()
    }
  }

  const attempt = async <T>(
    work: (destination: Result<Destination>) => Promise<T>,
    attempts: number,
  ): Promise<T> => {
    running ??= start()
    const mine = running
    const process = await mine
    if (!process.ok) return work(process)
    try {
      return await withinLimit(process.value, work(ok(destinationOf(process.value))))
    } catch (thrown) {
      if (attempts <= 1 || codeOf(thrown) !== 'ECONNREFUSED') throw thrown
      if (running === mine) {
        running = undefined
        void process.value.stop()
      }
      return attempt(work, attempts - 1)
    }
  }

  return {
    use: async (work, { isRepeatable } = { isRepeatable: false }) => {
      const over = requests.begin()
      cancelIdle()
      try {
        return await attempt(work, isRepeatable ? MOST_ATTEMPTS : 1)
      } finally {
        over()
        if (requests.count() === 0) {
          cancelIdle()
          cancelIdle = clock.at(clock.now() + KEEP_WARM_MS, () => void stop())
        }
      }
    },
    retire: async () => {
      await requests.idle()
      await stop()
    },
    stop,
  }
}

const notStarted = ({ name }: WorkerDirectory, reason: string) =>
  fail(new StewardError('action_failed', { action: name, reason: `its sandbox ended: ${reason}` }))

const destinationOf = (process: SandboxProcess): Destination =>
  'socketPath' in process
    ? { socketPath: process.socketPath }
    : { host: process.host, port: process.port }

const accepts = (destination: Destination): Promise<boolean> =>
  new Promise((resolve) => {
    const socket =
      'socketPath' in destination
        ? createConnection(destination.socketPath)
        : createConnection(destination.port, destination.host)
    const answer = (listens: boolean) => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })

export interface PlainRequest {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

export interface PlainResponse {
  status: number
  headers: [string, string][]
  body: Uint8Array
}

/**
 * workerd closes idle connections after five seconds, and a request on one that is just being closed
 * fails. So they are given up well before.
 */
const agent = new Agent({ keepAlive: true, timeout: 1000, maxSockets: 512 })

/** One request with a complete response, for service bindings inside workerd. */
export const askSocket = (
  destination: Destination,
  { method, path, headers, body }: PlainRequest,
): Promise<PlainResponse> =>
  new Promise((resolve, reject) => {
    const options = { ...destination, agent, method, path, headers }
    const outgoing = httpRequest(options, (incoming) => {
      const chunks: Uint8Array[] = []
      incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 502,
          headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
          body: Buffer.concat(chunks),
        }),
      )
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
