import { statSync } from 'node:fs'
import type { SecurityEvent, Verdict } from '@steward/contract'
import { codeOf } from '../files/code-of.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { readSecurityFile } from './read-security-events.ts'
import { listSecurityFiles, type SecurityHome, type SecurityLogFile } from './security-log-files.ts'

/** How often a rule spoke. */
export interface RuleCount {
  rule: string
  verdict: Verdict
  /** Nothing was done: the rule was in shadow. */
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

/** Counts what guards did in the last 30 days. A file is read again only when it has changed. */
export const createSecurityCounter = (home: SecurityHome) => {
  const known = new Map<string, { stamp: string; events: SecurityEvent[] }>()

  const eventsOf = async (
    file: SecurityLogFile,
    redactor: Pick<Redactor, 'redactText'>,
  ): Promise<SecurityEvent[]> => {
    const stamp = stampOf(file.path)
    const before = known.get(file.name)
    if (before?.stamp === stamp) return before.events
    const events = await readSecurityFile(file, redactor)
    known.set(file.name, { stamp, events })
    return events
  }

  return async (nowMs: number, redactor: Pick<Redactor, 'redactText'>): Promise<SecurityCounts> => {
    const since = nowMs - 30 * DAY_MS
    const firstMonth = new Date(since).toISOString().slice(0, 7).replace('-', '/')
    const files = listSecurityFiles(home).filter(({ name }) => name >= firstMonth)
    for (const name of known.keys()) {
      if (!files.some((file) => file.name === name)) known.delete(name)
    }
    const counts = createCounts()
    for (const file of files) {
      for (const event of await eventsOf(file, redactor)) {
        const at = Date.parse(event.timestamp)
        if (at >= since) counts.add(event, at >= nowMs - 7 * DAY_MS)
      }
    }
    return counts.result()
  }
}

const createCounts = () => {
  const sums = { blocks: 0, confirms: 0, alerts: 0, injections: 0, shadowed: 0, total: 0 }
  const byRule = new Map<string, RuleCount>()
  const sumOf = (event: SecurityEvent): keyof typeof sums | undefined => {
    if (event.shadow) return 'shadowed'
    if (event.event_type === 'injection_detected' || event.rule.startsWith('prompt.')) {
      return 'injections'
    }
    return ({ deny: 'blocks', ask: 'confirms', alert: 'alerts', pass: undefined } as const)[
      event.verdict
    ]
  }
  return {
    add: (event: SecurityEvent, isRecent: boolean): void => {
      sums.total++
      const sum = sumOf(event)
      if (sum !== undefined) sums[sum]++
      const { rule, verdict, shadow, timestamp } = event
      const key = `${shadow} ${verdict} ${rule}`
      const count = byRule.get(key)
      byRule.set(key, {
        rule,
        verdict,
        shadow,
        last7Days: (count?.last7Days ?? 0) + (isRecent ? 1 : 0),
        last30Days: (count?.last30Days ?? 0) + 1,
        lastAt: count !== undefined && count.lastAt > timestamp ? count.lastAt : timestamp,
      })
    },
    result: (): SecurityCounts => ({
      ...sums,
      byRule: [...byRule.values()].sort((a, b) => b.last30Days - a.last30Days),
    }),
  }
}

const stampOf = (path: string): string => {
  try {
    const { size, mtimeMs, ino } = statSync(path)
    return `${ino}:${size}:${mtimeMs}`
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ''
    throw thrown
  }
}
