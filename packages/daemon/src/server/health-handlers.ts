import { setImmediate as nextTurn } from 'node:timers/promises'
import { API, type Health, type ModuleHealth } from '@steward/contract'
import { type DaemonModule, type Handler, handle, ReadyJson } from '../module.ts'
import { NOT_IN_THIS_VERSION } from '../module-table.ts'
import {
  describeCapabilities,
  describeHealth,
  describeReadiness,
  type HealthPorts,
} from './health.ts'
import type { createModuleRunner } from './module-runner.ts'

interface HealthHandlerPorts
  extends Omit<HealthPorts, 'subsystems'>,
    Pick<ReturnType<typeof createModuleRunner>, 'waitForAll'> {
  now: () => number
  modules: readonly Pick<DaemonModule, 'name' | 'health'>[]
  describeServer: () => Promise<ModuleHealth>
  describeDashboard: () => Promise<ModuleHealth>
}

/** How long `/health` waits for modules that start before it reports them as starting. */
const HEALTH_WAIT_MS = 2000

/** `/health`, `/health/live` and `/health/ready`. */
export const createHealthHandlers = (ports: HealthHandlerPorts): Handler[] => {
  const describeNow = async (): Promise<Health> => {
    // Directly after a start the answer would be outdated before it arrives.
    await ports.waitForAll(HEALTH_WAIT_MS)
    const own = { server: await ports.describeServer(), dashboard: await ports.describeDashboard() }
    // Requests that arrive together are answered together.
    await nextTurn()
    const subsystems = () => ({
      ...Object.fromEntries(ports.modules.map(({ name, health }) => [name, health()])),
      ...own,
      ...UNAVAILABLE,
    })
    return describeHealth({ ...ports, subsystems })
  }
  const described = (health: Health) => ({
    text: JSON.stringify(health),
    readiness: describeReadiness(health),
    capabilities: describeCapabilities(health, new Date(ports.now()).toISOString()),
  })
  let whenDescribed: Promise<ReturnType<typeof described>> | undefined
  /** Simultaneous callers share one answer. */
  const describeOnce = () => {
    whenDescribed ??= describeNow()
      .then(described)
      .finally(() => {
        whenDescribed = undefined
      })
    return whenDescribed
  }
  return [
    handle(API.getHealth, async () => new ReadyJson((await describeOnce()).text)),
    handle(API.getHealthz, async () => new ReadyJson((await describeOnce()).text)),
    handle(API.getCapabilities, async () => (await describeOnce()).capabilities),
    handle(API.getLiveness, () => ({ alive: true as const })),
    handle(API.getReadiness, async () => {
      const { readiness } = await describeOnce()
      return new ReadyJson(JSON.stringify(readiness), readiness.ready ? 200 : 503)
    }),
  ]
}

const UNAVAILABLE = Object.fromEntries(
  NOT_IN_THIS_VERSION.map((name): [string, ModuleHealth] => [
    name,
    { status: 'unavailable', reasons: ['not in this version'] },
  ]),
)
