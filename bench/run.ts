/** `npm run bench [name]`: speed as ratios to a baseline of the same run. */
import { nearestHint } from '@steward/contract'

type Bench = (print: (line: string) => void) => Promise<void>

const BENCHES: Record<string, () => Promise<Bench>> = {
  start: async () => (await import('./start.ts')).benchStart,
  runs: async () => (await import('./runs.ts')).benchRuns,
  automation: async () => (await import('./automation.ts')).benchAutomation,
  history: async () => (await import('./history.ts')).benchHistory,
  feed: async () => (await import('./feed.ts')).benchFeed,
  edge: async () => (await import('./edge.ts')).benchEdge,
  daemon: async () => (await import('./daemon.ts')).benchDaemon,
  'daemon-start': async () => (await import('./daemon-start.ts')).benchDaemonStart,
  hooks: async () => (await import('./hooks.ts')).benchHooks,
  notify: async () => (await import('./notify.ts')).benchNotify,
  policy: async () => (await import('./policy.ts')).benchPolicy,
  observers: async () => (await import('./observers.ts')).benchObservers,
  knowledge: async () => (await import('./knowledge.ts')).benchKnowledge,
  dashboard: async () => (await import('./dashboard.ts')).benchDashboard,
  'dashboard-heap': async () => (await import('./dashboard-heap.ts')).benchDashboardHeap,
  'dashboard-scale': async () => (await import('./dashboard-scale.ts')).benchDashboardScale,
  wiki: async () => (await import('./wiki.ts')).benchWiki,
  usage: async () => (await import('./usage.ts')).benchUsage,
  sessions: async () => (await import('./sessions.ts')).benchSessions,
  hosted: async () => (await import('./hosted.ts')).benchHosted,
}

const wanted = process.argv.slice(2)
for (const name of wanted) {
  if (BENCHES[name] !== undefined) continue
  const names = Object.keys(BENCHES)
  console.error(`no bench ${name}${nearestHint(name, names)}; there are ${names.join(', ')}`)
  process.exit(2)
}

for (const [name, load] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n== ${name}`)
  const bench = await load()
  await bench((line) => console.log(line))
}
