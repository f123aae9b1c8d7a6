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

/** Active sessions for a menu bar; jobs of the daemon are in `/health`. */
export const describeMenubar = (
  { algorithms }: Pick<AlgorithmView, 'algorithms'>,
  { nowMs, startedMs }: { nowMs: number; startedMs: number },
): Menubar => {
  const active = algorithms.filter((each) => each.active)
  const uptimeMs = Math.max(0, nowMs - startedMs)
  return {
    generatedAt: new Date(nowMs).toISOString(),
    daemon: {
      status: 'running',
      label: `Running for ${shorten(uptimeMs)}`,
      uptimeSec: Math.floor(uptimeMs / 1000),
      failingJobs: 0,
      jobCount: 0,
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
