import type { FlowRunSummary, RecordedError, Spend } from '@steward/contract'

export type ItemOutcome =
  | { kind: 'delivered' }
  | { kind: 'postponed'; error: RecordedError }
  | { kind: 'rejected' | 'failed'; item: string; error: RecordedError }

export interface SummaryParts {
  runId: string
  startedAt: number
  endedAt: number
  found: number
  alreadySeen: number
  postponed: number
  outcomes: readonly ItemOutcome[]
  sourceError?: RecordedError
  spend: Spend
}

/** The maximum number of errors in a summary; the run record has all of them. */
export const ERRORS_SHOWN = 20

export const summarise = (parts: SummaryParts): FlowRunSummary => {
  const count = (kind: ItemOutcome['kind']) =>
    parts.outcomes.filter((outcome) => outcome.kind === kind).length
  const items = {
    found: parts.found,
    alreadySeen: parts.alreadySeen,
    delivered: count('delivered'),
    rejected: count('rejected'),
    failed: count('failed'),
    postponed: parts.postponed + count('postponed'),
  }
  const errors = parts.outcomes
    .flatMap((outcome) => {
      if (outcome.kind === 'delivered') return []
      return [{ ...outcome.error, item: outcome.kind === 'postponed' ? null : outcome.item }]
    })
    .slice(0, ERRORS_SHOWN)
  const { sourceError } = parts
  return {
    runId: parts.runId,
    startedAt: new Date(parts.startedAt).toISOString(),
    endedAt: new Date(parts.endedAt).toISOString(),
    durationMs: Math.max(0, parts.endedAt - parts.startedAt),
    outcome: outcomeOf(items, sourceError),
    reason: reasonFor(items, errors, sourceError),
    items,
    errors: sourceError === undefined ? errors : [{ ...sourceError, item: null }],
    spend: parts.spend,
  }
}

type Counts = FlowRunSummary['items']

const outcomeOf = (
  items: Counts,
  sourceError: RecordedError | undefined,
): FlowRunSummary['outcome'] => {
  if (sourceError !== undefined) return 'failed'
  const troubled = items.failed + items.rejected
  if (items.delivered > 0) return troubled === 0 ? 'delivered' : 'partial'
  return troubled + items.postponed === 0 ? 'nothing-new' : 'failed'
}

const reasonFor = (
  items: Counts,
  errors: FlowRunSummary['errors'],
  sourceError: RecordedError | undefined,
): string => {
  if (sourceError !== undefined) return `the source could not be read: ${sourceError.message}`
  if (items.found === 0) return 'the source has no items'
  if (items.alreadySeen === items.found) return `all ${items.found} items were seen before`
  const parts = [
    `${items.delivered} delivered`,
    items.rejected > 0 && `${items.rejected} rejected`,
    items.failed > 0 && `${items.failed} failed`,
    items.postponed > 0 && `${items.postponed} left for the next run`,
    items.alreadySeen > 0 && `${items.alreadySeen} seen before`,
  ].filter(Boolean)
  const [first] = errors
  return first === undefined
    ? parts.join(', ')
    : `${parts.join(', ')}; first error: ${first.message}`
}
