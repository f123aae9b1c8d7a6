import type { Agent, AgentUpdate, DriveSpec } from '@steward/assistants'
import {
  CONTINUE_REQUEST,
  type DrivenOutput,
  type DrivenSession,
  reasonOf,
} from '@steward/contract'
import { readStartTime } from '@steward/platform'
import { createUpdateReader } from './agent-updates.ts'
import { askPermission } from './ask-permission.ts'
import { reachedLimit } from './check-limits.ts'
import type { DrivenStore } from './driven-store.ts'
import { createEventRows } from './event-rows.ts'
import { decidePermission } from './permission-rules.ts'
import type { DrivenPorts } from './ports.ts'
import { createSessionOutput } from './session-output.ts'
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
export const MOST_RESUMES = 3
const ANSWER_CHARS = 200_000

/** With the task, because the assistant may have ended before it recorded that. */
const continueText = (task: string): string =>
  `${CONTINUE_REQUEST} Look at what is already done, and continue from there. Do not repeat finished work. If nothing of it is done yet, begin with it. A tool call that the interruption rejected was not refused by the user: make it again.\n\n${task}`

/** Opens a session in the assistant's program; `before` is the one to resume. */
export const openLiveSession = async (
  ports: LivePorts,
  draft: Omit<DrivenSession, 'id'>,
  before?: string,
): Promise<LiveSession> => {
  const { store, spec, now, setTimer, redactor, processEnvironment: env } = ports
  let current: DrivenSession = { ...draft, id: before ?? '' }
  let agent: Agent
  let ending: string | undefined
  let isSuspended = false
  let isOpen = false
  let working: Promise<void> | undefined
  let lastMessage = ''
  let answered = ''
  let cancelIdle: (() => void) | undefined
  const checking = new AbortController()
  const output = createSessionOutput(ports, () => current.id)
  const { show, flush } = output

  const change = (fields: Partial<DrivenSession>): void => {
    current = { ...current, ...fields, changedAt: new Date(now()).toISOString() }
    const startTime = agent.ended.aborted ? undefined : readStartTime(agent.pid)
    store.save(current, startTime === undefined ? undefined : { pid: agent.pid, startTime })
    ports.onChange(current)
  }
  const takeUpdate = createUpdateReader({
    output,
    onMessage: (text) => {
      lastMessage += text
      answered += text
    },
    onToolBegun: () => {
      // Its answer is what it says after its last tool call.
      answered = ''
      change({ toolCalls: current.toolCalls + 1 })
      endAtLimit()
    },
    onToolEnded: (...call) => rows.used(...call),
    onMode: (mode) => change({ mode }),
    onCost: (costUsd) => {
      const before = current.costUsd ?? 0
      change({ costUsd })
      // At once, so that the cost of a turn that is cut off counts too.
      if (costUsd > before) {
        ports.bus.publish('turn.cost', {
          ...{ assistant: current.assistant, session: current.id, project: current.project },
          ...{ totalUsd: costUsd, branch: current.branch },
          ...{ atMs: now(), costUsd: costUsd - before },
        })
      }
      endAtLimit()
    },
  })
  const take = (update: AgentUpdate): void => {
    if (!isOpen) return
    takeUpdate(update)
    void rows.answered().catch((thrown) => ports.log.warn(`driven: ${reasonOf(thrown)}`))
  }

  const open = async (resume: string | undefined): Promise<Agent> => {
    const { budgetUsd } = current.limits
    return ports.driving.open(spec, {
      folder: current.folder,
      ...(current.sandbox ? { sandbox: current } : {}),
      startTimer: setTimer,
      ...(resume === undefined ? {} : { resume }),
      ...(current.mode === null ? {} : { mode: current.mode }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
      onUpdate: take,
      onPermission: async (asked, signal) => {
        const decided = decidePermission(current, asked, (call) => ports.judge(current, call))
        if (decided.decision !== 'ask') {
          const isGiven = decided.decision === 'allow'
          show(
            'permission',
            `${asked.title}: ${isGiven ? 'allowed' : 'refused'}, because of ${decided.why}`,
          )
          return isGiven ? { decision: 'allow', scope: 'once' } : undefined
        }
        show('permission', `${asked.title}: waits for your answer`)
        const answer = await askPermission(ports, current, asked, signal)
        const isAllowed =
          answer !== undefined && 'decision' in answer && answer.decision === 'allow'
        show('permission', `${asked.title}: ${isAllowed ? 'allowed' : 'not allowed'}`)
        return answer
      },
    })
  }

  const cancel = async (reason: string): Promise<void> => {
    if (ending !== undefined) return
    ending = reason
    const kill = setTimer(CANCEL_MS, () => void agent.end())
    await agent.cancel().catch(() => undefined)
    await working
    kill()
  }
  const endAtLimit = (): void => {
    const limit = reachedLimit(current)
    if (limit !== undefined && working !== undefined) void cancel(`limit reached: ${limit}`)
  }

  /** A process that dies is replaced, and the session resumed, a few times. */
  const promptThrough = async (task: string, isContinued: boolean): Promise<string> => {
    // It may have died while it was idle.
    if (agent.ended.aborted) agent = await open(current.id)
    let message = isContinued ? continueText(task) : task
    for (; ; message = continueText(task)) {
      try {
        return await agent.prompt(message)
      } catch (thrown) {
        const canResume = agent.ended.aborted && ending === undefined && !isSuspended
        if (!canResume || current.resumed >= MOST_RESUMES) throw thrown
        show('state', `Interrupted: ${reasonOf(thrown)}. Resuming.`)
        agent = await open(current.id)
        change({ resumed: current.resumed + 1 })
      }
    }
  }

  const finish = async (): Promise<Partial<DrivenSession>> => {
    const { result, summary } = await collectResult(current, {
      redactor: redactor(),
      env,
      setTimer,
      signal: checking.signal,
      confine: ports.driving.confine,
    })
    show('state', summary)
    return { result }
  }

  const work = async (task: string, isContinued: boolean): Promise<void> => {
    const startedMs = now()
    const workedBefore = current.workedMs
    const { minutes } = current.limits
    const leftMs = minutes === undefined ? undefined : minutes * 60_000 - workedBefore
    const cancelLimit =
      leftMs === undefined
        ? undefined
        : setTimer(leftMs, () => void cancel(`limit reached: ${minutes} minutes`))
    lastMessage = ''
    answered = ''
    if (isContinued) show('state', 'Continues after an interruption.')
    else {
      show('prompt', task)
      rows.prompted(task)
    }
    let fields: Partial<DrivenSession>
    try {
      const stopReason = await promptThrough(task, isContinued)
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
      fields = {
        ...result,
        answer: answerOf(),
        state: ending === undefined ? 'failed' : 'stopped',
        reason,
      }
    } finally {
      cancelLimit?.()
    }
    if (isSuspended) return
    if (fields.reason) show('state', fields.reason)
    change({ ...fields, workedMs: workedBefore + now() - startedMs })
    await report(fields.state)
    if (agent.ended.aborted || fields.state !== 'idle') await endProcess()
    else
      cancelIdle = setTimer(ports.settings().sessions.idleMinutes * 60_000, () => void endProcess())
  }

  const report = async (state: DrivenSession['state'] | undefined): Promise<void> => {
    if (state === 'idle') return
    await ports.notices.send({
      kind: state === 'failed' ? 'error' : 'longTask',
      title: `${spec.title} in ${current.project.split('/').at(-1)}`,
      message: `${spec.title} ${state === 'failed' ? 'failed' : 'stopped'}: ${current.reason ?? 'no reason'}`,
      session_id: current.id,
    })
  }

  const endProcess = async (): Promise<void> => {
    cancelIdle?.()
    rows.stop()
    await agent.end()
    if (!isSuspended) change({})
    ports.onEnded()
  }

  const answerOf = (): string =>
    redactor().redactText((answered.trim() || lastMessage.trim()).slice(-ANSWER_CHARS)).value

  const begin = (
    task: string,
    { turns, key, isContinued }: { turns: number; key: string | null; isContinued: boolean },
  ): Promise<void> => {
    cancelIdle?.()
    ending = undefined
    change({ state: 'working', reason: null, turns, key, answer: null })
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

  agent = await open(before)
  current = { ...current, id: agent.sessionId }
  const rows = createEventRows(ports, {
    id: current.id,
    host: current.assistant,
    folder: current.folder,
  })
  isOpen = true
  rows.started(before === undefined ? 'startup' : 'resume')
  change({})

  return {
    session: () => current,
    settled: async () => working,
    turn: (text, key) =>
      begin(text, { turns: current.turns + 1, key: key ?? null, isContinued: false }),
    goOn: () => {
      const { id, prompt, turns, key } = current
      return begin(store.lastPrompt(id) ?? prompt, { turns, key, isContinued: true })
    },
    stop: async (reason) => {
      if (working !== undefined) {
        checking.abort()
        await cancel(reason)
        await working
        return
      }
      change({ state: 'stopped', reason })
      await endProcess()
    },
    suspend: async () => {
      isSuspended = true
      cancelIdle?.()
      flush()
      checking.abort()
      rows.stop()
      await agent.end()
      await working
    },
  }
}

/** Stop reasons that a person should know. */
const EXPLAINED: Readonly<Record<string, string>> = {
  max_tokens: 'it reached its token limit',
  max_turn_requests: 'it reached its own limit of model calls',
  refusal: 'it refused the task',
  cancelled: 'its turn was cancelled',
}
