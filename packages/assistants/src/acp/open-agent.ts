import type { PermissionOption, PromptResponse } from '@agentclientprotocol/sdk'
import { type AttentionAnswer, StewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { chooseOption } from './choose-option.ts'
import type { DriveSpec } from './drive-spec.ts'
import { explainFailure, isAnswer, isSessionLost } from './explain-failure.ts'
import type { FoundProgram } from './find-program.ts'
import { openSession } from './open-session.ts'
import { type AgentUpdate, readUpdate } from './read-update.ts'
import { refusePushes } from './refuse-pushes.ts'
import { readModes } from './session-modes.ts'
import { startAgentProcess } from './start-agent-process.ts'

/** A permission that an assistant asks for. */
export interface PermissionAsked {
  toolId: string
  title: string
  input: unknown
  /** Its kind in the protocol, such as `edit` or `execute`. */
  kind?: string
  /** Files that it names. */
  paths: readonly string[]
  /** What "always" would mean, in the assistant's own words; absent if it is not offered. */
  always?: string
  /** It offers no permission for one call only. */
  onlyAlways: boolean
}

export interface AgentPorts {
  spec: DriveSpec
  program: FoundProgram
  folder: string
  homedir: string
  env: Readonly<Record<string, string | undefined>>
  /** Resume this session instead of starting one. */
  resume?: string
  mode?: string
  /** Whether its commands may push with git; otherwise git refuses. */
  mayPush: boolean
  /** What the session may cost. */
  budgetUsd?: number
  startTimer: StartTimer
  onUpdate: (update: AgentUpdate) => void
  /** Undefined if there is no answer, which allows nothing. */
  onPermission: (
    asked: PermissionAsked,
    signal: AbortSignal,
  ) => Promise<AttentionAnswer | undefined>
}

/** A running session of an assistant. */
export interface Agent {
  sessionId: string
  pid: number
  modes: readonly string[]
  /** Resolves when the turn is over; rejects with an error of the table. */
  prompt: (text: string) => Promise<PromptResponse['stopReason']>
  /** Asks it to end its turn; open permission requests are answered as cancelled. */
  cancel: () => Promise<void>
  /** Closes the session and ends its process. */
  end: () => Promise<void>
  /** Aborted when its process is gone. */
  ended: AbortSignal
}

const START_MS = 60_000

/**
 * Starts the program of an assistant and a session in it, or resumes one through the assistant's own
 * resume or load. Steward offers neither files nor terminals: assistants use their own tools, so that
 * their own sandbox and hooks apply. The protocol's library is loaded here, on first use.
 */
export const openAgent = async (ports: AgentPorts): Promise<Agent> => {
  const { spec, resume } = ports
  const { client, ndJsonStream, methods, PROTOCOL_VERSION } = await import(
    '@agentclientprotocol/sdk'
  )
  if (resume !== undefined) spec.beforeResume?.(resume, ports)
  const env = ports.mayPush ? ports.env : await refusePushes(ports.env, ports.folder)
  const child = startAgentProcess({ ...ports, env })
  let isReplay = resume !== undefined
  let replayed = 0
  let cancelling = new AbortController()

  const connection = client({ name: 'steward' })
    .onNotification(methods.client.session.update, ({ params }) => {
      if (isReplay) replayed += 1
      const update = isReplay ? undefined : readUpdate(params.update)
      if (update === undefined) return
      ports.onUpdate(update)
      const steps = update.type === 'tool' ? spec.planIn?.(update) : undefined
      if (steps !== undefined) ports.onUpdate({ type: 'plan', steps })
    })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      const { toolCall, options } = params
      const stop = AbortSignal.any([signal, cancelling.signal, child.ended])
      const answer = await ports.onPermission(
        {
          toolId: toolCall.toolCallId,
          title: toolCall.title ?? toolCall.name ?? 'a tool',
          input: toolCall.rawInput,
          ...(toolCall.kind ? { kind: toolCall.kind } : {}),
          paths: (toolCall.locations ?? []).map(({ path }) => path),
          ...describeAlways(options),
        },
        stop,
      )
      return { outcome: stop.aborted ? { outcome: 'cancelled' } : chooseOption(options, answer) }
    })
    .connect(ndJsonStream(child.input, child.output))
  const { agent } = connection

  /** Rejects with an error of the table, also when the process ends or does not answer. */
  const guard = async <T>(work: Promise<T>, limitMs?: number): Promise<T> => {
    const lost = Promise.withResolvers<never>()
    const onEnd = (): void => lost.reject(new Error(child.reason()))
    child.ended.addEventListener('abort', onEnd)
    if (child.ended.aborted) onEnd()
    const cancelTimer =
      limitMs === undefined
        ? undefined
        : ports.startTimer(limitMs, () => lost.reject(new Error('it did not answer in time')))
    try {
      return await Promise.race([work, lost.promise])
    } catch (thrown) {
      // The process says why it ended; the connection only says that it did.
      if (!isAnswer(thrown) || connection.signal.aborted) await child.settled(ports.startTimer)
      throw explainFailure(spec, thrown, child.ended.aborted ? child.reason() : undefined)
    } finally {
      cancelTimer?.()
      child.ended.removeEventListener('abort', onEnd)
      work.catch(() => undefined)
    }
  }

  /** Waits until no part of the history has arrived for a while. */
  const settleReplay = async (): Promise<void> => {
    for (let seen = -1; seen !== replayed; ) {
      seen = replayed
      await new Promise<void>((resolve) => void ports.startTimer(REPLAY_QUIET_MS, resolve))
    }
  }
  const end = async (): Promise<void> => {
    connection.close()
    await child.end(ports.startTimer)
  }
  try {
    const started = await guard(
      agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
        clientInfo: { name: 'steward', title: 'Steward', version: '1' },
      }),
      START_MS,
    )
    const session = await guard(openSession(agent, started, ports, methods), START_MS)
    if (isReplay && spec.replaysLate) await settleReplay()
    isReplay = false
    const sessionId = resume ?? session.sessionId
    const { ids: modes, option } = readModes(session)
    const modeId = ports.mode ?? modes.find((mode) => mode === spec.defaultMode)
    if (modeId !== undefined) {
      if (!modes.includes(modeId)) {
        const reason = `${spec.title} has the modes ${modes.join(', ') || '(none)'}`
        throw new StewardError('invalid_input', { subject: `mode ${modeId}`, reason })
      }
      const { setMode, setConfigOption } = methods.agent.session
      const chosen =
        option === undefined
          ? agent.request(setMode, { sessionId, modeId })
          : agent.request(setConfigOption, { sessionId, configId: option, value: modeId })
      await guard<unknown>(chosen, START_MS)
    }
    return {
      sessionId,
      pid: child.pid,
      modes,
      ended: child.ended,
      prompt: async (text) => {
        cancelling = new AbortController()
        const prompt = [{ type: 'text' as const, text }]
        const work = agent.request<PromptResponse>(methods.agent.session.prompt, {
          sessionId,
          prompt,
        })
        try {
          return (await guard(work)).stopReason
        } catch (thrown) {
          // The adapter runs, but its assistant does not: only a new process can resume the session.
          if (isSessionLost(thrown)) await end()
          throw thrown
        }
      },
      cancel: async () => {
        cancelling.abort()
        if (spec.cancelLosesTurn) await child.kill(ports.startTimer)
        if (!child.ended.aborted) await agent.notify(methods.agent.session.cancel, { sessionId })
      },
      end: async () => {
        if (started.agentCapabilities?.sessionCapabilities?.close && !child.ended.aborted) {
          const closed = agent.request(methods.agent.session.close, { sessionId })
          await guard(closed, CLOSE_MS).catch(() => undefined)
        }
        await end()
      },
    }
  } catch (thrown) {
    await end()
    throw thrown
  }
}

const CLOSE_MS = 3000
const REPLAY_QUIET_MS = 300

const describeAlways = (
  options: readonly PermissionOption[],
): Pick<PermissionAsked, 'always' | 'onlyAlways'> => {
  const always = options.find(({ kind }) => kind === 'allow_always')
  return {
    ...(always === undefined ? {} : { always: always.name }),
    onlyAlways: always !== undefined && !options.some(({ kind }) => kind === 'allow_once'),
  }
}
