import { API, reasonOf } from '@steward/contract'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'
import { createDemoKeeper, type DemoPorts } from './demo-keeper.ts'

export interface DemoModulePorts extends DemoPorts {
  bus: Bus
  log: Log
  /** This daemon serves the demo itself. */
  isDemo: boolean
}

/** A day of sample data, to look at the dashboard before there is any of one's own. */
export const createDemoModule = ({ bus, log, isDemo, ...ports }: DemoModulePorts): DaemonModule => {
  const keeper = createDemoKeeper(ports)
  let fault: string | undefined
  const describe = async () => ({ loaded: !isDemo && (await keeper.isLoaded()), isDemo })
  const tell = (): void => bus.publish('live.changed', { topics: ['settings'] })
  return {
    name: 'demo',
    handlers: [
      handle(API.getDemo, describe),
      handle(API.openDemo, async () => {
        const url = await keeper.open()
        fault = undefined
        tell()
        return { url }
      }),
      handle(API.removeDemo, async () => {
        await keeper.remove()
        fault = undefined
        tell()
        return describe()
      }),
    ],
    start: async () => {
      if (isDemo) return
      // The person's own daemon does not wait for it.
      void keeper.resume().catch((thrown) => {
        fault = `the demo day cannot be started: ${reasonOf(thrown)}`
        log.error(fault)
      })
    },
    stop: keeper.stop,
    health: () =>
      fault === undefined ? { status: 'ok' } : { status: 'degraded', reasons: [fault] },
  }
}
