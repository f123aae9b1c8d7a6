import type { HookDetail } from '@steward/contract'

/** Counts of one assistant's hooks. */
export interface HostSummary {
  host: HookDetail['host']
  /** Registered hooks, out of all. */
  there: number
  wanted: number
  lastFiredAt: string | undefined
  failures: number
  problem: string | null
}

/** Connected assistants first; otherwise in answer order. */
export const summariseHooks = (details: Readonly<Record<string, HookDetail>>): HostSummary[] => {
  const summaries = new Map<string, HostSummary>()
  for (const { host, registered, lastFiredAt, failures, problem } of Object.values(details)) {
    const before = summaries.get(host)
    const times = [before?.lastFiredAt, lastFiredAt ?? undefined].filter((at) => at !== undefined)
    summaries.set(host, {
      host,
      there: (before?.there ?? 0) + (registered ? 1 : 0),
      wanted: (before?.wanted ?? 0) + 1,
      lastFiredAt: times.sort().at(-1),
      failures: (before?.failures ?? 0) + failures,
      problem,
    })
  }
  const rank = ({ there }: HostSummary): number => (there > 0 ? 0 : 1)
  return [...summaries.values()].sort((a, b) => rank(a) - rank(b))
}
