import { reasonOf } from '@steward/contract'
import { coalesce, readHalts } from '@steward/platform'
import type { DrivenPorts } from './ports.ts'

interface HaltPorts extends Pick<DrivenPorts, 'home' | 'bus' | 'log'> {
  isLive: (sessionId: string) => boolean
  stop: (sessionId: string, reason: string) => Promise<unknown>
}

/**
 * Stops a driven session that observers or a budget have halted, at its next event. Its hooks refuse
 * tool calls of a halted session too, where they are installed. Returns what ends the watch.
 */
export const watchHalts = ({ home, bus, log, isLive, stop }: HaltPorts): (() => void) => {
  const check = coalesce(async () => {
    const halts = await readHalts(home)
    if (!halts.ok) {
      log.warn(`driven: ${halts.error.message}`)
      return
    }
    for (const { session_id, by, reason } of halts.value) {
      if (!isLive(session_id)) continue
      await stop(session_id, `it was halted by ${by}: ${reason}`).catch((thrown: unknown) =>
        log.error(`driven: session ${session_id} could not be stopped: ${reasonOf(thrown)}`),
      )
    }
  })
  return bus.subscribe('events.arrived', ({ events }) => {
    if (events.some(({ session_id }) => isLive(session_id))) void check()
  })
}
