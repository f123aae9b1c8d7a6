import type { AlgorithmView, Menubar } from '@steward/contract'

const SHOWN = 20
const MINUTE = 60_000

/** 90 s are `1m`: one number and its largest unit. */
const shorten = (lengthMs: number): string => {
  const minutes = Math.max(0, Math.floor(lengthMs / MINUTE))
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes}m`
  return minutes < 1440 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`
}

/** Active sessions and scheduled jobs for a menu bar. */
export const describeMenubar = (
  { algorithms }: Pick<AlgorithmView, 'algorithms'>,
  {
    nowMs,
    startedMs,
    jobs,
  }: { nowMs: number; startedMs: number; jobs: { scheduled: number; failing: number } },
): Menubar => {
  const active = algorithms.filter((each) => each.active)
  const uptimeMs = Math.max(0, nowMs - startedMs)
  return {
    generatedAt: new Date(nowMs).toISOString(),
    daemon: {
      status: 'running',
      label: `Running for ${shorten(uptimeMs)}`,
      uptimeSec: Math.floor(uptimeMs / 1000),
      failingJobs: jobs.failing,
      jobCount: jobs.scheduled,
    },
    counts: { amber: 0, conduitMinutes: 0, memory: 0, memoryPending: 0, work: active.length },
    feed: active
      .map(({ taskDescription, currentPhase, phaseStartedAt }) => ({
        subsystem: 'work' as const,
        glyph: '⚙',
        title: `${taskDescription} · ${currentPhase}`,
        tsMs: phaseStartedAt,
        ago: shorten(nowMs - phaseStartedAt),
        actionable: false,
      }))
      .toSorted((a, b) => b.tsMs - a.tsMs)
      .slice(0, SHOWN),
  }
}
