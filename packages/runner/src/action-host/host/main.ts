/**
 * The program inside an action host: loads one action's module and calls its `execute`, one call at a
 * time. It only knows what the runner sends.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Fetch, LogLevel } from '@steward/contract'
import { type Ask, createCapabilities } from './capabilities.ts'
import { createFrameReader, encodeFrame } from './frames.ts'
import type { FromHost, SentContext, StartCall, ToHost } from './messages.ts'
import { receiveError, sendError } from './sent-errors.ts'

const write = process.stdout.write.bind(process.stdout)
const exit = process.exit.bind(process)
const send = (message: FromHost): void => {
  write(encodeFrame(message))
}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

const waiting = new Map<number, Waiting>()
let lastId = 0
let current = 0
let isBetweenCalls = true

const askFor =
  (call: number): Ask =>
  (capability, args, signal) => {
    lastId += 1
    const id = lastId
    const answer = new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      signal?.addEventListener('abort', () => {
        send({ type: 'cancel', call, id })
        waiting.delete(id)
        reject(signal.reason)
      })
      send({ type: 'use', call, id, capability, args })
    })
    return { id, answer }
  }

/** The capability of the current call. */
let declaredFetch: Fetch | undefined

/** Packages that call the global `fetch` get the guarded and counted one, as on the edge. */
const replaceFetch = (): void => {
  const fetchOfCall: Fetch = async (input, init) => {
    if (declaredFetch !== undefined) return declaredFetch(input, init)
    const error = new Error('the action used fetch, which its manifest does not declare')
    throw Object.assign(error, { name: 'StewardError', code: 'capability_missing' })
  }
  Object.defineProperty(globalThis, 'fetch', { value: fetchOfCall, configurable: true })
}

const createContext = (call: number, sent: SentContext): Record<string, unknown> => {
  const aheadMs = sent.nowMs - Date.now()
  const secrets = new Map(Object.entries(sent.secrets))
  const capabilities = createCapabilities(sent.capabilities, askFor(call))
  declaredFetch = capabilities.fetch
  let signal: AbortSignal | undefined
  return {
    capabilities,
    env: sent.env,
    secret: (name: string) => secrets.get(name),
    // The runner ends the whole process when time is up. Few actions use it, and it is slow to make.
    get signal() {
      signal ??= new AbortController().signal
      return signal
    },
    now: () => new Date(Date.now() + aheadMs),
    trace: sent.trace,
    ...(sent.pipeline === undefined ? {} : { pipeline: sent.pipeline }),
    log: (text: unknown, level: unknown = 'info') =>
      tell(call, isLevel(level) ? level : 'info', String(text)),
  }
}

let toldBytes = 0
let maxToldBytes = 0

/** The runner shows no more than this, and unsent messages take memory. */
const tell = (call: number, level: LogLevel, text: string): void => {
  if (toldBytes > maxToldBytes) return
  toldBytes += text.length
  send({ type: 'log', call, level, text })
}

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogLevel[]
const isLevel = (value: unknown): value is LogLevel => LEVELS.includes(value)

let loading: Promise<unknown> | undefined

const start = async (given: StartCall): Promise<void> => {
  const { call, file, input, context, maxOutputBytes } = given
  current = call
  isBetweenCalls = false
  toldBytes = 0
  maxToldBytes = given.maxToldBytes
  let at: 'load' | 'execute' | 'output' = 'load'
  try {
    loading ??= load(file)
    const execute = findExecute(await loading)
    if (call === 1) send({ type: 'loaded', call })
    at = 'execute'
    const startedAt = performance.now()
    const output: unknown = await execute(input, createContext(call, context))
    const ms = performance.now() - startedAt
    at = 'output'
    const frame = encodeFrame({ type: 'done', call, ms, output })
    if (frame.length > maxOutputBytes) throw tooLarge(frame.length, maxOutputBytes)
    write(frame)
  } catch (thrown) {
    send({ type: 'failed', call, at, error: sendError(thrown) })
  }
}

const line: StartCall[] = []

/** Works off the calls one at a time; what one leaves behind comes to light before the next begins. */
const workOff = async (): Promise<void> => {
  const [next] = line
  if (next === undefined) return
  await start(next)
  line.shift()
  isBetweenCalls = true
  if (line.length > 0) setImmediate(workOff)
}

const load = async (file: string): Promise<unknown> => {
  try {
    return await import(pathToFileURL(file).href)
  } catch (thrown) {
    // Node names the line of a mistake in TypeScript only; it reads JavaScript so, too.
    if (thrown instanceof SyntaxError && !file.endsWith('.ts')) {
      stripTypeScriptTypes(readFileSync(file, 'utf8'))
    }
    throw thrown
  }
}

type Execute = (input: unknown, context: unknown) => unknown

/** An exported `execute`, or a default export with an `execute` method. */
const findExecute = (module: unknown): Execute => {
  const execute = methodOf(module, 'execute')
  if (execute !== undefined) return execute
  const main: unknown = Reflect.get(Object(module), 'default')
  const method = methodOf(main, 'execute')
  if (method !== undefined) return method.bind(main)
  throw new Error(
    'it has no execute: export a function named execute, or a default export with an execute method',
  )
}

const methodOf = (owner: unknown, name: string): Execute | undefined => {
  const value: unknown = Reflect.get(Object(owner), name)
  return isExecute(value) ? value : undefined
}

const isExecute = (value: unknown): value is Execute => typeof value === 'function'

const tooLarge = (bytes: number, limit: number): Error =>
  Object.assign(new Error(`${bytes} bytes`), { name: 'TooLarge', details: { bytes, limit } })

const read = createFrameReader<ToHost>(Number.POSITIVE_INFINITY, (message) => {
  if (message.type === 'start') {
    if (line.push(message) === 1) void workOff()
    return
  }
  const { id, value, error } = message
  const known = waiting.get(id)
  waiting.delete(id)
  if (error === undefined) known?.resolve(value)
  else known?.reject(receiveError(error))
})

/** What an action prints is text for a person and must not stand between frames. */
const catchPrinting = (): void => {
  let said: LogLevel | undefined
  const printAs =
    (level: LogLevel) =>
    (chunk: unknown, ...rest: unknown[]): boolean => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(Object(chunk)).toString()
      tell(current, said ?? level, text.replace(/\n$/, ''))
      const done = rest.at(-1)
      if (typeof done === 'function') process.nextTick(() => done())
      return true
    }
  Object.assign(process.stdout, { write: printAs('info') })
  Object.assign(process.stderr, { write: printAs('warn') })
  for (const name of ['debug', 'warn', 'error'] as const) {
    const print = console[name]
    console[name] = (...args) => {
      said = name
      try {
        print(...args)
      } finally {
        said = undefined
      }
    }
  }
}

/** Without namespaces, signals would reach the processes of the person. */
const forbidSignals = (): void => {
  for (const name of ['kill', '_kill', '_debugProcess']) {
    Object.defineProperty(process, name, {
      value: () => {
        throw new Error('actions cannot send signals')
      },
    })
  }
}

const crash = (reason: string, thrown: unknown): void => {
  send({ type: 'crashed', call: isBetweenCalls ? 0 : current, reason, error: sendError(thrown) })
  exit(1)
}

for (const name of Object.keys(process.env)) delete process.env[name]
catchPrinting()
replaceFetch()
forbidSignals()
process.on('uncaughtException', (thrown, origin) => {
  crash(origin === 'unhandledRejection' ? 'unhandled rejection' : 'uncaught exception', thrown)
})
process.on('exit', (code) => {
  // The call stack still shows the code that called process.exit.
  if (current === 0) return
  const call = isBetweenCalls ? 0 : current
  send({ type: 'crashed', call, reason: `exit ${code}`, error: sendError(new Error()) })
})
process.stdin.on('data', read)
process.stdin.on('end', () => {
  current = 0
  exit(0)
})
send({ type: 'ready' })
