import { LIMITS, type ObserverPolicy, type StewardEvent, type WorkEntry } from '@steward/contract'
import type { ReadCall } from './evidence.ts'
import { readEvidence } from './read-evidence.ts'

/** Why a session should not be observed. Spec 3, Observer team, rule 6. */
export interface Objection {
  rule: 'interactive' | 'time-sensitive' | 'short' | 'read-only' | 'preflight'
  reason: string
}

export interface ObservedPast {
  /** Rows of the session that were read. */
  events: readonly StewardEvent[]
  entry?: Pick<WorkEntry, 'effort' | 'task' | 'intent'>
  policy: ObserverPolicy
  readCall: ReadCall
  now: number
}

const RECENTLY_MS = 15 * 60_000
const PROMPTS_OF_A_CONVERSATION = 2
const URGENT =
  /\b(asap|urgent(ly)?|immediately|right now|hurry|time[- ]critical|emergency|outage)\b/i
/** Efforts of longer tasks, in both scales. */
const LONG_EFFORT = /^(extended|advanced|deep|comprehensive|e[2-5])$/i
const CHANGES: ReadonlySet<string> = new Set(['write', 'delete', 'send', 'privilege'])

/** All objections that the log and the work state show. */
export const findObjections = (past: ObservedPast): Objection[] =>
  [findInteractive, findUrgent, findShort, findReadOnly, findPreflight].flatMap((find) => {
    const found = find(past)
    return found === undefined ? [] : [found]
  })

type Find = (past: ObservedPast) => Objection | undefined

const findInteractive: Find = ({ events, now }) => {
  const prompts = events.filter(
    ({ type, timestamp }) => type === 'user_prompt' && now - Date.parse(timestamp) < RECENTLY_MS,
  )
  if (prompts.length < PROMPTS_OF_A_CONVERSATION) return undefined
  const reason = `the user wrote ${prompts.length} prompts in the last 15 minutes and is watching`
  return { rule: 'interactive', reason }
}

const findUrgent: Find = ({ policy, entry, events }) => {
  if (policy.timeSensitive) {
    return { rule: 'time-sensitive', reason: 'the policy says timeSensitive: true' }
  }
  const prompt = events.find(({ type }) => type === 'user_prompt')?.prompt
  const texts = [policy.intent, entry?.intent, entry?.task, prompt]
  const found = texts.flatMap((text) => (typeof text === 'string' ? (URGENT.exec(text) ?? []) : []))
  const [word] = found
  if (word === undefined) return undefined
  return { rule: 'time-sensitive', reason: `its task is urgent ("${word}")` }
}

const countCalls = (events: readonly StewardEvent[]): number =>
  events.filter(({ type }) => type === 'tool_use').length

const findShort: Find = ({ events, entry }) => {
  const calls = countCalls(events)
  if (calls >= LIMITS.observerToolCalls || LONG_EFFORT.test(entry?.effort ?? '')) return undefined
  const reason = `it has made ${calls} tool calls, fewer than ${LIMITS.observerToolCalls}, and no effort above Standard is stated`
  return { rule: 'short', reason }
}

const findReadOnly: Find = ({ events, policy, readCall }) => {
  const expects = policy.expectedEffects.some((effect) => CHANGES.has(effect))
  if (expects || countCalls(events) < LIMITS.observerToolCalls) return undefined
  if (listChanges(events, readCall).length > 0) return undefined
  return { rule: 'read-only', reason: 'so far it has only read; there is nothing to undo' }
}

const findPreflight: Find = ({ events, readCall }) => {
  const changes = listChanges(events, readCall)
  const asked = new Map<string, number>()
  for (const { type, tool_name: tool } of events) {
    if (type !== 'permission_request' || typeof tool !== 'string') continue
    asked.set(tool, (asked.get(tool) ?? 0) + 1)
  }
  for (const tool of changes) asked.set(tool, (asked.get(tool) ?? 0) - 1)
  if (changes.length === 0 || [...asked.values()].some((left) => left < 0)) return undefined
  const reason = `each of its ${changes.length} changes was approved before it was made`
  return { rule: 'preflight', reason }
}

/** The tools of calls that changed something. */
const listChanges = (events: readonly StewardEvent[], readCall: ReadCall): string[] =>
  events.flatMap((event, n) => {
    const evidence = readEvidence(event, n, readCall)
    const isChange = evidence?.effects.some(({ kind }) => CHANGES.has(kind)) ?? false
    return isChange && evidence !== undefined ? [evidence.tool] : []
  })
