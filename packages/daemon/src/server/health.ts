import { type Health, type ModuleHealth, PLATFORM_VERSION } from '@steward/contract'
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
  const reasons = Object.entries(subsystems).flatMap(([name, { status, reasons: own = [] }]) =>
    WORRYING.has(status) ? (own.length > 0 ? own : [status]).map((each) => `${name}: ${each}`) : [],
  )
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
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

const WORRYING = new Set(['degraded', 'failed', 'stopped'])
