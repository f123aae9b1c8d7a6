import type { AlgorithmView } from '@steward/contract'
import { StewardError } from '@steward/contract/client'
import { daemon } from '../../live/daemon.ts'

const NONE: AlgorithmView = { algorithms: [], active: false, pulseStrip: [] }

let hasWork = false

/**
 * The sessions; empty on a home without any assistant activity. The daemon answers that with 503,
 * which browsers log as an error, so this checks first whether there is anything.
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
