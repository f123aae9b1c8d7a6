import { type OutcomeEvaluation, toStewardError } from '@steward/contract'
import { once } from '@steward/platform'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { type Lease, releaseLease } from '../log/lease.ts'
import { findSession, rootOf, writeSessionBody } from '../log/stored-session.ts'
import { askModel } from './ask-model.ts'
import type { BrainLimits, BrainPorts, WakeEnd } from './brain.ts'
import { claimSession } from './claim-session.ts'
import { isOverBudget, usageOfSession } from './cost/session-cost.ts'
import { type Circumstances, decideNext } from './decide-next.ts'
import { holdLease } from './hold-lease.ts'
import { createInFlight } from './in-flight.ts'
import type { KeptViews } from './kept-views.ts'
import type { LogView } from './log-view.ts'
import { openSessionMcp } from './mcp/session-mcp.ts'
import { contextTokensOf } from './models/model-traits.ts'
import { runTool } from './run-tool.ts'
import { isTurnEnd } from './step-events.ts'
import { delegate } from './threads/delegate.ts'
import type { VendorState } from './vendor-state.ts'
import { type WorkedSession, workOn } from './worked-session.ts'

export interface WakePorts extends BrainPorts {
  owner: string
  leaseMs: number
  limits: BrainLimits
  views: KeptViews
  vendor: VendorState
  /** Aborts all work immediately. */
  abandon: AbortSignal
  /** Asked between steps: whether to stop now. */
  isStopping: () => boolean
}

/** How long a session rests after an internal error. */
const FAILED_AGAIN_MS = 30_000

type Release = Parameters<typeof releaseLease>[1]

/** Takes a session as far as it can go, from its log alone. */
export const wake = async (sessionId: string, ports: WakePorts): Promise<WakeEnd> => {
  const { database, now, owner, leaseMs } = ports
  const lease = await database.write(() =>
    claimSession(sessionId, { owner, nowMs: now(), ttlMs: leaseMs }),
  )
  if (lease === undefined) {
    const session = await database.read(() => findSession(sessionId))
    return session === undefined || session.archivedMs !== null ? 'gone' : 'taken'
  }
  const held = holdLease(lease, leaseMs, ports)
  const release = async (next: Release): Promise<void> => {
    await held.letGo()
    await database.write(() => releaseLease(lease, next))
  }
  const signal = AbortSignal.any([held.signal, ports.abandon])
  try {
    const session = await workOn(database, lease, now, ports.views.take(lease))
    const end = await goOn(session, signal, ports)
    await release(end.release)
    ports.views.keep(lease, session.view)
    return end.type
  } catch (thrown) {
    return await endBadly(thrown, lease, release, ports)
  } finally {
    await held.letGo()
  }
}

const endBadly = async (
  thrown: unknown,
  { sessionId }: Lease,
  release: (next: Release) => Promise<void>,
  { abandon, report, now }: WakePorts,
): Promise<WakeEnd> => {
  const error = toStewardError(thrown)
  if (error.code === 'hosted_lease_lost') return 'taken'
  if (error.code === 'hosted_not_found') return 'gone'
  if (abandon.aborted) {
    await release({ type: 'again', atMs: null })
    return 'stopped'
  }
  report(error, sessionId)
  await release({ type: 'again', atMs: now() + FAILED_AGAIN_MS })
  return 'failed'
}

interface End {
  type: WakeEnd
  release: Release
}

const goOn = async (
  session: WorkedSession,
  signal: AbortSignal,
  ports: WakePorts,
): Promise<End> => {
  const { database, limits, now } = ports
  const inFlight = createInFlight(database, session.id, signal)
  const openHands = once(async () => {
    try {
      return await ports.openHands(session.id)
    } catch (thrown) {
      throw toStewardError(thrown)
    }
  })
  const mcp = openSessionMcp(session, { ...ports, inFlight })
  const circumstances = (): Circumstances => ({
    ...circumstancesOf(session, now(), limits, modelOf(session, ports)),
    answeredMs: ports.vendor.answeredMs(),
  })
  try {
    for (;;) {
      signal.throwIfAborted()
      if (session.row().archivedMs !== null)
        return { type: 'gone', release: { type: 'sleep', seenSeq: session.view.seq } }
      await showOutcomes(session, database, now())
      const step = decideNext(session.view, circumstances())
      if (step.type === 'rest')
        return { type: 'rests', release: { type: 'sleep', seenSeq: session.view.seq } }
      if (step.type === 'wait')
        return { type: 'waits', release: { type: 'again', atMs: step.untilMs } }
      if (ports.isStopping()) return { type: 'stopped', release: { type: 'again', atMs: null } }
      const closedUntilMs =
        step.type === 'ask' ? await ports.vendor.closedUntilMs(modelOf(session, ports)) : null
      if (closedUntilMs !== null)
        return { type: 'waits', release: { type: 'again', atMs: closedUntilMs } }
      if (step.type === 'append') {
        // The end of a turn is written after its files, so that readers on other machines find them.
        if (step.events.some(isTurnEnd)) await ports.hands.save(rootOf(session.row()))
        await session.append(step.events, step.processed)
      } else if (step.type === 'delegate') await delegate(step, session, now)
      else if (await mcp.prepare(step)) continue
      else if (step.type === 'ask')
        await askModel(step, session, circumstances, { ...ports, inFlight, mcp })
      else await runTool(step, session, { ...ports, inFlight, openHands, mcp })
    }
  } finally {
    await mcp.close()
  }
}

/** The name of the model that answers the session. */
const modelOf = (
  { row }: WorkedSession,
  { replaceModel }: Pick<WakePorts, 'replaceModel'>,
): string => replaceModel(row().body.agent.model.id)

const circumstancesOf = (
  { row, root }: WorkedSession,
  nowMs: number,
  limits: BrainLimits,
  model: string,
): Omit<Circumstances, 'answeredMs'> => {
  // Threads share the budget of their session.
  const { body, summary } = root()
  return {
    nowMs,
    agent: row().body.agent,
    budget: body.budget,
    selfHosted: body.environment.type === 'self_hosted',
    usage: usageOfSession(summary, nowMs),
    overBudget: isOverBudget(summary, body.budget, nowMs),
    contextTokens: limits.contextTokens ?? contextTokensOf(model),
    limits,
  }
}

/**
 * Synchronises the displayed outcomes of a session with its log. Done at every look, so that a
 * crash in between only delays it.
 */
const showOutcomes = async (
  { id, view, row }: WorkedSession,
  database: HostedDatabase,
  nowMs: number,
): Promise<void> => {
  const behind = row().body.outcome_evaluations.some((shown) => isBehind(shown, view))
  if (!behind) return
  await database.write(function* () {
    const session = yield* findSession(id, 'hold')
    if (session === undefined) return
    const { body } = session
    const outcome_evaluations = body.outcome_evaluations.map((shown) => inStep(shown, view))
    yield* writeSessionBody(id, { ...body, outcome_evaluations }, nowMs)
  })
}

const isBehind = (shown: OutcomeEvaluation, view: LogView): boolean => {
  const { result, iteration } = inStep(shown, view)
  return shown.result !== result || shown.iteration !== iteration
}

const inStep = (shown: OutcomeEvaluation, view: LogView): OutcomeEvaluation => {
  const state = view.outcomes.get(shown.outcome_id)
  if (state === undefined) return shown
  const { result, explanation, iteration, overMs } = state
  const completed_at = overMs === null ? null : new Date(overMs).toISOString()
  return { ...shown, result, explanation, iteration, completed_at }
}
