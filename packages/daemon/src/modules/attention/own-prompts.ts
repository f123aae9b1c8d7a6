import type { AttentionAnswer, AttentionRequest, StewardEvent } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { endsRequest } from './requests.ts'
import type { SessionWait } from './session-waits.ts'

/** Allowed requests whose assistant may still ask at its own prompt. */
export interface OwnPrompts {
  /** Called when a request was answered here. */
  answered: (request: AttentionRequest, answer: AttentionAnswer) => void
  take: (events: readonly StewardEvent[]) => void
  /** The sessions that did not go on after the answer. */
  waiting: () => SessionWait[]
  stop: () => void
}

interface OwnPromptsPorts {
  now: () => number
  setTimer: StartTimer
  onChange: () => void
}

/** Tools of MCP servers that only a person may start take longer than others. */
const SILENT_MS = 20_000
const MOST_SESSIONS = 500

/**
 * MCP servers can mark a tool so that only a person may allow it. Claude Code 2.1.325 then ignores a
 * yes from here: its own prompt stays open, and no event says so. The session is listed again, as one
 * to be answered in its terminal, if nothing happens in it after the answer.
 */
export const createOwnPrompts = ({ now, setTimer, onChange }: OwnPromptsPorts): OwnPrompts => {
  const allowed = new Map<string, { request: AttentionRequest; fromMs: number }>()
  const timers = new Set<() => void>()

  return {
    answered: (request, answer) => {
      const { session_id } = request
      allowed.delete(session_id)
      if (!mayBeIgnored(request, answer)) return
      allowed.set(session_id, { request, fromMs: now() + SILENT_MS })
      const [oldest] = allowed.keys()
      if (oldest !== undefined && allowed.size > MOST_SESSIONS) allowed.delete(oldest)
      const cancel = setTimer(SILENT_MS, () => {
        timers.delete(cancel)
        if (allowed.has(session_id)) onChange()
      })
      timers.add(cancel)
    },
    take: (events) => {
      for (const event of events) {
        const { session_id } = event
        const found = allowed.get(session_id)
        if (found === undefined) continue
        if (endsRequest(event, found.request)) allowed.delete(session_id)
        if (isReminder(event, found.request)) found.fromMs = now()
      }
    },
    waiting: () =>
      [...allowed.values()].flatMap(({ request, fromMs }) =>
        now() < fromMs ? [] : waitOf(request),
      ),
    stop: () => {
      for (const cancel of timers) cancel()
    },
  }
}

/** Claude Code reminds once of a prompt that is open for six seconds. */
const isReminder = ({ notification_type, timestamp }: StewardEvent, { at }: AttentionRequest) =>
  notification_type === 'permission_prompt' && Date.parse(timestamp) > Date.parse(at)

/** For tools that only a person may allow, Claude Code offers no "always". */
const mayBeIgnored = (
  { host, tool_name, asked }: AttentionRequest,
  answer: AttentionAnswer,
): boolean =>
  host === 'claude' &&
  tool_name?.startsWith('mcp__') === true &&
  asked.always === undefined &&
  'decision' in answer &&
  answer.decision === 'allow'

const waitOf = ({
  session_id,
  host,
  cwd,
  tool_name,
  detail,
  at,
}: AttentionRequest): SessionWait => ({
  session_id,
  host,
  cwd: cwd ?? '',
  reason: 'permission',
  tool: tool_name ?? null,
  detail,
  since: at,
  hint: 'It did not go on after it was allowed here: this tool may be allowed only in the terminal',
})
