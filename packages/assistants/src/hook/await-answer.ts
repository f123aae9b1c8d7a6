import {
  type AttentionAnswer,
  type AttentionOutcome,
  type AttentionRequest,
  type HostEvent,
  isJsonObject,
  parseJson,
} from '@steward/contract'
import type { RequestAnswers } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { type DescribedRequest, describeRequest } from '../payload/describe-request.ts'
import type { HookPorts } from './hook-ports.ts'
import { requestDaemon } from './post-to-daemon.ts'

/** A daemon that is being restarted answers again within this time, even on a busy machine. */
const AWAY_MS = 120_000
const PAUSE_MS = 500
const DETAIL_CHARS = 3000
const PREVIEW_CHARS = 300
/** Hooks are registered with a longer timeout. */
const MOST_MS = 3_500_000

/**
 * Asks the daemon to show a request of the assistant to its person, and waits. Undefined if nobody
 * answers here: then the assistant's own prompt decides, and nothing is allowed.
 */
export const awaitAnswer = async (
  event: HostEvent,
  ports: HookPorts,
): Promise<AttentionAnswer | undefined> => {
  const { answers } = ASSISTANTS[event.host]
  const described = event.hook_event_name === 'Stop' ? describeEnd(event) : describeRequest(event)
  if (answers === undefined || described === undefined || event.session_id === '') return undefined
  // A person should not allow a request that cannot be read completely.
  if (described.reason === 'permission' && described.detail.length > DETAIL_CHARS) return undefined
  const waitMs = Math.min(MOST_MS, waitSecondsOf(event, described, answers, ports) * 1000)
  if (waitMs <= 0 || !ports.isDaemonUp()) return undefined
  const outcome = await ask(buildRequest(event, described, waitMs, ports), ports)
  return outcome?.status === 'answered' ? outcome.answer : undefined
}

const describeEnd = (event: HostEvent): DescribedRequest => ({
  reason: 'done',
  detail: event.last_assistant_message ?? '',
  asked: { decides: false, questions: [], fields: [], takesText: true },
})

const waitSecondsOf = (
  event: HostEvent,
  { reason }: DescribedRequest,
  { hidesPrompt, takesReplies }: RequestAnswers,
  { settings: { answers } }: HookPorts,
): number => {
  if (event.hook_event_name === 'Stop') return takesReplies ? answers.replySeconds : 0
  return hidesPrompt || reason === 'form' ? answers.hiddenPromptSeconds : answers.waitSeconds
}

const buildRequest = (
  event: HostEvent,
  { reason, detail, asked }: DescribedRequest,
  waitMs: number,
  { clip, redactor, startedAtMs }: HookPorts,
): AttentionRequest => {
  const { host, session_id, agent_id, turn_id, cwd, tool_name, tool_input } = event
  const preview = clip(tool_input ?? '', PREVIEW_CHARS)
  return {
    id: newId(),
    host,
    session_id,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(cwd === undefined ? {} : { cwd }),
    reason,
    ...(tool_name === undefined ? {} : { tool_name }),
    preview,
    detail: redactor.redactText(detail).value.slice(0, DETAIL_CHARS),
    asked,
    at: new Date(startedAtMs).toISOString(),
    waitMs,
  }
}

const ID_CHARS = 'abcdefghjkmnpqrstuvwxyz23456789'
const ID_LENGTH = 10

/** Short enough to type. */
const newId = (): string => {
  const { randomInt } = process.getBuiltinModule('node:crypto')
  return Array.from({ length: ID_LENGTH }, () => ID_CHARS[randomInt(ID_CHARS.length)]).join('')
}

/** Asks again under the same id after the daemon was restarted. */
const ask = async (
  request: AttentionRequest,
  { home, now }: HookPorts,
): Promise<AttentionOutcome | undefined> => {
  const body = JSON.stringify(request)
  const endMs = now() + request.waitMs
  let awayMs = 0
  while (now() < endMs) {
    const startedMs = now()
    const answer = await requestDaemon(home, '/hooks/attention', body, endMs - startedMs)
    if (answer?.status === 200) return readOutcome(answer.body)
    // It refuses the request itself: asking again would not help.
    if (answer !== undefined && answer.status < 500) return undefined
    // A connection that lasted shows that there was a daemon.
    awayMs = now() - startedMs > PAUSE_MS ? 0 : awayMs + PAUSE_MS
    if (awayMs > AWAY_MS) return undefined
    await pause(PAUSE_MS)
  }
  return undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The daemon checked the answer; here only its form decides. */
const readOutcome = (body: string): AttentionOutcome | undefined => {
  const parsed = parseJson(body, 'the answer of the daemon')
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { status, answer, reason } = parsed.value
  if (status === 'closed') return { status, reason: String(reason) }
  if (status !== 'answered' || !isAnswer(answer)) return undefined
  return { status, answer }
}

const isAnswer = (value: unknown): value is AttentionAnswer => {
  if (!isJsonObject(value)) return false
  if ('decision' in value) return value.decision === 'allow' || value.decision === 'deny'
  if ('text' in value) return typeof value.text === 'string'
  if ('content' in value) return isJsonObject(value.content)
  return 'choice' in value && value.choice !== undefined
}
