import type { AlgorithmView } from '@steward/contract'
import { StewardError } from '@steward/contract/client'
import { daemon } from '../../live/daemon.ts'

const NONE: AlgorithmView = { algorithms: [], active: false, pulseStrip: [] }

let hasWork = false

/**
 * The sessions; none on a home where no assistant has worked yet. The daemon answers that with 503,
 * and browsers call every 503 an error: so it is asked first whether there is anything.
 */
export const readSessions = async (): Promise<AlgorithmView> => {
  if (!hasWork) {
    const { sessions } = await daemon.call('getObservabilityState')
    hasWork = Object.keys(sessions).length > 0
    if (!hasWork) return NONE
  }
  try {
    return await daemon.call('getAlgorithm')
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'work_state_missing') return NONE
    throw thrown
  }
}
