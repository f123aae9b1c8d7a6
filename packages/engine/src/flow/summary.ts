import type { FlowRunSummary, RecordedError, Spend } from '@steward/contract'

export type ItemOutcome =
  /** `collected`: its output is stored for a digest. */
  | { kind: 'delivered' | 'filtered' | 'collected' }
  | { kind: 'postponed'; error: RecordedError }
  | {
      kind: 'rejected' | 'failed' | 'waiting' | 'given-up'
      item: string
      error: RecordedError
      /** Other destinations of the flow have it. */
      isPartly?: boolean
    }

export interface SummaryParts {
  runId: string
  startedAt: number
  endedAt: number
  found: number
  alreadySeen: number
  postponed: number
  outcomes: readonly ItemOutcome[]
  /** The error of the only source, or of each that could not be read. */
  sourceErrors?: readonly (RecordedError & { item: string | null })[]
  /** Whether other sources could be read. */
  isPartlyRead?: boolean
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
  const collected = count('collected')
  const partly = parts.outcomes.filter((each) => 'isPartly' in each && each.isPartly).length
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
    ...(collected === 0 ? {} : { collected }),
    ...(partly === 0 ? {} : { partlyDelivered: partly }),
  }
  const { sourceErrors = [], blocked = null } = parts
  // A source that asks for time is not a failure: the next run continues.
  const sourceError = sourceErrors.find(({ code }) => code !== 'rate_limited')
  const isPartlyRead = parts.isPartlyRead === true && sourceError !== undefined
  const stopped = blocked ?? (isPartlyRead ? undefined : sourceError)
  const isBlocked = sourceErrors.length === 0 && parts.outcomes.length === 0 && blocked !== null
  const errors = [
    ...sourceErrors,
    ...(isBlocked ? [{ ...blocked, item: null }] : []),
    ...parts.outcomes.flatMap((outcome) => {
      if (!('error' in outcome)) return []
      return [{ ...outcome.error, item: outcome.kind === 'postponed' ? null : outcome.item }]
    }),
  ]
  const shown = withoutRepeated(errors).slice(0, ERRORS_SHOWN)
  const outcome = outcomeOf(items, isPartlyRead, stopped)
  return {
    runId: parts.runId,
    startedAt: new Date(parts.startedAt).toISOString(),
    endedAt: new Date(parts.endedAt).toISOString(),
    durationMs: Math.max(0, parts.endedAt - parts.startedAt),
    outcome,
    reason: reasonFor(outcome, items, shown, parts),
    items,
    blocked,
    errors: shown,
    spend: parts.spend,
  }
}

/** The items of a digest fail together. */
const withoutRepeated = (errors: FlowRunSummary['errors']): FlowRunSummary['errors'] => {
  const seen = new Set<string>()
  return errors.filter(({ code, message, item }) => {
    const key = JSON.stringify([code, message, item])
    return item === null || !seen.has(key) ? seen.add(key) : false
  })
}

type Counts = FlowRunSummary['items']

const outcomeOf = (
  items: Counts,
  isPartlyRead: boolean,
  stopped: RecordedError | undefined,
): FlowRunSummary['outcome'] => {
  const unfinished = items.waiting + items.givenUp
  const troubled = items.failed + items.rejected + unfinished
  const isTroubled = troubled > 0 || stopped !== undefined || isPartlyRead
  if (items.delivered > 0) return isTroubled ? 'partial' : 'delivered'
  if ((items.partlyDelivered ?? 0) > 0) return 'partial'
  if (stopped !== undefined) return 'failed'
  if (unfinished > 0) return 'partial'
  if (troubled + items.postponed > 0) return 'failed'
  return isPartlyRead ? 'partial' : 'nothing-new'
}

const reasonFor = (
  outcome: FlowRunSummary['outcome'],
  items: Counts,
  errors: FlowRunSummary['errors'],
  { sourceErrors = [], isPartlyRead, blocked }: SummaryParts,
): string => {
  const [sourceError] = sourceErrors
  const which =
    isPartlyRead || sourceErrors.length > 1
      ? `${sourceErrors.length} ${sourceErrors.length === 1 ? 'source' : 'sources'}`
      : 'the source'
  const unread = sourceError && `${which} could not be read: ${sourceError.message}`
  const isEmpty = items.found + items.waiting + items.failed === 0 && outcome === 'failed'
  if (unread !== undefined && isEmpty) return unread
  if (blocked !== undefined && isEmpty) return `blocked: ${blocked.message}`
  const { filtered = 0, collected = 0, partlyDelivered = 0 } = items
  if (outcome === 'nothing-new' && filtered + collected === 0) {
    if (sourceError !== undefined) return sourceError.message
    if (items.found === 0) return 'the source has no new items'
    return `all ${items.found} items were seen before`
  }
  const parts = [
    `${items.delivered} delivered`,
    filtered > 0 && `${filtered} filtered`,
    collected > 0 && `${collected} kept for the next digest`,
    items.rejected > 0 && `${items.rejected} rejected`,
    items.failed > 0 && `${items.failed} failed`,
    items.waiting > 0 &&
      `${items.waiting} waiting for ${partlyDelivered > 0 ? 'a destination' : 'the destination'}`,
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
