import type { FlowRunSummary, RecordedError, Spend } from '@steward/contract'

export type ItemOutcome =
  | { kind: 'delivered' | 'filtered' }
  | { kind: 'postponed'; error: RecordedError }
  | { kind: 'rejected' | 'failed' | 'waiting' | 'given-up'; item: string; error: RecordedError }

export interface SummaryParts {
  runId: string
  startedAt: number
  endedAt: number
  found: number
  alreadySeen: number
  postponed: number
  outcomes: readonly ItemOutcome[]
  sourceError?: RecordedError
  /** The error of the configuration that stopped the run. */
  blocked?: RecordedError
  /** Items of the source that an earlier run gave up. */
  givenUpBefore?: number
  spend: Spend
}

/** The maximum number of errors in a summary; the run record has all of them. */
export const ERRORS_SHOWN = 20

export const summarise = (parts: SummaryParts): FlowRunSummary => {
  const count = (kind: ItemOutcome['kind']) =>
    parts.outcomes.filter((outcome) => outcome.kind === kind).length
  const filtered = count('filtered')
  const items = {
    found: parts.found,
    alreadySeen: parts.alreadySeen,
    delivered: count('delivered'),
    rejected: count('rejected'),
    failed: count('failed'),
    waiting: count('waiting'),
    givenUp: count('given-up') + (parts.givenUpBefore ?? 0),
    postponed: parts.postponed + count('postponed'),
    ...(filtered === 0 ? {} : { filtered }),
  }
  const { sourceError, blocked = null } = parts
  const stopped = sourceError ?? (parts.outcomes.length === 0 ? blocked : null)
  const errors = [
    ...(stopped === null ? [] : [{ ...stopped, item: null }]),
    ...parts.outcomes.flatMap((outcome) => {
      if (!('error' in outcome)) return []
      return [{ ...outcome.error, item: outcome.kind === 'postponed' ? null : outcome.item }]
    }),
  ].slice(0, ERRORS_SHOWN)
  // A source that asks for time is not a failure: the next run continues.
  const isPaused = sourceError?.code === 'rate_limited'
  const outcome = outcomeOf(items, (isPaused ? undefined : sourceError) ?? blocked ?? undefined)
  return {
    runId: parts.runId,
    startedAt: new Date(parts.startedAt).toISOString(),
    endedAt: new Date(parts.endedAt).toISOString(),
    durationMs: Math.max(0, parts.endedAt - parts.startedAt),
    outcome,
    reason: reasonFor(outcome, items, errors, parts),
    items,
    blocked,
    errors,
    spend: parts.spend,
  }
}

type Counts = FlowRunSummary['items']

const outcomeOf = (
  items: Counts,
  stopped: RecordedError | undefined,
): FlowRunSummary['outcome'] => {
  const unfinished = items.waiting + items.givenUp
  const troubled = items.failed + items.rejected + unfinished
  if (items.delivered > 0) return troubled === 0 && stopped === undefined ? 'delivered' : 'partial'
  if (stopped !== undefined) return 'failed'
  if (unfinished > 0) return 'partial'
  return troubled + items.postponed === 0 ? 'nothing-new' : 'failed'
}

const reasonFor = (
  outcome: FlowRunSummary['outcome'],
  items: Counts,
  errors: FlowRunSummary['errors'],
  { sourceError, blocked }: SummaryParts,
): string => {
  const unread = sourceError && `the source could not be read: ${sourceError.message}`
  const isEmpty = items.found + items.waiting + items.failed === 0 && outcome === 'failed'
  if (unread !== undefined && isEmpty) return unread
  if (blocked !== undefined && isEmpty) return `blocked: ${blocked.message}`
  const { filtered = 0 } = items
  if (outcome === 'nothing-new' && filtered === 0) {
    if (sourceError !== undefined) return sourceError.message
    if (items.found === 0) return 'the source has no new items'
    return `all ${items.found} items were seen before`
  }
  const parts = [
    `${items.delivered} delivered`,
    filtered > 0 && `${filtered} filtered`,
    items.rejected > 0 && `${items.rejected} rejected`,
    items.failed > 0 && `${items.failed} failed`,
    items.waiting > 0 && `${items.waiting} waiting for the destination`,
    items.givenUp > 0 && `${items.givenUp} given up`,
    items.postponed > 0 && `${items.postponed} left for the next run`,
    items.alreadySeen > 0 && `${items.alreadySeen} seen before`,
  ].filter(Boolean)
  const [first] = errors
  const why =
    unread ??
    (blocked && `blocked: ${blocked.message}`) ??
    (first && `first error: ${first.message}`)
  return why === undefined ? parts.join(', ') : `${parts.join(', ')}; ${why}`
}
