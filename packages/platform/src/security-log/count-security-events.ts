import { statSync } from 'node:fs'
import type { SecurityEvent, Verdict } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { readSecurityFile } from './read-security-events.ts'
import { listSecurityFiles, type SecurityHome, type SecurityLogFile } from './security-log-files.ts'

/** How often a rule matched. */
export interface RuleCount {
  rule: string
  verdict: Verdict
  /** The rule is in shadow mode: it was logged but not enforced. */
  shadow: boolean
  last7Days: number
  last30Days: number
  lastAt: string
}

export interface SecurityCounts {
  blocks: number
  confirms: number
  alerts: number
  injections: number
  shadowed: number
  total: number
  byRule: RuleCount[]
}

const DAY_MS = 86_400_000
type Sums = Omit<SecurityCounts, 'byRule' | 'total'>

/** Identical events of one file, and their times. */
interface Group extends Pick<SecurityEvent, 'rule' | 'verdict' | 'shadow'> {
  sum: keyof Sums | undefined
  timesMs: number[]
}

/** Counts guard events of the last 30 days. A file is reread only if it changed. */
export const createSecurityCounter = (home: SecurityHome) => {
  const known = new Map<string, { stamp: string; groups: Group[] }>()

  const groupsOf = async (file: SecurityLogFile): Promise<Group[]> => {
    const stamp = stampOf(file.path)
    const before = known.get(file.name)
    if (before?.stamp === stamp) return before.groups
    const groups = groupEvents(await readSecurityFile(file))
    known.set(file.name, { stamp, groups })
    return groups
  }

  return async (nowMs: number, redactor: Pick<Redactor, 'redactText'>): Promise<SecurityCounts> => {
    const since = nowMs - 30 * DAY_MS
    const firstMonth = new Date(since).toISOString().slice(0, 7).replace('-', '/')
    const files = listSecurityFiles(home).filter(({ name }) => name >= firstMonth)
    for (const name of known.keys()) {
      if (!files.some((file) => file.name === name)) known.delete(name)
    }
    const counts = createCounts(nowMs)
    for (const file of files) for (const group of await groupsOf(file)) counts.add(group)
    return counts.result((rule) => redactor.redactText(rule).value)
  }
}

const keyOf = ({ rule, verdict, shadow }: Pick<Group, 'rule' | 'verdict' | 'shadow'>): string =>
  `${shadow} ${verdict} ${rule}`

const groupEvents = (events: readonly SecurityEvent[]): Group[] => {
  const groups = new Map<string, Group>()
  for (const event of events) {
    const { rule, verdict, shadow, timestamp } = event
    const atMs = Date.parse(timestamp)
    if (Number.isNaN(atMs)) continue
    const sum = sumOf(event)
    const key = `${sum} ${keyOf(event)}`
    const group = groups.get(key) ?? { rule, verdict, shadow, sum, timesMs: [] }
    group.timesMs.push(atMs)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const SUM_OF: Readonly<Record<Verdict, keyof Sums | undefined>> = {
  deny: 'blocks',
  ask: 'confirms',
  alert: 'alerts',
  pass: undefined,
}

const sumOf = ({ shadow, event_type, rule, verdict }: SecurityEvent): keyof Sums | undefined => {
  if (shadow) return 'shadowed'
  const isPrompt = /^injection(?:_detected)?$/.test(event_type) || rule.startsWith('prompt.')
  return isPrompt ? 'injections' : SUM_OF[verdict]
}

const createCounts = (nowMs: number) => {
  const sums: Sums = { blocks: 0, confirms: 0, alerts: 0, injections: 0, shadowed: 0 }
  const byRule = new Map<string, Omit<RuleCount, 'lastAt'> & { lastMs: number }>()
  let total = 0
  return {
    add: (group: Group): void => {
      const month = group.timesMs.filter((atMs) => atMs >= nowMs - 30 * DAY_MS)
      if (month.length === 0) return
      const { rule, verdict, shadow, sum } = group
      total += month.length
      if (sum !== undefined) sums[sum] += month.length
      const before = byRule.get(keyOf(group))
      byRule.set(keyOf(group), {
        rule,
        verdict,
        shadow,
        last7Days:
          (before?.last7Days ?? 0) + month.filter((atMs) => atMs >= nowMs - 7 * DAY_MS).length,
        last30Days: (before?.last30Days ?? 0) + month.length,
        lastMs: month.reduce((last, atMs) => Math.max(last, atMs), before?.lastMs ?? 0),
      })
    },
    result: (clean: (rule: string) => string): SecurityCounts => ({
      ...sums,
      total,
      byRule: [...byRule.values()]
        .map(({ lastMs, rule, ...count }) => ({
          ...count,
          rule: clean(rule),
          lastAt: new Date(lastMs).toISOString(),
        }))
        .sort((a, b) => b.last30Days - a.last30Days),
    }),
  }
}

const stampOf = (path: string): string => {
  try {
    const { size, mtimeMs, ino } = statSync(path)
    return `${ino}:${size}:${mtimeMs}`
  } catch (thrown) {
    if (isMissing(thrown)) return ''
    throw thrown
  }
}
