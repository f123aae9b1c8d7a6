import {
  type Capabilities,
  type Health,
  type ModuleHealth,
  PLATFORM_VERSION,
  type Readiness,
} from '@steward/contract'
import { hidePath } from './error-answer.ts'

export interface HealthPorts {
  subsystems: () => Readonly<Record<string, ModuleHealth>>
  port: () => number
  pid: number
  startedAt: number
  /** By a monotonic clock. */
  uptimeMs: () => number
  homeRoot: string
  redact: (text: string) => string
  /** Whether every module has been started, or has failed to. */
  isStarted: () => boolean
}

/** The health of the whole daemon: degraded if a part is, with all reasons. */
export const describeHealth = (ports: HealthPorts): Health => {
  const { startedAt, homeRoot } = ports
  const clean = (text: string): string => ports.redact(hidePath(text, homeRoot))
  const subsystems = Object.fromEntries(
    Object.entries(ports.subsystems()).map(([name, { reasons, ...health }]) => [
      name,
      { ...health, ...(reasons === undefined ? {} : { reasons: reasons.map(clean) }) },
    ]),
  )
  const ready = Object.values(subsystems).every(({ status }) => !UNUSABLE.has(status))
  const reasons = Object.entries(subsystems).flatMap(([name, { status, reasons: own = [] }]) =>
    WORRYING.has(status) ? (own.length > 0 ? own : [status]).map((each) => `${name}: ${each}`) : [],
  )
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ready: ready && ports.isStarted(),
    reasons,
    service: 'steward',
    version: PLATFORM_VERSION,
    pid: ports.pid,
    port: ports.port(),
    startedAt: new Date(startedAt).toISOString(),
    uptime: Math.floor(ports.uptimeMs() / 1000),
    subsystems,
  }
}

/** What the daemon lacks now, in words, for `/health/ready`. */
export const describeReadiness = ({ ready = false, subsystems }: Health): Readiness => {
  const lacking = Object.entries(subsystems).flatMap(([name, { status, reasons: own = [] }]) =>
    UNUSABLE.has(status) ? (own.length > 0 ? own : [status]).map((each) => `${name}: ${each}`) : [],
  )
  return { ready, reasons: ready || lacking.length > 0 ? lacking : ['it is still starting'] }
}

const UNUSABLE = new Set(['failed', 'stopped'])
const WORRYING = new Set(['degraded', 'failed', 'stopped'])

const STATES: Readonly<Partial<Record<string, 'live' | 'declined'>>> = {
  ok: 'live',
  degraded: 'live',
  unavailable: 'declined',
}

/** The same as capabilities, in the form that dashboards of LifeOS read. */
export const describeCapabilities = (
  { subsystems }: Pick<Health, 'subsystems'>,
  checkedAt: string,
): Capabilities => ({
  present: true,
  updatedAt: checkedAt,
  capabilities: Object.entries(subsystems).map(([id, { status, reasons = [] }]) => ({
    id,
    title: id.charAt(0).toUpperCase() + id.slice(1),
    state: STATES[status] ?? 'broken',
    detail: reasons.length === 0 ? status : reasons.join('; '),
    fixCmd: WORRYING.has(status) ? 'steward doctor' : null,
    checkedAt,
    ttlHours: 1,
    probeClass: 'offline',
    stale: false,
  })),
})
