import { z } from 'zod'
import { ownType, type StoredEvent } from '../database/stored-event.ts'

const count = z.number().nonnegative()

const modelTokens = {
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWrite5mTokens: count,
  cacheWrite1hTokens: count,
}

const NOTHING_DELEGATED = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  webFetches: 0,
  nanoDollars: 0,
}

/**
 * State and usage of a session, folded from its events; stored beside the log so that lists are
 * fast.
 */
export const sessionSummary = z.object({
  status: z.enum(['idle', 'running', 'rescheduling', 'terminated']),
  /** From the last `session.status_idle`. */
  stopReason: z.record(z.string(), z.unknown()).nullable(),
  ...modelTokens,
  webSearches: count,
  webFetches: count,
  /** Token cost in billionths of a dollar, priced when each call ended. */
  tokenNanoDollars: count,
  /** A model without a known price was called, so the cost is a lower bound. */
  unpriced: z.boolean(),
  /** Some calls ended without an answer, so what they used was estimated. */
  estimated: z.boolean().default(false),
  /** Completed time in `running`, and the start of the current run. */
  activeMs: count,
  runningSinceMs: z.number().nullable(),
  /** The part of the tokens that other threads used. */
  delegated: z
    .object({ ...modelTokens, webSearches: count, webFetches: count, nanoDollars: count })
    .optional(),
  /** The coordinator has nothing to do until one of its threads reports. */
  waitsForThreads: z.boolean().optional(),
})
export type SessionSummary = z.infer<typeof sessionSummary>

export const EMPTY_SUMMARY: SessionSummary = {
  status: 'idle',
  stopReason: null,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  webFetches: 0,
  tokenNanoDollars: 0,
  unpriced: false,
  estimated: false,
  activeMs: 0,
  runningSinceMs: null,
}

const STATUS: Readonly<Record<string, SessionSummary['status']>> = {
  'session.status_idle': 'idle',
  'session.status_running': 'running',
  'session.status_rescheduled': 'rescheduling',
  'session.status_terminated': 'terminated',
}

const fields = z.record(z.string(), z.unknown())

/** What a finished model call adds: `hidden.bill` of its `span.model_request_end`. */
export const modelBill = z.object({
  ...modelTokens,
  /** `null`: the model has no known price. */
  nanoDollars: count.nullable(),
})
export type ModelBill = z.infer<typeof modelBill>

type FoldedEvent = Pick<StoredEvent, 'sessionId' | 'type' | 'body' | 'hidden' | 'createdMs'>

export const foldEvent = (summary: SessionSummary, event: FoldedEvent): SessionSummary => {
  const status = STATUS[ownType(event)]
  if (status !== undefined) return foldStatus(goOn(summary), status, event)
  if (event.type === 'span.model_request_start') return goOn(summary)
  if (event.type === 'brain.waits_for_threads') return { ...summary, waitsForThreads: true }
  if (event.type === 'brain.thread_used') return foldDelegated(summary, event)
  if (event.type === 'span.model_request_end') return foldBill(summary, event)
  if (event.type === 'agent.tool_result') return foldWebUse(summary, event)
  if (event.type === 'brain.resumed') return foldDeadTime(summary, event)
  return summary
}

const goOn = (summary: SessionSummary): SessionSummary => {
  if (summary.waitsForThreads === undefined) return summary
  const { waitsForThreads: _, ...rest } = summary
  return rest
}

/** Time in which a session was running but its brain was dead is not billed. */
const foldDeadTime = (summary: SessionSummary, { body }: FoldedEvent): SessionSummary => {
  const deadMs = count.safeParse(body.dead_ms).data ?? 0
  const since = summary.runningSinceMs
  return since === null ? summary : { ...summary, runningSinceMs: since + deadMs }
}

const foldStatus = (
  summary: SessionSummary,
  status: SessionSummary['status'],
  { body, createdMs }: FoldedEvent,
): SessionSummary => {
  const since = summary.runningSinceMs
  const runs = status === 'running'
  return {
    ...summary,
    status,
    stopReason: status === 'idle' ? (fields.safeParse(body.stop_reason).data ?? null) : null,
    activeMs: summary.activeMs + (since === null || runs ? 0 : Math.max(0, createdMs - since)),
    runningSinceMs: runs ? (since ?? createdMs) : null,
  }
}

const foldBill = (summary: SessionSummary, { hidden }: FoldedEvent): SessionSummary => {
  const bill = modelBill.safeParse(hidden?.bill).data
  if (bill === undefined) return summary
  return {
    ...summary,
    inputTokens: summary.inputTokens + bill.inputTokens,
    outputTokens: summary.outputTokens + bill.outputTokens,
    cacheReadTokens: summary.cacheReadTokens + bill.cacheReadTokens,
    cacheWrite5mTokens: summary.cacheWrite5mTokens + bill.cacheWrite5mTokens,
    cacheWrite1hTokens: summary.cacheWrite1hTokens + bill.cacheWrite1hTokens,
    tokenNanoDollars: summary.tokenNanoDollars + (bill.nanoDollars ?? 0),
    unpriced: summary.unpriced || bill.nanoDollars === null,
    estimated: summary.estimated || hidden?.isEstimated === true,
  }
}

/** What another thread of the session used counts for the session as well. */
const foldDelegated = (summary: SessionSummary, event: FoldedEvent): SessionSummary => {
  const whole = foldWebUse(foldBill(summary, event), event)
  const delegated = summary.delegated ?? NOTHING_DELEGATED
  const added = <K extends keyof SessionSummary & keyof typeof delegated>(key: K): number =>
    delegated[key] + Number(whole[key]) - Number(summary[key])
  return {
    ...whole,
    delegated: {
      inputTokens: added('inputTokens'),
      outputTokens: added('outputTokens'),
      cacheReadTokens: added('cacheReadTokens'),
      cacheWrite5mTokens: added('cacheWrite5mTokens'),
      cacheWrite1hTokens: added('cacheWrite1hTokens'),
      webSearches: added('webSearches'),
      webFetches: added('webFetches'),
      nanoDollars: delegated.nanoDollars + whole.tokenNanoDollars - summary.tokenNanoDollars,
    },
  }
}

const foldWebUse = (summary: SessionSummary, { hidden }: FoldedEvent): SessionSummary => {
  if (hidden?.tool === 'web_search') return { ...summary, webSearches: summary.webSearches + 1 }
  if (hidden?.tool === 'web_fetch') return { ...summary, webFetches: summary.webFetches + 1 }
  return summary
}
