import type { StewardEvent } from '@steward/contract'
import { findCompletionLine, type Notifier } from '@steward/notify'

/** Rows that start and end a session's task. */
const TASK_BEGINS = 'user_prompt'
/** Our hook writes the first name, others use Claude Code's. */
const TASK_ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop'])
const TASK_FAILS = 'stop_failure'
const BACKGROUND_BEGINS = 'subagent_spawned_async'
const AGENT_ENDS = 'subagent_stop'

const MOST_AGENTS = 1000

export interface SessionEvents {
  take: (events: readonly StewardEvent[]) => void
}

interface SessionEventPorts {
  /** Never fails: storage problems are reported in its own health. */
  notifier: Pick<
    Notifier,
    'recordTaskStart' | 'notifyTaskComplete' | 'notifyBackgroundAgent' | 'notifyError'
  >
  /** The assistant's name; its completion line may start with it. */
  speaker: () => string | undefined
}

/**
 * Sends notifications for event rows: a finished session, a failed one, a finished background
 * agent.
 */
export const createSessionEvents = ({ notifier, speaker }: SessionEventPorts): SessionEvents => {
  /**
   * Ids of background agents, because their end row does not say that they ran in the background.
   */
  const inBackground = new Set<string>()

  const takeOne = (event: StewardEvent): void => {
    const { session_id: sessionId, type } = event
    if (sessionId === '') return
    if (type === TASK_BEGINS) void notifier.recordTaskStart(sessionId)
    if (TASK_ENDS.has(type) && !isSubagent(event)) {
      void notifier.notifyTaskComplete(describeEnd(event, speaker()), { sessionId })
    }
    if (type === TASK_FAILS) {
      void notifier.notifyError(
        `The session stopped: ${textOf(event.error) ?? 'no reason given'}`,
        {
          sessionId,
        },
      )
    }
    if (startsInBackground(event)) remember(idsOf(event))
    if (type === AGENT_ENDS) endAgent(event, sessionId)
  }

  const remember = (ids: readonly string[]): void => {
    for (const id of ids) inBackground.add(id)
    for (const oldest of inBackground) {
      if (inBackground.size <= MOST_AGENTS) break
      inBackground.delete(oldest)
    }
  }

  const endAgent = (event: StewardEvent, sessionId: string): void => {
    const ids = idsOf(event)
    const wasInBackground = ids.some((id) => inBackground.has(id))
    for (const id of ids) inBackground.delete(id)
    if (!wasInBackground) return
    const agent = textOf(event.subagent_type) ?? textOf(event.agent_type) ?? 'agent'
    const what = textOf(event.description)
    void notifier.notifyBackgroundAgent(
      agent,
      what === undefined ? 'It has finished.' : `Finished: ${what}`,
      {
        sessionId,
      },
    )
  }

  return {
    take: (events) => {
      for (const event of events) takeOne(event)
    },
  }
}

const startsInBackground = (event: StewardEvent): boolean =>
  event.type === BACKGROUND_BEGINS ||
  (event.type === 'subagent_start' && event.run_in_background === true)

const isSubagent = (event: StewardEvent): boolean => textOf(event.agent_id) !== undefined

const idsOf = (event: StewardEvent): string[] =>
  [event.subagent_id, event.agent_id, event.tool_use_id].flatMap((id) => {
    const text = textOf(id)
    return text === undefined ? [] : [`${event.session_id}\n${text}`]
  })

const SHOWN_CHARS = 200

/** The spoken line of the last message if the row has one, or else the beginning of the message. */
const describeEnd = (event: StewardEvent, speaker: string | undefined): string => {
  const text = textOf(event.last_assistant_message) ?? textOf(event.message_preview) ?? ''
  const found = findCompletionLine({ text, ...(speaker === undefined ? {} : { speaker }) })
  if ('line' in found) return found.line
  const [first = ''] = text.trim().split(/[\r\n]+/)
  return first === '' ? 'The assistant has finished.' : [...first].slice(0, SHOWN_CHARS).join('')
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
