import type { ModelUsage, SessionError, StopDetails, StopReason } from '@steward/contract'
import type { z } from 'zod'
import type { NewEvent } from '../database/stored-event.ts'
import type { ToolOutcome } from '../hands/hands.ts'
import type { ModelBill } from '../log/summary.ts'
import { GIVEN_UP } from './fold-log.ts'
import { MARKS, type unansweredHidden } from './internal-events.ts'
import type { ToolUse } from './log-view.ts'

/** Events that the brain writes on its own decision. */
export const RUNNING: NewEvent = { type: 'session.status_running' }

export const WAITS_FOR_THREADS: NewEvent = { type: MARKS.waitsForThreads, listed: false }

export const idleEvent = (reason: StopReason, details: StopDetails | null = null): NewEvent => ({
  type: 'session.status_idle',
  body: { stop_reason: reason, stop_details: details },
})

/** Also of a coordinator that waits for its threads. */
export const isTurnEnd = ({ type }: NewEvent): boolean =>
  type === 'session.status_idle' || type === MARKS.waitsForThreads

export const errorEvent = (error: SessionError): NewEvent => ({
  type: 'session.error',
  body: { error },
})

const NOTHING = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
}

/** What a request without an answer used, as far as the vendor reported it. */
export interface UnansweredBill {
  bill: ModelBill
  isEstimated: boolean
}

/** Ends a request without an answer. */
export const unansweredEvent = (
  startId: string,
  cause: z.infer<typeof unansweredHidden>['cause'],
  billed?: UnansweredBill,
): NewEvent => ({
  type: 'span.model_request_end',
  body: {
    model_request_start_id: startId,
    is_error: true,
    model_usage: billed === undefined ? NOTHING : usageOf(billed.bill),
  },
  hidden: { cause, ...billed },
})

const usageOf = (bill: ModelBill): ModelUsage => ({
  input_tokens: bill.inputTokens,
  output_tokens: bill.outputTokens,
  cache_creation_input_tokens: bill.cacheWrite5mTokens + bill.cacheWrite1hTokens,
  cache_read_input_tokens: bill.cacheReadTokens,
})

/** The result of a call; `ran` names the tool if it really ran. */
export const toolResultEvent = (
  { id, kind }: ToolUse,
  { content, isError }: ToolOutcome,
  ran: string | null,
): NewEvent => {
  const outcome = { content, is_error: isError }
  if (kind === 'mcp')
    return { type: 'agent.mcp_tool_result', body: { mcp_tool_use_id: id, ...outcome } }
  return {
    type: 'agent.tool_result',
    body: { tool_use_id: id, ...outcome },
    hidden: { tool: ran },
  }
}

export const toolErrorEvent = (use: ToolUse, text: string): NewEvent =>
  toolResultEvent(use, { content: [{ type: 'text', text }], isError: true }, null)

/**
 * Ends a call that will not be answered any more. Results of custom tools are the client's events,
 * so theirs is an internal mark.
 */
export const giveUpEvent = (use: ToolUse): NewEvent =>
  use.kind === 'custom'
    ? { type: MARKS.toolGivenUp, body: { tool_use_id: use.id }, listed: false }
    : toolErrorEvent(use, GIVEN_UP)

export const discardEvents = (ids: readonly string[]): readonly NewEvent[] =>
  ids.length === 0 ? [] : [{ type: MARKS.discarded, body: { ids }, listed: false }]
