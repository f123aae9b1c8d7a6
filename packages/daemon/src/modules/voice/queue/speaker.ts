import { LIMITS, reasonOf } from '@steward/contract'
import type { VoiceEvents } from '../events/voice-events.ts'
import type { VoicePorts } from '../ports.ts'
import type { Spoken } from '../providers/provider-ring.ts'
import { type EndedLine, type LineEnd, PRIORITY, type SpeechLine } from '../speech-line.ts'
import type { MachineVoice } from './machine-voice.ts'
import { judgeSilence, type Silence } from './silence.ts'
import type { SpeechStore } from './speech-store.ts'

export interface SpeakerPorts extends Pick<VoicePorts, 'now' | 'setTimer' | 'settings' | 'log'> {
  store: SpeechStore
  events: VoiceEvents
  machine: MachineVoice
  /** Speaks one line to its end. Only throws on abort. */
  speak: (line: SpeechLine, signal: AbortSignal) => Promise<Spoken>
  /** The provider that would speak now. */
  engine: () => string
  onStart: (line: SpeechLine) => void
  onEnd: (ended: EndedLine) => void
}

/** Speaks the lines of the store one at a time, in order. */
export interface Speaker {
  /** Closes lines that a crash interrupted and continues with the waiting ones. */
  start: () => Promise<void>
  /** Checks for lines to speak. */
  look: () => void
  /** Re-evaluates waiting lines after a change of settings or mute. */
  review: () => void
  /** Stops the current line, optionally also the waiting ones; returns their number. */
  interrupt: (all: boolean) => Promise<number>
  speaking: () => SpeechLine | undefined
  /** Logs the end of lines that were never queued. */
  report: (ended: readonly EndedLine[]) => void
  /** Logs the end of queued lines and removes them from the store. */
  settle: (ended: readonly EndedLine[]) => Promise<void>
  stop: () => Promise<void>
  /** Why the queue is stopped, if it is. */
  fault: () => string | undefined
}

/** Retry interval while another daemon speaks. */
const LOCK_RETRY_MS = 250
const FAULT_RETRY_MS = 5000
/** The longest delay of a system timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export const createSpeaker = (ports: SpeakerPorts): Speaker => {
  const { now, setTimer, settings, log, store, events, machine, speak, engine } = ports
  let current: { line: SpeechLine; abort: AbortController } | undefined
  let running: Promise<void> | undefined
  let isStopped = true
  let cancelTimer = (): void => undefined
  let fault: string | undefined
  let wantsAnother = false
  // The first run follows a time without a daemon.
  let needsSweep = true

  const silence = (): Silence => ({
    nowMs: now(),
    mutedUntilMs: store.mutedUntilMs(now()),
    quietHours: settings().notifications.quietHours,
  })
  const lookAgainIn = (delayMs: number) => {
    cancelTimer()
    cancelTimer = setTimer(Math.min(Math.max(delayMs, 0), LONGEST_WAIT_MS), look)
  }

  const report = (ended: readonly EndedLine[]): EndedLine[] =>
    ended.filter((each) => {
      const isWritten = events.end(each)
      ports.onEnd(each)
      return isWritten
    })
  const settle = async (ended: readonly EndedLine[]): Promise<void> => {
    const written = report(ended)
    if (written.length > 0) await store.forget(written.map(({ line }) => line.id))
  }
  const endLines = async (lines: readonly SpeechLine[], end: LineEnd): Promise<void> => {
    if (lines.length === 0) return
    await settle(
      await store.end(
        lines.map(({ id }) => id),
        end,
        now(),
      ),
    )
  }

  /** Why a line should not be spoken any more. */
  const findSkip = (line: SpeechLine, state: Silence): string | undefined => {
    const { enabled, provider } = settings().voice
    if (!enabled || provider === 'none') return 'voice_off'
    if (isExpired(line, state.nowMs)) return 'expired'
    const verdict = judgeSilence(line, state)
    return verdict === 'muted' || verdict === 'quiet_hours' ? verdict : undefined
  }
  const sweep = async (): Promise<void> => {
    needsSweep = false
    const state = silence()
    const byReason = Map.groupBy(store.waiting(), (line) => findSkip(line, state))
    for (const [reason, lines] of byReason) {
      if (reason !== undefined) await endLines(lines, { outcome: 'skipped', reason })
    }
  }

  /** False if there is nothing to do for now. */
  const sayNext = async (): Promise<boolean> => {
    if (needsSweep) await sweep()
    const line = store.peek()
    if (line === undefined) return false
    const state = silence()
    const reason = findSkip(line, state)
    if (reason !== undefined) {
      await endLines([line], { outcome: 'skipped', reason })
      return true
    }
    // Security and errors wait for the end of a mute and block the lines behind them.
    if (judgeSilence(line, state) !== 'speak') {
      lookAgainIn(state.mutedUntilMs - state.nowMs)
      return false
    }
    const lock = machine.take()
    if (lock === undefined) {
      lookAgainIn(LOCK_RETRY_MS)
      return false
    }
    try {
      if (await store.begin(line.id)) await say(line)
    } finally {
      lock.release()
    }
    return true
  }

  const say = async (line: SpeechLine): Promise<void> => {
    const abort = new AbortController()
    current = { line, abort }
    if (isStopped) abort.abort('stopping')
    try {
      ports.onStart(line)
      events.start(line, engine())
      const end = await speak(line, abort.signal).then(endOf, (thrown: unknown): LineEnd => {
        if (abort.signal.aborted) return { outcome: 'skipped', reason: String(abort.signal.reason) }
        log.error(`voice: a line could not be spoken: ${reasonOf(thrown)}`)
        return { outcome: 'failed', error: reasonOf(thrown) }
      })
      await endLines([line], end)
    } finally {
      current = undefined
    }
  }

  const run = async (): Promise<void> => {
    try {
      while (!isStopped && (await sayNext()));
      fault = undefined
    } catch (thrown) {
      fault = `the speech queue is stopped: ${reasonOf(thrown)}`
      log.error(`voice: ${fault}`)
      lookAgainIn(FAULT_RETRY_MS)
    }
  }
  const look = (): void => {
    if (isStopped) return
    if (running !== undefined) {
      wantsAnother = true
      return
    }
    wantsAnother = false
    cancelTimer()
    running = run().finally(() => {
      running = undefined
      if (wantsAnother) look()
    })
  }

  return {
    start: async () => {
      isStopped = false
      await settle(store.unreported())
      // It was partly heard, so it is not repeated.
      await endLines(store.interrupted(), { outcome: 'skipped', reason: 'interrupted_by_restart' })
      look()
    },
    look,
    review: () => {
      needsSweep = true
      look()
    },
    speaking: () => current?.line,
    report,
    settle,
    interrupt: async (all) => {
      const spoken = current === undefined ? 0 : 1
      current?.abort.abort('interrupted')
      if (!all) return spoken
      const waiting = store.waiting()
      await endLines(waiting, { outcome: 'skipped', reason: 'interrupted' })
      return spoken + waiting.length
    },
    stop: async () => {
      isStopped = true
      cancelTimer()
      current?.abort.abort('stopping')
      await running
    },
    fault: () => fault,
  }
}

/** Errors and security never expire. */
const isExpired = ({ priority, freshAtMs }: SpeechLine, nowMs: number): boolean =>
  priority === PRIORITY.normal && nowMs - freshAtMs > LIMITS.speechExpiryMs

const endOf = ({ spoken, engine, voiceId, faults }: Spoken): LineEnd => {
  const attempts = faults.map((each) => ({ engine: each.engine, error: each.fault.message }))
  const voice = voiceId === undefined ? {} : { voiceId }
  if (spoken) return { outcome: 'spoken', engine, ...voice, attempts }
  const last = faults.at(-1)?.fault
  return {
    outcome: 'failed',
    engine,
    error: last?.message ?? 'no provider can speak',
    ...(last?.statusCode === undefined ? {} : { statusCode: last.statusCode }),
    attempts,
  }
}
