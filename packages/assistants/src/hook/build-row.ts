import {
  type EventSource,
  type EventTypeOf,
  type HostEvent,
  isJsonObject,
  type JsonObject,
} from '@steward/contract'
import { findTrivia } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { readQuestions } from '../payload/describe-request.ts'
import { countBackgroundTasks, nestedOf } from '../payload/fields.ts'
import type { ClipText } from './clip-text.ts'
import { describeEffect } from './describe-effect.ts'

/** A row and the log it belongs to. */
export interface LogEntry {
  source: EventSource
  row: JsonObject
}

const ACTIVITY_PREVIEW_CHARS = 300
const FAILURE_PREVIEW_CHARS = 500
const ERROR_CHARS = 1000
const PROMPT_CHARS = 2000
const TEXT_CHARS = 300

/**
 * The row of an event; undefined if it leaves none. Subagents have separate rows. `spoken` is the
 * line that the hook speaks at the end of a turn.
 */
export const buildRow = (
  event: HostEvent,
  at: string,
  clip: ClipText,
  spoken?: string,
): LogEntry | undefined => {
  switch (event.hook_event_name) {
    case 'PostToolUse':
      return activity(event, at, 'tool_use', {
        ...toolOf(event),
        tool_input_preview: clip(event.tool_input ?? '', ACTIVITY_PREVIEW_CHARS),
        duration_ms: event.duration_ms,
        ground_truth: describeEffect(event, clip),
      })
    case 'PostToolUseFailure':
      return {
        source: 'tool-failure',
        row: {
          ...base(event, at, 'tool_failure', 'tool-failure'),
          ...toolOf(event),
          error: clip(event.error ?? '', ERROR_CHARS),
          is_interrupt: event.is_interrupt,
          duration_ms: event.duration_ms,
          tool_input_preview: clip(event.tool_input ?? '', FAILURE_PREVIEW_CHARS),
        },
      }
    case 'UserPromptSubmit':
      return activity(event, at, promptType(event), {
        prompt: clip(event.prompt ?? '', PROMPT_CHARS),
      })
    case 'SessionStart':
      return activity(event, at, 'session_start', {
        ...namedOf(event, ['model'], clip),
        // `source` of a row is its log.
        ...(typeof event.source === 'string'
          ? { start_source: clip(event.source, TEXT_CHARS) }
          : {}),
      })
    case 'SessionEnd':
      return activity(event, at, 'session_end', namedOf(event, ['reason'], clip))
    case 'Stop':
      return activity(event, at, 'turn_end', {
        message_preview: clip(event.last_assistant_message ?? '', TEXT_CHARS),
        spoken_line: spoken,
        background_tasks: countBackgroundTasks(event),
        session_crons: describeCrons(event.session_crons, clip),
      })
    case 'StopFailure':
      return activity(event, at, 'stop_failure', {
        error: clip(event.error ?? '', ERROR_CHARS),
        ...namedOf(event, ['error_details'], clip),
      })
    case 'PermissionRequest':
      return activity(event, at, 'permission_request', {
        ...toolOf(event),
        tool_input_preview: clip(event.tool_input ?? '', ACTIVITY_PREVIEW_CHARS),
        ...requestOf(event, clip),
      })
    case 'Notification':
      return activity(event, at, 'notification', {
        ...namedOf(event, ['notification_type', 'message'], clip),
        ...requestOf(event, clip),
      })
    default:
      return undefined
  }
}

/** What is asked, where the event has it in another place than its tool's input. */
const requestOf = (event: HostEvent, clip: ClipText): JsonObject => {
  // Gemini names the command beside its message.
  const { command } = nestedOf(event.raw, 'details')
  if (typeof command === 'string') return { request: clip(command, ACTIVITY_PREVIEW_CHARS) }
  const { questions, plan } = event.tool_input ?? {}
  const asked = readQuestions(questions).map(({ question }) => question)
  if (asked.length > 0) return { request: clip(asked.join('\n'), ACTIVITY_PREVIEW_CHARS) }
  return typeof plan === 'string' ? { request: clip(plan, ACTIVITY_PREVIEW_CHARS) } : {}
}

/** Prompts of the host, or of an assistant to its subagent, are not a person's. */
const promptType = (event: HostEvent): EventTypeOf<'tool-activity'> => {
  if (event.agent_id !== undefined) return 'agent_prompt'
  return findTrivia(event.prompt ?? '') === 'system' ? 'host_prompt' : 'user_prompt'
}

const activity = (
  event: HostEvent,
  at: string,
  type: EventTypeOf<'tool-activity'>,
  more: JsonObject,
): LogEntry => ({
  source: 'tool-activity',
  row: { ...base(event, at, type, 'tool-activity'), ...more },
})

const base = (event: HostEvent, at: string, type: string, source: EventSource): JsonObject => ({
  timestamp: at,
  event: type,
  source,
  type,
  session_id: event.session_id,
  host: event.host,
  turn_id: event.turn_id,
  ...callerOf(event),
  cwd: event.cwd,
})

/**
 * `null` is the main assistant, if the assistant names its agents; otherwise the caller is unknown.
 */
const callerOf = (event: HostEvent): JsonObject => {
  if (event.agent_id !== undefined) {
    return { agent_id: event.agent_id, agent_type: event.agent_type }
  }
  return ASSISTANTS[event.host].subagents.areNamed ? { agent_id: null } : {}
}

const toolOf = ({ tool_name, host_tool, tool_use_id }: HostEvent): JsonObject => ({
  tool_name: tool_name ?? 'unknown',
  host_tool,
  tool_use_id,
})

const KEPT_CRONS = 50

/** The session's crons as Claude Code reports them; an empty list means none. */
const describeCrons = (crons: unknown, clip: ClipText): JsonObject[] | undefined =>
  Array.isArray(crons)
    ? crons
        .filter(isJsonObject)
        .slice(0, KEPT_CRONS)
        .map(({ id, schedule, recurring, prompt }) => ({
          id: clip(String(id ?? ''), TEXT_CHARS),
          schedule: clip(String(schedule ?? ''), TEXT_CHARS),
          recurring: recurring !== false,
          prompt: clip(String(prompt ?? ''), TEXT_CHARS),
        }))
    : undefined

const namedOf = (event: HostEvent, names: readonly string[], clip: ClipText): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = event[name]
      return typeof value === 'string' ? [[name, clip(value, TEXT_CHARS)]] : []
    }),
  )
