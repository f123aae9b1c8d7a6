import type { AgentUpdate, DriveSpec } from '@steward/assistants'
import { type DrivenOutput, type DrivenSession, reasonOf } from '@steward/contract'
import { createUpdateReader } from './agent-updates.ts'
import { reachedLimit } from './check-limits.ts'
import type { DrivenStore } from './driven-store.ts'
import { createEventRows } from './event-rows.ts'
import type { DrivenPorts } from './ports.ts'
import { publishCost } from './publish-cost.ts'
import { EXPLAINED, reportEnd } from './report-end.ts'
import { createSessionOutput } from './session-output.ts'
import { openSessionProgram } from './session-program.ts'
import { collectResult } from './turn-result.ts'

export interface LiveSession {
  session: () => DrivenSession
  /** Resolves when no turn is running or being finished. */
  settled: () => Promise<void>
  /**
   * Begins a turn. Resolves when it and its check are over; never rejects. An action finds its turn
   * again by the key.
   */
  turn: (text: string, key?: string) => Promise<void>
  /** Goes on with a turn that was interrupted, under the same key. */
  goOn: () => Promise<void>
  /** Ends its turn and its process. */
  stop: (reason: string) => Promise<void>
  /** Ends the process of an idle session; the next message resumes it. */
  release: () => Promise<void>
  /** Ends its process and leaves its state, so that the next daemon resumes it. */
  suspend: () => Promise<void>
}

export interface LivePorts extends DrivenPorts {
  store: DrivenStore
  spec: DriveSpec
  onOutput: (piece: DrivenOutput) => void
  onChange: (session: DrivenSession) => void
  /** Its process was ended; a later message resumes it. */
  onEnded: () => void
}

/** A turn that does not end when it is cancelled is killed. */
const CANCEL_MS = 10_000
const ANSWER_CHARS = 200_000

/** Opens a session in the assistant's program; `before` is the one to resume. */
export const openLiveSession = async (
  ports: LivePorts,
  draft: Omit<DrivenSession, 'id'>,
  before?: string,
): Promise<LiveSession> => {
  const { store, spec, now, setTimer, redactor, processEnvironment: env } = ports
  let current: DrivenSession = { ...draft, id: before ?? '' }
  let ending: string | undefined
  let isSuspended = false
  let isOpen = false
  let working: Promise<void> | undefined
  let releasing: Promise<void> | undefined
  let [lastMessage, answered] = ['', '']
  let cancelIdle: (() => void) | undefined
  const checking = new AbortController()
  const output = createSessionOutput(ports, () => current.id)
  const { show, flush } = output
  const promptedAt = (): string => store.lastPrompt(current.id)?.at ?? current.startedAt

  const change = (fields: Partial<DrivenSession>, what?: 'counts'): void => {
    current = { ...current, ...fields, changedAt: new Date(now()).toISOString() }
    store.save(current, program.process(), what)
    ports.onChange(current)
  }
  const updates = createUpdateReader({
    output,
    onMessage: (text) => {
      lastMessage += text
      answered += text
    },
    onToolBegun: (open) => {
      // Its answer is its text after the last tool call.
      answered = ''
      endAtLimit(open)
    },
    onToolEnded: (...call) => {
      rows.used(...call)
      change({ toolCalls: current.toolCalls + 1 }, 'counts')
    },
    onMode: (mode) => change({ mode }),
    onCost: (costUsd) => {
      const before = current.costUsd ?? 0
      change({ costUsd }, 'counts')
      publishCost(ports, current, before)
      endAtLimit()
    },
  })
  const take = (update: AgentUpdate): void => {
    if (!isOpen) return
    updates.take(update)
    void rows.answered().catch((thrown) => ports.log.warn(`driven: ${reasonOf(thrown)}`))
  }

  const program = await openSessionProgram(ports, {
    session: () => current,
    onUpdate: take,
    show,
    mayResume: () => ending === undefined && !isSuspended,
    onLost: async (task) => {
      // The assistant makes its open calls again.
      updates.drop()
      await rows.recovered(task, promptedAt())
    },
    onResumed: () => change({ resumed: current.resumed + 1 }),
  })
  const cancel = async (reason: string): Promise<void> => {
    if (ending !== undefined) return
    ending = reason
    const kill = setTimer(CANCEL_MS, () => void program.end())
    await program.cancel()
    await working
    kill()
  }
  const endAtLimit = (openCalls = 0): void => {
    const limit = reachedLimit({ ...current, toolCalls: current.toolCalls + openCalls })
    if (limit !== undefined && working !== undefined) void cancel(`limit reached: ${limit}`)
  }

  const finish = (): Promise<Pick<DrivenSession, 'result'>> =>
    collectResult(current, {
      ...{ redactor: redactor(), env, setTimer, signal: checking.signal, show },
      confine: ports.driving.confine,
    })

  const work = async (task: string, isContinued: boolean): Promise<void> => {
    const startedMs = now()
    const workedBefore = current.workedMs
    const { minutes } = current.limits
    const endAtTime = (): void => void cancel(`limit reached: ${minutes} minutes`)
    const cancelLimit =
      minutes === undefined ? undefined : setTimer(minutes * 60_000 - workedBefore, endAtTime)
    ;[lastMessage, answered] = ['', '']
    if (isContinued) {
      show('state', 'Continues after an interruption.')
      await rows.recovered(task, promptedAt())
    } else {
      show('prompt', task)
      rows.prompted(task)
    }
    let fields: Partial<DrivenSession>
    try {
      const stopReason = await program.prompt(task, isContinued)
      if (isSuspended) return
      flush()
      await rows.answered()
      rows.ended(lastMessage)
      fields = {
        ...(await finish()),
        answer: answerOf(),
        state: ending === undefined ? 'idle' : 'stopped',
        reason: ending ?? EXPLAINED[stopReason] ?? null,
      }
    } catch (thrown) {
      if (isSuspended) return
      flush()
      await rows.answered().catch(() => undefined)
      const reason = ending ?? reasonOf(thrown)
      rows.ended(lastMessage, reason)
      const result = await finish().catch(() => ({}))
      const state = ending === undefined ? 'failed' : 'stopped'
      fields = { ...result, answer: answerOf(), state, reason }
    } finally {
      cancelLimit?.()
    }
    if (isSuspended) return
    if (fields.reason) show('state', fields.reason)
    const toolCalls = current.toolCalls + updates.drop()
    change({ ...fields, toolCalls, workedMs: workedBefore + now() - startedMs })
    await reportEnd(ports, spec, current)
    if (program.hasEnded() || fields.state !== 'idle') return endProcess()
    cancelIdle = setTimer(ports.settings().sessions.idleMinutes * 60_000, () => void endProcess())
  }

  const endProcess = (): Promise<void> => {
    releasing ??= (async () => {
      cancelIdle?.()
      rows.stop()
      await program.end()
      if (!isSuspended) change({})
      ports.onEnded()
    })()
    return releasing
  }

  const answerOf = (): string =>
    redactor().redactText((answered.trim() || lastMessage.trim()).slice(-ANSWER_CHARS)).value

  const begin = (
    task: string,
    isContinued: boolean,
    fields: Pick<DrivenSession, 'turns' | 'key'>,
  ): Promise<void> => {
    cancelIdle?.()
    ending = undefined
    change({ state: 'working', reason: null, answer: null, ...fields })
    working = work(task, isContinued)
      .catch((thrown) => {
        ports.log.error(`driven: ${reasonOf(thrown)}`)
        change({ state: 'failed', reason: reasonOf(thrown) })
      })
      .finally(() => {
        working = undefined
      })
    return working
  }

  current = { ...current, id: program.sessionId }
  const { assistant: host, folder } = draft
  const rows = createEventRows(ports, { id: current.id, host, folder })
  isOpen = true
  rows.started(before === undefined ? 'startup' : 'resume')
  change({})

  return {
    session: () => current,
    settled: async () => void (await Promise.all([working, releasing])),
    release: endProcess,
    turn: (text, key) => begin(text, false, { turns: current.turns + 1, key: key ?? null }),
    goOn: () => {
      const { id, prompt, turns, key } = current
      return begin(store.lastPrompt(id)?.text ?? prompt, true, { turns, key })
    },
    stop: async (reason) => {
      if (working === undefined) {
        change({ state: 'stopped', reason })
        return endProcess()
      }
      checking.abort()
      await cancel(reason)
      await working
    },
    suspend: async () => {
      isSuspended = true
      cancelIdle?.()
      flush()
      checking.abort()
      rows.stop()
      await program.end()
      await working
    },
  }
}
