import type { SecurityEvent, Verdict } from '@steward/contract'

interface VerdictWords {
  tone: 'bad' | 'warn' | 'info' | 'good'
  /** In the past tense. */
  done: string
  /** In the conditional. */
  would: string
}

/** A verdict in the words of the page. */
export const VERDICT_WORDS: Readonly<Record<Verdict, VerdictWords>> = {
  deny: { tone: 'bad', done: 'blocked', would: 'would be blocked' },
  ask: { tone: 'warn', done: 'asked', would: 'would ask you first' },
  alert: { tone: 'info', done: 'watched', would: 'would be allowed and logged' },
  pass: { tone: 'good', done: 'passed', would: 'would pass' },
}

/** The address where a rule can be seen and edited. */
export const hrefOfRule = (rule: string): string => `/security?${new URLSearchParams({ rule })}`

/** The address for judging the same input again. */
export const hrefOfTry = ({ tool, target }: Pick<SecurityEvent, 'tool' | 'target'>): string => {
  const query = { tab: 'try', input: target }
  if (tool === 'prompt') return toTry({ ...query, kind: 'prompt' })
  if (/^read$/i.test(tool)) return toTry({ ...query, kind: 'path' })
  if (/^(write|edit|multiedit|notebookedit)$/i.test(tool)) {
    return toTry({ ...query, kind: 'path', effect: 'write' })
  }
  return toTry({ ...query, kind: 'command' })
}

const toTry = (query: Record<string, string>): string => `/security?${new URLSearchParams(query)}`

/** Policy changes are rows of the same log. */
export const isPolicyChange = ({ rule }: Pick<SecurityEvent, 'rule'>): boolean =>
  rule === 'builtin:policy-change'

export interface EventFilter {
  verdict?: string | undefined
  tool?: string | undefined
  rule?: string | undefined
}

/** `changes`: of the policy. `shadow`: matches of rules in shadow mode. */
export const filterEvents = (
  events: readonly SecurityEvent[],
  { verdict, tool, rule }: EventFilter,
): SecurityEvent[] =>
  events.filter(
    (event) =>
      (verdict === undefined || fitsVerdict(event, verdict)) &&
      (tool === undefined || event.tool === tool) &&
      (rule === undefined || event.rule === rule),
  )

const fitsVerdict = (event: SecurityEvent, verdict: string): boolean => {
  if (verdict === 'changes') return isPolicyChange(event)
  if (verdict === 'shadow') return event.shadow
  return event.verdict === verdict && !event.shadow && !isPolicyChange(event)
}

/** Appends a later page to the first, which may have changed meanwhile. */
export const joinPages = (
  newest: readonly SecurityEvent[],
  older: readonly SecurityEvent[],
): SecurityEvent[] => {
  const ids = new Set(newest.map(({ id }) => id))
  return [...newest, ...older.filter(({ id }) => !ids.has(id))]
}

const CHANGES: Readonly<Record<string, string>> = {
  add_pattern: 'a pattern was added',
  edit_pattern: 'a pattern was edited',
  remove_pattern: 'a pattern was removed',
  add_path: 'a path was added',
  edit_path: 'a path was edited',
  remove_path: 'a path was removed',
  set_shadow: 'shadow was switched',
  save_rules: 'the rules were saved',
  undo: 'a change was undone',
}

/** The reason of an event, in words. */
export const describeReason = (event: Pick<SecurityEvent, 'rule' | 'reason'>): string =>
  isPolicyChange(event) && Object.hasOwn(CHANGES, event.reason)
    ? (CHANGES[event.reason] ?? event.reason)
    : event.reason
