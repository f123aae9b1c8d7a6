import type { ActionContextV2 } from '@steward/contract'
import { type Isolation, type JsonObject, LIMITS, StewardError } from '@steward/contract'
import type { OnCut } from '@steward/engine'
import { createOutputBuffer, type StartTimer, startSystemTimer } from '@steward/platform'
import { createUseAnswers, type UseAnswers } from './answer-uses.ts'
import { createFrameReader, encodeFrame } from './host/frames.ts'
import type { SentContext, ToHost } from './host/messages.ts'
import { sendError } from './host/sent-errors.ts'
import { explainCrash, explainEnd, explainFailure } from './host-errors.ts'
import { type HostMessage, readHostMessage } from './read-host-message.ts'
import { type HostedAction, startHostProcess } from './start-host-process.ts'

/** One process that runs one action, one call at a time. */
export interface ActionHost {
  isolation: Isolation
  /** The output of `execute`, as JSON keeps it. Ends the process when it is cut off. */
  call: (input: JsonObject, context: ActionContextV2, onCut: OnCut) => Promise<unknown>
  calls: () => number
  isAlive: () => boolean
  end: () => void
  exited: Promise<void>
}

export interface StartHostOptions {
  bwrap: string | undefined
  startTimer?: StartTimer
  inspection?: Inspection
}

/** For a host that waits for a debugger and has no time limits. */
export interface Inspection {
  /** Called with the address of the inspector, on loopback. */
  onListening: (address: string) => void
  /** Ends the host while it still waits. */
  stop: AbortSignal | undefined
}

interface Call {
  number: number
  context: ActionContextV2
  /** Made for the first use, because most calls have none. */
  uses: UseAnswers | undefined
  settle: (result: { output: unknown } | { thrown: unknown }) => void
  told: { bytes: number; messages: number }
}

type CallMessage = Exclude<HostMessage, { type: 'ready' | 'crashed' }>

const STDERR_BYTES = 16 * 1024
/** A start takes about 40 ms, and a few seconds on a busy machine. */
const START_MS = 60_000

/** Resolves when the program inside is ready to load the action; nothing of the action runs before. */
export const startActionHost = (
  action: HostedAction,
  { bwrap, startTimer = startSystemTimer, inspection }: StartHostOptions,
): Promise<ActionHost> => {
  const started = startHostProcess(action, { bwrap, inspected: inspection !== undefined })
  const stderr = createOutputBuffer(STDERR_BYTES)
  const ready = Promise.withResolvers<ActionHost>()
  let isOver = false
  let isEnding = false
  let calls = 0
  let current: Call | undefined
  let crash: StewardError | undefined
  let cancelLoadTimer = (): void => undefined

  const finish = (result: { output: unknown } | { thrown: unknown }): void => {
    const call = current
    current = undefined
    cancelLoadTimer()
    call?.uses?.close()
    call?.settle(result)
  }
  const end = (): void => {
    isEnding = true
    started.end()
  }
  const endWith = (error: StewardError): void => {
    crash ??= error
    end()
  }
  const send = (message: ToHost): void => {
    if (!isOver) started.stdin.write(encodeFrame(message))
  }

  const onMessage = (message: HostMessage): void => {
    if (message.type === 'ready') {
      cancelStartTimer()
      ready.resolve(host)
    } else if (message.type === 'crashed') crash ??= explainCrash(action, message)
    // Anything else of an earlier call is left over: its run has gone on.
    else if (current !== undefined && message.call === current.number)
      onCallMessage(current, message)
  }

  const onCallMessage = (call: Call, message: CallMessage): void => {
    switch (message.type) {
      case 'loaded':
        cancelLoadTimer()
        break
      case 'log':
        show(call, message, endWith, action.name)
        break
      case 'use':
        call.uses ??= createUseAnswers(action.name, call.context.capabilities)
        void answer(call.uses, message, send)
        break
      case 'cancel':
        call.uses?.cancel(message.id)
        break
      case 'done':
        finish({ output: message.output })
        break
      case 'failed':
        finish({ thrown: explainFailure(action, message) })
        break
    }
  }

  const call: ActionHost['call'] = (input, context, onCut) => {
    calls += 1
    const number = calls
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    onCut((reason) => {
      if (current?.number !== number) return
      finish({ thrown: reason })
      end()
    })
    current = {
      number,
      context,
      uses: undefined,
      settle: (result) => ('output' in result ? resolve(result.output) : reject(result.thrown)),
      told: { bytes: 0, messages: 0 },
    }
    if (number === 1 && inspection === undefined) {
      cancelLoadTimer = startTimer(LIMITS.actionLoadMs, () => endWith(hangingLoad(action)))
    }
    send({
      type: 'start',
      call: number,
      file: action.file,
      input,
      context: sendContext(context),
      maxOutputBytes: LIMITS.outputBytes,
      maxToldBytes: LIMITS.actionPrintBytes,
    })
    return promise
  }

  const read = createFrameReader<unknown>(LIMITS.actionFrameBytes, (value) => {
    const message = readHostMessage(value)
    if (message === undefined) endWith(disturbed(action))
    else onMessage(message)
  })
  started.stdout.on('data', (chunk: Buffer) => {
    if (isOver || crash !== undefined) return
    try {
      read(chunk)
    } catch {
      endWith(disturbed(action))
    }
  })
  started.stderr.on('data', stderr.add)
  const cancelStartTimer =
    inspection === undefined
      ? startTimer(START_MS, () => endWith(neverStarted(action)))
      : watchInspector(started.stderr, inspection, end)

  const over = (code: number): void => {
    isOver = true
    cancelStartTimer()
    const error = crash ?? explainEnd(action, code, stderr.text())
    ready.reject(error)
    finish({ thrown: error })
  }
  const exited = started.exited.then(over, (thrown: unknown) => {
    crash ??= new StewardError('command_missing', {
      command: process.execPath,
      reason: String(thrown),
    })
    over(1)
  })
  const host: ActionHost = {
    isolation: bwrap === undefined ? 'permission-model' : 'bubblewrap',
    call,
    calls: () => calls,
    isAlive: () => !isOver && !isEnding && crash === undefined,
    end,
    exited,
  }
  return ready.promise
}

const sendContext = (context: ActionContextV2): SentContext => ({
  capabilities: Object.keys(context.capabilities),
  secrets: context.env.secrets.length === 0 ? {} : secretsFor(context),
  env: context.env,
  nowMs: context.now().getTime(),
  trace: context.trace,
  ...(context.pipeline === undefined ? {} : { pipeline: context.pipeline }),
})

const secretsFor = ({ env, secret }: ActionContextV2): SentContext['secrets'] =>
  Object.fromEntries(
    env.secrets.flatMap((name) => {
      const value = secret(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** What an action logs or prints goes to the run, up to a limit; a flood ends it. */
const show = (
  { context, told }: Call,
  { level, text }: Extract<HostMessage, { type: 'log' }>,
  endWith: (error: StewardError) => void,
  action: string,
): void => {
  const limit = LIMITS.actionPrintBytes
  const room = limit - told.bytes
  told.bytes += text.length
  told.messages += 1
  if (told.bytes > LIMITS.actionFrameBytes || told.messages > limit) {
    const subject = `the text that ${action} logs and prints`
    endWith(new StewardError('payload_too_large', { subject, bytes: told.bytes, limit }))
  }
  if (room < 0) return
  context.log(text.length > room ? cutBetweenWords(text, room) : text, level)
  if (told.bytes > limit) {
    context.log(`${action} logs and prints more than ${limit} bytes; the rest is left out`, 'warn')
  }
}

/** Half of a secret would not be recognised and masked. */
const cutBetweenWords = (text: string, length: number): string =>
  text.slice(0, length).replace(/\S*$/, '')

const answer = async (
  uses: UseAnswers,
  use: Extract<HostMessage, { type: 'use' }>,
  send: (message: ToHost) => void,
): Promise<void> => {
  const { id } = use
  try {
    send({ type: 'answer', id, value: await uses.answer(use) })
  } catch (thrown) {
    send({ type: 'answer', id, error: sendError(thrown) })
  }
}

/** Reports the address that Node prints; the returned function ends the watch for `stop`. */
const watchInspector = (
  stderr: NodeJS.ReadableStream,
  { onListening, stop }: Inspection,
  end: () => void,
): (() => void) => {
  let isListening = false
  stderr.on('data', (chunk: Buffer) => {
    const [, address] = /Debugger listening on (ws:\S+)/.exec(String(chunk)) ?? []
    if (address === undefined || isListening) return
    isListening = true
    onListening(address)
  })
  stop?.addEventListener('abort', end, { once: true })
  return () => stop?.removeEventListener('abort', end)
}

const neverStarted = ({ name }: HostedAction): StewardError =>
  new StewardError('action_crashed', {
    action: name,
    reason: `its process did not start within ${START_MS} ms`,
  })

const hangingLoad = ({ file }: HostedAction): StewardError =>
  new StewardError('invalid_definition', {
    file,
    reason: `cannot be loaded: a top-level await did not end within ${LIMITS.actionLoadMs} ms`,
  })

const disturbed = ({ name }: HostedAction): StewardError =>
  new StewardError('action_crashed', {
    action: name,
    reason: 'it wrote to the channel between its process and the runner',
  })
