import { join } from 'node:path'
import { reasonOf, type Settings, unwrap } from '@steward/contract'
import {
  coalesce,
  expandVariables,
  type Home,
  readStateFile,
  type StartTimer,
  writeStateFile,
} from '@steward/platform'
import { z } from 'zod'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'
import type { Activity } from './activity.ts'
import type { SpanExport } from './export-spans.ts'
import { runSpans, type SpanFacts, sessionSpans } from './to-spans.ts'

export interface TelemetryModulePorts {
  home: Pick<Home, 'stateDir'>
  activity: Activity
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'observability'>
  environment: () => Readonly<Record<string, string>>
}

const TICK_MS = 15_000
/** A session without a call for this long has ended its work for now. */
const QUIET_MS = 5 * 60_000
/** A run whose end was committed late is still found. */
const OVERLAP_MS = 5000
/** After a long time without a collector, only this much is made up for. */
const BACKLOG_MS = 7 * 86_400_000
const MOST_SPANS = 500

const exported = z.object({
  /** Everything up to these times was exported, as far as it had ended. */
  runsMs: z.number(),
  sessionsMs: z.number(),
  /** Runs that ended shortly before, and sessions by the last call that was exported. */
  runs: z.record(z.string(), z.number()),
  sessions: z.record(z.string(), z.number()),
})
type Exported = z.infer<typeof exported>

/** Exports runs, steps, sessions and model calls as traces, if a collector is configured. */
export const createTelemetryModule = (ports: TelemetryModulePorts): DaemonModule => {
  const { home, activity, bus, log, now, setTimer } = ports
  const path = join(home.stateDir, 'telemetry.json')
  let endTimer: (() => void) | undefined
  let endHearing: (() => void) | undefined
  let isStopped = false
  let problem: string | undefined
  let sent = 0
  let open: { key: string; to: SpanExport } | undefined

  const traces = () => ports.settings().observability.traces

  const connect = async (endpoint: string): Promise<SpanExport> => {
    const headers = Object.fromEntries(
      Object.entries(traces().headers).map(([name, text]) => [
        name,
        unwrap(expandVariables(text, ports.environment(), `header ${name} of observability.traces`))
          .text,
      ]),
    )
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
    const key = JSON.stringify([url, headers])
    if (open?.key === key) return open.to
    await open?.to.close()
    const { openSpanExport } = await import('./export-spans.ts')
    open = { key, to: openSpanExport(url, headers) }
    return open.to
  }

  const send = async (to: SpanExport, spans: readonly SpanFacts[]): Promise<void> => {
    for (let from = 0; from < spans.length; from += MOST_SPANS) {
      await to.send(spans.slice(from, from + MOST_SPANS))
    }
    sent += spans.length
  }

  const exportNew = async (to: SpanExport): Promise<void> => {
    const begun: Exported = { runsMs: now(), sessionsMs: now(), runs: {}, sessions: {} }
    const state = unwrap(await readStateFile(path, exported, begun))
    const earliestMs = now() - BACKLOG_MS
    const ended = await activity.runsAfter(Math.max(state.runsMs - OVERLAP_MS, earliestMs))
    const runs = ended.filter(
      ({ id, endedMs }) => state.runs[id] === undefined && endedMs > earliestMs,
    )
    const active = await activity.sessionsAfter(Math.max(state.sessionsMs, earliestMs))
    const sessions = active.flatMap((each) => {
      const afterMs = state.sessions[keyOf(each)] ?? state.sessionsMs
      const calls = each.calls.filter(({ atMs }) => atMs > afterMs)
      const isQuiet = calls.every(({ atMs }) => atMs <= now() - QUIET_MS)
      return calls.length > 0 && isQuiet ? [{ ...each, calls }] : []
    })
    await send(to, [...runs.flatMap(runSpans), ...sessions.flatMap(sessionSpans)])
    const runsMs = Math.max(state.runsMs, ...runs.map(({ endedMs }) => endedMs))
    // Sessions are told apart for as long as their earlier calls could be read again.
    const sessionsMs = Math.max(state.sessionsMs, earliestMs)
    const next: Exported = {
      runsMs,
      sessionsMs,
      runs: keepAfter(runsMs - OVERLAP_MS, [
        ...Object.entries(state.runs),
        ...runs.map(({ id, endedMs }): [string, number] => [id, endedMs]),
      ]),
      sessions: keepAfter(sessionsMs, [
        ...Object.entries(state.sessions),
        ...sessions.map((each): [string, number] => [
          keyOf(each),
          Math.max(...each.calls.map(({ atMs }) => atMs)),
        ]),
      ]),
    }
    const isChanged = JSON.stringify(next) !== JSON.stringify(state)
    if (isChanged || state === begun) await writeStateFile(path, next)
  }

  const tick = coalesce(async () => {
    const { endpoint } = traces()
    endTimer?.()
    endTimer = undefined
    if (isStopped) return
    if (endpoint === undefined) {
      problem = undefined
      return
    }
    try {
      await exportNew(await connect(endpoint))
      if (problem !== undefined) log.info('traces arrive again')
      problem = undefined
    } catch (thrown) {
      const reason = reasonOf(thrown)
      if (reason !== problem) log.warn(`traces were not exported: ${reason}`)
      problem = reason
    }
    if (!isStopped) endTimer = setTimer(TICK_MS, () => void tick())
  })

  return {
    name: 'telemetry',
    handlers: [],
    start: async () => {
      endHearing = bus.subscribe('settings.changed', () => void tick())
      void tick()
    },
    stop: async () => {
      isStopped = true
      endHearing?.()
      await tick()
      await open?.to.close()
    },
    health: () => {
      if (traces().endpoint === undefined) return { status: 'ok', isExporting: false }
      return problem === undefined
        ? { status: 'ok', isExporting: true, sent }
        : { status: 'degraded', reasons: [problem], isExporting: true, sent }
    },
  }
}

const keyOf = ({ assistant, session }: { assistant: string; session: string }): string =>
  `${assistant} ${session}`

const keepAfter = (ms: number, entries: ReadonlyArray<[string, number]>): Record<string, number> =>
  Object.fromEntries(entries.filter(([, atMs]) => atMs > ms))
