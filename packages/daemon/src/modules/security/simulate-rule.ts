import { createBreather } from '@steward/assistants'
import type { API, PolicyEdit, RouteAnswer } from '@steward/contract'
import type { Home } from '@steward/platform'
import type { Policy } from '@steward/policy'
import { judgeLoggedCall } from '../../observing/judge-logged-call.ts'
import { type DatedCall, readLoggedCalls } from './read-logged-calls.ts'

type Answer = RouteAnswer<typeof API.simulateSecurity>

interface SimulationPlace {
  home: Pick<Home, 'root'>
  nowMs: number
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** Masks known values of secrets. */
  clean: (text: string) => string
}

const DAYS = 30
const DAY_MS = 86_400_000
const MOST_CALLS = 5000
const SHOWN_CALLS = 20

/** Judges the recorded tool calls of the last 30 days by the policy before and after a change. */
export const simulateRule = async (
  change: PolicyEdit,
  policies: { before: Policy; after: Policy },
  { home, nowMs, signal, clean }: SimulationPlace,
): Promise<Answer> => {
  const answerOthers = createBreather()
  const breathe = async (): Promise<void> => {
    await answerOthers()
    signal.throwIfAborted()
  }
  const sinceMs = nowMs - DAYS * DAY_MS
  const { calls, isCut } = await readLoggedCalls(home, { sinceMs, most: MOST_CALLS, breathe })
  const rule = ruleOf(change)
  const changed: Answer['changed'] = { deny: 0, ask: 0, alert: 0, pass: 0 }
  const latest: Answer['latest'] = []
  let [matches, shadowed] = [0, 0]
  for (const call of calls) {
    await breathe()
    const after = judgeLoggedCall(call, policies.after)
    const before = judgeLoggedCall(call, policies.before)
    const isLogged = (after.shadowed ?? []).some((each) => each.rule === rule)
    const isChanged = after.verdict !== before.verdict
    if (!isLogged && !isChanged && after.rule !== rule) continue
    matches += 1
    if (isLogged) shadowed += 1
    if (isChanged) changed[after.verdict] += 1
    if (latest.length >= SHOWN_CALLS) continue
    const { timestamp, session_id, host } = call.event
    latest.push({
      timestamp,
      session_id,
      host: typeof host === 'string' ? host : '',
      tool: call.tool,
      command: clean(subjectOf(call)),
      before: before.verdict,
      after: after.verdict,
      shadow: isLogged,
    })
  }
  return { days: DAYS, calls: calls.length, isCut, matches, changed, shadowed, latest }
}

/** Failed calls are recorded with a preview of their input as JSON. */
const subjectOf = ({ input, subject }: DatedCall): string =>
  [input.command, input.file_path].find((each) => typeof each === 'string') ?? subject

/** The rule that a change adds or edits, as judgements name it. */
const ruleOf = (change: PolicyEdit): string | undefined => {
  if (change.action === 'add_pattern' || change.action === 'edit_pattern') {
    return change.pattern && `bash.${change.section}: ${change.pattern}`
  }
  if (change.action === 'add_path' || change.action === 'edit_path') {
    return `paths.${change.tier}: ${change.path}`
  }
  return change.action === 'set_shadow' ? change.rule : undefined
}
