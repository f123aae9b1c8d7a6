import {
  LIMITS,
  OBSERVERS,
  type ObserverName,
  type ObserverPolicy,
  type ObserverVerdict,
  type ObserverVote,
  type StewardEvent,
} from '@steward/contract'
import { combineVotes, EMPTY_SEAT, type Seat } from './combine-votes.ts'
import { describeCost, mayAsk, NOTHING_SPENT, spend } from './cost.ts'
import { decide } from './decide.ts'
import type { Evidence, ReadCall } from './evidence.ts'
import { type Intent, NO_INTENT } from './intent.ts'
import { type AskModel, askModel } from './model/ask-model.ts'
import { chooseRows } from './model/choose-rows.ts'
import { readEvidence } from './read-evidence.ts'
import type { RuleContext } from './rules/finding.ts'
import { judgeByRules } from './rules/judge-by-rules.ts'
import { addConcerns, addRows, describeFacts, NO_FACTS } from './session-facts.ts'

export interface ObserverTeamPorts {
  sessionId: string
  now: () => number
  policy: ObserverPolicy
  /** Defaults to the first prompt in the log. */
  intent?: Intent
  readCall: ReadCall
  /** The user's home directory, for `~`. */
  home: string
  /** Files that control the oversight of the session. */
  oversight: readonly string[]
  /** Without it only the rules vote. */
  model?: { ask: AskModel; fence: string; usdPerHour?: number }
}

/** Three observers of one session. */
export interface ObserverTeam {
  /** Adds rows of the audit log; rows of other sessions are ignored. */
  see: (events: readonly StewardEvent[]) => void
  /** How long until the next vote is due. */
  dueInMs: () => number
  /** Votes on rows since the last cycle; undefined without new rows. Cycles never overlap. */
  vote: () => Promise<ObserverVerdict | undefined>
  /** The log says that the session is over. */
  isOver: () => boolean
  intent: () => Intent
}

export const createObserverTeam = (ports: ObserverTeamPorts): ObserverTeam => {
  const { sessionId, now, policy, readCall, home, oversight, model } = ports
  const seats = new Map<ObserverName, Seat>(OBSERVERS.map((name) => [name, EMPTY_SEAT]))
  /** Rows that an observer's model has not judged, because it gave no vote. */
  const owed = new Map<ObserverName, readonly Evidence[]>()
  const beganAt = now()
  let intent = ports.intent ?? NO_INTENT
  let facts = NO_FACTS
  let spending = NOTHING_SPENT
  let fresh: Evidence[] = []
  let [rowNumber, cycle, slot, isOver] = [0, 0, 0, false]

  const seeRow = (event: StewardEvent): void => {
    isOver = event.type === 'session_end'
    if (event.type === 'user_prompt' && intent.source === 'unknown') {
      const text = typeof event.prompt === 'string' ? event.prompt : ''
      intent = { text, source: 'first prompt' }
    }
    if (event.type === 'permission_request' && typeof event.tool_name === 'string') {
      facts = { ...facts, asked: [...new Set([...facts.asked, event.tool_name])] }
    }
    const evidence = readEvidence(event, rowNumber + 1, readCall, home)
    if (evidence === undefined) return
    rowNumber++
    fresh.push(evidence)
  }

  /** The vote of one observer, and its cost. */
  const askSeat = async (
    observer: ObserverName,
    rows: readonly Evidence[],
    context: RuleContext,
  ): Promise<{ vote: ObserverVote; cost: number | null }> => {
    const rules = judgeByRules(observer, rows, context)
    const seat = seats.get(observer) ?? EMPTY_SEAT
    if (model === undefined) return { vote: rules, cost: 0 }
    if (seat.haltedBy !== undefined) return { vote: { ...rules, halted: true }, cost: 0 }
    if (!mayAsk(spending, model.usdPerHour ?? LIMITS.observerUsdPerHour)) {
      const problem = 'the hourly model budget is used up; the rules vote'
      return { vote: { ...rules, problem }, cost: 0 }
    }
    const all = [...(owed.get(observer) ?? []), ...rows]
    const { shown, left } = chooseRows(all)
    const startedAt = now()
    const summary = describeFacts(context.facts)
    const { fence } = model
    const question = { observer, policy, intent, summary, rows: shown, left, fence, details: [] }
    const asked = await askModel(question, all, model.ask)
    const combined = combineVotes(rules, asked, seat)
    seats.set(observer, combined.seat)
    owed.set(observer, asked.answer.kind === 'rejected' ? shown : [])
    const latency = { latency_ms: Math.max(0, now() - startedAt) }
    return { vote: { ...combined.vote, ...latency }, cost: asked.cost }
  }

  const voteOn = async (rows: readonly Evidence[]): Promise<ObserverVerdict> => {
    const startedAt = now()
    const context: RuleContext = { policy, intent, facts, home, oversight }
    const known = [...[...owed.values()].flat(), ...rows]
    const cast = await Promise.all(OBSERVERS.map((name) => askSeat(name, rows, context)))
    const votes = cast.map(({ vote }) => vote)
    const cycleUsd = cast.reduce<number | null>(
      (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
      0,
    )
    spending = spend(spending, cycleUsd)
    const decision = decide(votes)
    const raised = votes.filter(({ vote }) => vote !== 'continue')
    facts = addConcerns(
      addRows(facts, rows),
      raised.map(({ observer, vote, rule }) => `${observer} ${vote}${rule ? ` (${rule})` : ''}`),
    )
    cycle++
    const cited = new Set(votes.flatMap(({ evidence }) => evidence))
    return {
      timestamp: new Date(now()).toISOString(),
      session_id: sessionId,
      cycle,
      ...decision,
      votes,
      evidence: [...new Map(known.map((row) => [row.id, row])).values()]
        .filter(({ id }) => cited.has(id))
        .map(describeRow),
      rows: rows.length,
      duration_ms: Math.max(0, now() - startedAt),
      cost: describeCost(spending, cycleUsd),
    }
  }

  return {
    see: (events) => {
      for (const event of events) if (event.session_id === sessionId) seeRow(event)
    },
    dueInMs: () => {
      const leftMs = beganAt + (slot + 1) * LIMITS.observerCycleMs - now()
      // If the clock was set back, the next vote is still at most one cycle away.
      return Math.min(LIMITS.observerCycleMs, Math.max(0, leftMs))
    },
    vote: async () => {
      // Cycles missed during a long vote are skipped.
      slot = Math.max(slot + 1, Math.floor((now() - beganAt) / LIMITS.observerCycleMs))
      const rows = fresh
      fresh = []
      return rows.length === 0 ? undefined : voteOn(rows)
    },
    isOver: () => isOver,
    intent: () => intent,
  }
}

const describeRow = ({ id, timestamp, tool, toolUseId, summary }: Evidence) => ({
  row: id,
  timestamp,
  tool,
  ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
  summary,
})
