import type { ActionContextV2 } from '@steward/contract'
import { type Isolation, type JsonObject, LIMITS, StewardError } from '@steward/contract'
import type { OnCut } from '@steward/engine'
import { createOutputBuffer, type StartTimer, startSystemTimer } from '@steward/platform'
import { createUseAnswers, type UseAnswers } from './answer-uses.ts'
import { type CallResult, createCallLine, type HostCall } from './call-line.ts'
import { createFrameWriter } from './frame-writer.ts'
import { createFrameReader, encodeFrame } from './host/frames.ts'
import type { ToHost } from './host/messages.ts'
import { sendError } from './host/sent-errors.ts'
import { explainCrash, explainEnd, explainFailure } from './host-errors.ts'
import { type HostMessage, readHostMessage } from './read-host-message.ts'
import { sendContext } from './send-context.ts'
import { showText } from './show-text.ts'
import { type HostedAction, startHostProcess } from './start-host-process.ts'
import { stayAwake } from './stay-awake.ts'

/** One process that runs one action, one call at a time. */
export interface ActionHost {
  isolation: Isolation
  /** The output of `execute`, as JSON keeps it. Ends the process when it is cut off. */
  call: (input: JsonObject, context: ActionContextV2, onCut: OnCut) => Promise<unknown>
  /**
   * Sends a call behind others that the host has yet to end. It must have no effect outside, because
   * it may be computed for nothing.
   */
  sendAhead: (input: JsonObject, context: ActionContextV2) => CallAhead
  /** Whether its calls are so quick that another host would not end one sooner. */
  takesAhead: () => boolean
  isBusy: () => boolean
  calls: () => number
  isAlive: () => boolean
  end: () => void
  exited: Promise<void>
}

/** A call that was sent before it is its turn. */
export interface CallAhead {
  /** Resolves when it is its turn; false if it never will be. */
  reached: Promise<boolean>
  /** The output; rejects with `NOT_STARTED` if the host ended before it began. */
  take: (onCut: OnCut) => Promise<unknown>
  /** Instead of `take`; calls back when the host has ended it. */
  leave: (onEnded: () => void) => void
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

type CallMessage = Exclude<HostMessage, { type: 'ready' | 'crashed' }>

const STDERR_BYTES = 16 * 1024
/** A start takes about 40 ms, and a few seconds on a busy machine. */
const START_MS = 60_000
/** So many calls in a row were as quick as this inside the host, before it counts as quick. */
const QUICK_CALLS = 8
const QUICK_MS = 0.25
const MOST_AHEAD = 32
const MOST_UNSENT_BYTES = 1024 * 1024

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
  let isRetired = false
  let calls = 0
  let quickCalls = 0
  let crash: StewardError | undefined
  let crashedCall: number | undefined
  let cancelLoadTimer = (): void => undefined

  const line = createCallLine(startTimer, () => {
    if (line.first()?.isLeft) end()
    // It finishes the calls that it has and gets no others.
    isRetired = true
    line.drop(1)
  })
  const finish = (result: CallResult): void => {
    cancelLoadTimer()
    line.endFirst(result)
  }
  const end = (): void => {
    isEnding = true
    line.drop(1)
    started.end()
  }
  const endWith = (error: StewardError): void => {
    crash ??= error
    end()
  }
  const isQuick = (): boolean => quickCalls >= QUICK_CALLS
  const isAlive = (): boolean => !isOver && !isEnding && !isRetired && crash === undefined
  const write = createFrameWriter(started.stdin)
  const send = (message: ToHost): void => {
    if (!isOver) write(encodeFrame(message))
  }

  const onMessage = (message: HostMessage): void => {
    if (message.type === 'ready') {
      cancelStartTimer()
      ready.resolve(host)
    } else if (message.type === 'crashed') {
      crashedCall ??= message.call
      crash ??= explainCrash(action, message)
    } else {
      // Anything of an earlier call is left over: its run has gone on.
      const call = line.first()
      if (call !== undefined && message.call === call.number) onCallMessage(call, message)
    }
  }

  const onCallMessage = (call: HostCall, message: CallMessage): void => {
    switch (message.type) {
      case 'loaded':
        cancelLoadTimer()
        break
      case 'log':
        showText(call, message, endWith, action.name)
        break
      case 'use':
        call.uses ??= createUseAnswers(action.name, call.context.capabilities)
        void answer(call.uses, message, send)
        break
      case 'cancel':
        call.uses?.cancel(message.id)
        break
      case 'done':
        quickCalls = message.ms <= QUICK_MS ? quickCalls + 1 : 0
        finish({ output: message.output })
        break
      case 'failed':
        finish({ thrown: explainFailure(action, message) })
        break
    }
  }

  const start = (input: JsonObject, context: ActionContextV2): HostCall => {
    calls += 1
    const call = line.add(calls, context)
    if (calls === 1 && inspection === undefined) {
      cancelLoadTimer = startTimer(LIMITS.actionLoadMs, () => endWith(hangingLoad(action)))
    }
    send({
      type: 'start',
      call: calls,
      file: action.file,
      input,
      context: sendContext(context),
      maxOutputBytes: LIMITS.outputBytes,
      maxToldBytes: LIMITS.actionPrintBytes,
    })
    if (isQuick()) stayAwake(call.result)
    return call
  }
  const take = (call: HostCall, onCut: OnCut): Promise<unknown> => {
    onCut((reason) => {
      if (line.first() !== call) return
      finish({ thrown: reason })
      end()
    })
    return call.result
  }
  const leave = (call: HostCall, onEnded: () => void): void => {
    line.leave(call)
    call.result.then(onEnded, onEnded)
  }
  const call: ActionHost['call'] = (input, context, onCut) => take(start(input, context), onCut)
  const sendAhead: ActionHost['sendAhead'] = (input, context) => {
    const ahead = start(input, context)
    // It may fail before it is taken.
    ahead.result.catch(() => undefined)
    return {
      reached: ahead.reached,
      take: (onCut) => take(ahead, onCut),
      leave: (onEnded) => leave(ahead, onEnded),
    }
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
    const isBetweenCalls = crashedCall !== undefined && crashedCall !== line.first()?.number
    line.drop(isBetweenCalls ? 0 : 1)
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
    sendAhead,
    takesAhead: () =>
      isQuick() &&
      line.length() < MOST_AHEAD &&
      started.stdin.writableLength < MOST_UNSENT_BYTES &&
      isAlive(),
    isBusy: () => line.length() > 0,
    calls: () => calls,
    isAlive,
    end,
    exited,
  }
  return ready.promise
}

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
