import { request as httpRequest } from 'node:http'
import { createConnection } from 'node:net'
import { fail, ok, type Result, StewardError, toStewardError } from '@steward/contract'
import type { Clock } from './clock.ts'
import { createWorkCount } from './work-count.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** A running `container.js`. It serves the workers' HTTP contract on a socket. */
interface SandboxProcess {
  socketPath: string
  /** Resolves with its last output when it exits by itself. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Starts a worker's `container.js` in isolation. */
export interface SandboxRunner {
  start(options: {
    directory: string
    environment: Readonly<Record<string, string>>
    network: boolean
  }): Promise<Result<SandboxProcess>>
}

export interface SandboxWorker {
  /** Passes the socket path, starting the process if necessary, or the error if it cannot start. */
  use<T>(work: (socketPath: Result<string>) => Promise<T>): Promise<T>
  /** Accepts nothing new and ends the process after the calls in progress. */
  retire(): Promise<void>
  stop(): Promise<void>
}

/** A process is kept this long after its last request. */
const KEEP_WARM_MS = 60_000
const START_TIMEOUT_MS = 15_000
const LOOK_EVERY_MS = 20

/** One worker of the sandbox tier: its process starts at the first request and ends when idle. */
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
    while (!(await accepts(process.socketPath))) {
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

  return {
    use: async (work) => {
      const over = requests.begin()
      cancelIdle()
      try {
        running ??= start()
        const process = await running
        return await work(process.ok ? ok(process.value.socketPath) : process)
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

const accepts = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(socketPath)
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

/** One request over a socket with a complete response, for service bindings inside workerd. */
export const askSocket = (
  socketPath: string,
  { method, path, headers, body }: PlainRequest,
): Promise<PlainResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ socketPath, method, path, headers }, (incoming) => {
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
