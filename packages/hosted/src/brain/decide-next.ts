import {
  isPending,
  REFUSAL_CATEGORIES,
  type SessionError,
  type SessionUsage,
  type StopDetails,
} from '@steward/contract'
import type { NewEvent } from '../database/stored-event.ts'
import { LONGEST_WAKE_MS } from '../log/lease.ts'
import type { SessionBody } from '../log/session-body.ts'
import type { BrainLimits } from './brain.ts'
import type { LogView, ToolUse } from './log-view.ts'
import type { AppendStep, Step } from './step.ts'
import {
  discardEvents,
  errorEvent,
  giveUpEvent,
  idleEvent,
  RUNNING,
  toolErrorEvent,
  type UnansweredBill,
  unansweredEvent,
  WAITS_FOR_THREADS,
} from './step-events.ts'
import { asksOfThreads, isAnyBusy, isAnyPaused } from './threads/thread-states.ts'
import { delegates, onlyLooks, runsOnServer } from './tools/tool-kinds.ts'

/** Facts outside the log that affect the decision. */
export interface Circumstances {
  nowMs: number
  agent: SessionBody['agent']
  budget: SessionBody['budget']
  /** The client's own worker runs the tools. */
  selfHosted: boolean
  usage: SessionUsage
  overBudget: boolean
  /** When the vendor last answered any session of this process. */
  answeredMs: number | null
  /** The context window of the model. */
  contextTokens: number
  limits: Pick<BrainLimits, 'toolUses'>
}

/** Compaction starts before the window is full, because the answer must fit as well. */
const COMPACT_AT = 0.8
const COMPACTIONS = 3
/** A request that kills its process this often is not retried any more. */
const DEATHS = 20

/**
 * Decides the next step from the log alone, so that any brain can continue exactly where another
 * stopped.
 */
export const decideNext = (view: LogView, now: Circumstances): Step => {
  if (view.status === 'terminated') return rest(view)
  if (view.interrupts.size > 0) return interrupt(view)
  if (view.asking !== null)
    return append(view, [unansweredEvent(view.asking.id, 'died', estimateOf(view.asking))])
  const { retryAtMs } = view
  const isWaiting =
    retryAtMs !== null && isPending(retryAtMs, now.nowMs, LONGEST_WAKE_MS) && !isBack(view, now)
  if (view.status === 'rescheduling' && isWaiting) return { type: 'wait', untilMs: retryAtMs }
  return goOnWithTools(view, now) ?? goOnWithModel(view, now)
}

/** The vendor answered another session since this one began to wait. */
const isBack = ({ waitsSinceMs }: LogView, { answeredMs }: Circumstances): boolean =>
  waitsSinceMs !== null && answeredMs !== null && answeredMs > waitsSinceMs

/** It is unknown how far the vendor got, so the input counts. */
const estimateOf = ({ estimate }: NonNullable<LogView['asking']>): UnansweredBill | undefined =>
  estimate === undefined ? undefined : { bill: estimate, isEstimated: true }

/**
 * Ends the turn without showing the interrupt to the model; without a turn there is nothing to end.
 */
const interrupt = (view: LogView): Step => {
  const processed = [...view.interrupts.keys(), ...view.confirmations]
  if (!isTurnOpen(view)) return { type: 'append', events: [], processed }
  const events: NewEvent[] = []
  if (view.asking !== null)
    events.push(unansweredEvent(view.asking.id, 'interrupted', estimateOf(view.asking)))
  events.push(...openUses(view).map(giveUpEvent), ...stopJudging(view))
  const interrupted = [...view.interrupts.values()].every(Boolean) ? 'thread' : 'session'
  events.push({ ...idleEvent({ type: 'end_turn' }), hidden: { interrupted } })
  return { type: 'append', events, processed }
}

const isTurnOpen = ({ status, stopReason, owesAnswer }: LogView): boolean => {
  if (status !== 'idle') return true
  if (stopReason?.type === 'requires_action') return true
  return stopReason?.type === 'budget_reached' && owesAnswer
}

const stopJudging = (view: LogView): NewEvent[] =>
  [...view.outcomes.values()].flatMap(({ id, evaluating, iteration }) =>
    evaluating === null
      ? []
      : [
          {
            type: 'span.outcome_evaluation_end',
            body: {
              outcome_evaluation_start_id: evaluating,
              outcome_id: id,
              iteration,
              result: 'interrupted',
              explanation: 'The turn was interrupted.',
              usage: unansweredEvent(evaluating, 'interrupted').body?.model_usage,
            },
          },
        ],
  )

const goOnWithTools = (view: LogView, now: Circumstances): Step | undefined => {
  const open = openUses(view)
  const pending = open.filter((use) => awaitsClient(use, now))
  const asksAgain = view.status === 'idle' && view.stopReason?.type === 'requires_action'
  const isAsked = view.answerSeq < view.statusSeq && isTold(view, askedOf(view, pending))
  if (asksAgain && open.length > 0 && isAsked) return rest(view)
  if (asksAgain && pending.length > 0) return append(view, [requiresAction(view, pending)])

  const settled = open.flatMap(settleWithoutRunning)
  if (settled.length > 0) return append(view, [...startIfNeeded(view), ...settled])
  const use = open.find((candidate) => !pending.includes(candidate))
  if (use !== undefined) {
    if (delegates(use))
      return { type: 'delegate', use, starts: needsStart(view), processed: [...view.confirmations] }
    const mark = !onlyLooks(use)
    return { type: 'run', use, mark, starts: needsStart(view), processed: [...view.confirmations] }
  }
  return pending.length > 0 ? append(view, [requiresAction(view, pending)]) : undefined
}

const openUses = (view: LogView): ToolUse[] => view.uses.filter(({ result }) => result === null)

const isDenied = ({ permission, confirmed }: ToolUse): boolean =>
  permission === 'deny' || confirmed === 'deny'

/** Whether only the client can advance this call. */
const awaitsClient = (use: ToolUse, { selfHosted }: Circumstances): boolean => {
  if (use.kind === 'custom') return true
  if (isDenied(use)) return false
  if (use.permission === 'ask' && use.confirmed === null) return true
  return selfHosted && !runsOnServer(use)
}

/** The result of a call that will not run: refused, or started by a process that died. */
const settleWithoutRunning = (use: ToolUse): NewEvent[] => {
  if (use.unknown) return [toolErrorEvent(use, `There is no tool named ${use.name}.`)]
  if (use.confirmed === 'deny')
    return [toolErrorEvent(use, use.denyMessage || 'The person did not allow this call.')]
  if (use.permission === 'deny')
    return [toolErrorEvent(use, 'This call was not allowed: it was judged too dangerous.')]
  if (use.started && !onlyLooks(use))
    return [
      toolErrorEvent(
        use,
        'The server stopped while this call ran. It may have had effects: look before you repeat it.',
      ),
    ]
  return []
}

const goOnWithModel = (view: LogView, now: Circumstances): Step => {
  const starters = [...view.waiting.values()].filter(({ type }) => type !== 'system.message')
  if (!view.owesAnswer && starters.length === 0) return endTurn(view, now)
  if (now.overBudget) return stopForBudget(view, now)
  const givenUp = findGiveUp(view, now)
  if (givenUp !== undefined) return giveUpTurn(view, now, givenUp)
  const starts = needsStart(view)
  const processed = [...view.confirmations]
  if (view.tooLong || view.windowTokens > now.contextTokens * COMPACT_AT)
    return { type: 'ask', purpose: 'compaction', starts, processed }
  const taken = view.repeats && view.owesAnswer ? [] : [...view.waiting.values()]
  return { type: 'ask', purpose: 'turn', starts, taken, processed }
}

const endTurn = (view: LogView, now: Circumstances): Step => {
  const threads = waitForThreads(view, now)
  if (threads !== undefined) return threads
  if (view.status === 'idle') return rest(view)
  if (view.lastStop === 'refusal')
    return append(view, [
      ...usageEvents(now),
      idleEvent({ type: 'refusal' }, refusalDetails(view.refusal)),
    ])
  const outcome = [...view.outcomes.values()].find(({ overMs }) => overMs === null)
  if (outcome === undefined)
    return append(view, [...usageEvents(now), idleEvent({ type: 'end_turn' })])
  if (outcome.evaluating === null)
    return append(view, [
      {
        type: 'span.outcome_evaluation_start',
        body: { outcome_id: outcome.id, iteration: outcome.iteration },
      },
    ])
  if (now.overBudget) return stopForBudget(view, now)
  const starts = needsStart(view)
  return { type: 'ask', purpose: 'judgement', outcome, starts, processed: [...view.confirmations] }
}

/** The session goes on as long as one of its threads does. */
const waitForThreads = (view: LogView, now: Circumstances): Step | undefined => {
  if (isAnyBusy(view)) {
    if (view.waitsForThreads || (view.status === 'idle' && now.overBudget)) return rest(view)
    return append(view, [...startIfNeeded(view), WAITS_FOR_THREADS])
  }
  if (asksOfThreads(view).length > 0) {
    return isTold(view, askedOf(view, []))
      ? rest(view)
      : append(view, [...usageEvents(now), requiresAction(view, [])])
  }
  if (isAnyPaused(view) && view.status !== 'idle') return stopForBudget(view, now)
  return undefined
}

const stopForBudget = (view: LogView, now: Circumstances): Step => {
  if (view.status === 'idle' && view.stopReason?.type === 'budget_reached') return rest(view)
  return append(view, [...usageEvents(now), idleEvent({ type: 'budget_reached' })])
}

/** Clients with a budget need its current state. */
const usageEvents = ({ budget, usage }: Circumstances): NewEvent[] =>
  budget === null ? [] : [{ type: 'session.usage', body: { usage, budget } }]

const findGiveUp = (view: LogView, { limits }: Circumstances): SessionError | undefined => {
  const retry_status = { type: 'exhausted' } as const
  if (view.turnToolUses >= limits.toolUses)
    return {
      type: 'tool_use_limit_reached_error',
      message: `the turn used ${view.turnToolUses} tool calls; the limit is ${limits.toolUses}`,
      retry_status,
    }
  if (view.tooLong && view.compactions >= COMPACTIONS)
    return {
      type: 'compaction_limit_reached_error',
      message: `the conversation is too long for the model, also after ${view.compactions} summaries`,
      retry_status,
    }
  if (view.deaths >= DEATHS)
    return {
      type: 'unknown_error',
      message: `the server stopped ${view.deaths} times in a row while the model was asked`,
      retry_status,
    }
  return undefined
}

/** Waiting input is discarded with the turn, so that the next message starts a new turn. */
export const giveUpTurn = (view: LogView, now: Circumstances, error: SessionError): AppendStep => {
  const waiting = [...view.waiting.keys()]
  const events = [
    ...startIfNeeded(view),
    errorEvent(error),
    ...discardEvents(waiting),
    ...usageEvents(now),
    idleEvent({ type: 'retries_exhausted' }),
  ]
  return { type: 'append', events, processed: [...view.confirmations, ...waiting] }
}

/** Names the calls of all threads that wait for the client. */
const requiresAction = (view: LogView, uses: readonly ToolUse[]): NewEvent =>
  idleEvent({ type: 'requires_action', event_ids: askedOf(view, uses) })

const askedOf = (view: LogView, uses: readonly ToolUse[]): string[] => [
  ...uses.map(({ id }) => id),
  ...asksOfThreads(view),
]

/** Whether the client was told to answer exactly these calls. */
const isTold = ({ status, stopReason }: LogView, ids: readonly string[]): boolean =>
  status === 'idle' &&
  stopReason?.type === 'requires_action' &&
  stopReason.event_ids.join() === ids.join()

const needsStart = ({ status }: LogView): boolean => status !== 'running'
const startIfNeeded = (view: LogView): NewEvent[] => (needsStart(view) ? [RUNNING] : [])

const append = (view: LogView, events: readonly NewEvent[]): AppendStep => ({
  type: 'append',
  events,
  processed: [...view.confirmations],
})

const rest = (view: LogView): Step =>
  view.confirmations.size > 0 ? append(view, []) : { type: 'rest' }

/** Why a model refused, for clients; categories unknown to them are left out. */
const refusalDetails = (
  refusal: { category: string | null; explanation: string | null } | null,
): StopDetails => ({
  type: 'refusal',
  category: REFUSAL_CATEGORIES.find((known) => known === refusal?.category) ?? null,
  explanation: refusal?.explanation ?? null,
})
