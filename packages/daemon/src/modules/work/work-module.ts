import type { DaemonModule } from '../../module.ts'
import { createOngoingWork } from './ongoing-work.ts'
import type { WorkModulePorts } from './ports.ts'
import { createSpecificationWatcher } from './watch-specifications.ts'

/** Keeps `work.json` in step with what no hook reports: edited specifications and long calls. */
export const createWorkModule = (ports: WorkModulePorts): DaemonModule => {
  const specifications = createSpecificationWatcher(ports)
  const ongoing = createOngoingWork(ports)
  let endSubscription = (): void => undefined

  return {
    name: 'work',
    handlers: [],
    start: async () => {
      endSubscription = ports.bus.subscribe('events.arrived', ({ events }) => ongoing.take(events))
      await ongoing.start()
      await specifications.start()
    },
    stop: async () => {
      endSubscription()
      specifications.stop()
      await ongoing.stop()
    },
    health: () => {
      const fault = specifications.fault()
      return {
        status: fault === undefined ? 'ok' : 'degraded',
        ...(fault === undefined ? {} : { reasons: [fault] }),
        watchedSpecifications: specifications.watched(),
        ongoing: ongoing.sessions().length,
      }
    },
  }
}
