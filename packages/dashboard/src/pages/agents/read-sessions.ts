import type { AlgorithmView } from '@steward/contract'
import { StewardError } from '@steward/contract/client'
import { daemon } from '../../live/daemon.ts'

const NONE: AlgorithmView = { algorithms: [], active: false, pulseStrip: [] }

/** The sessions; none on a home where no assistant has worked yet, which the daemon answers with 503. */
export const readSessions = async (): Promise<AlgorithmView> => {
  try {
    return await daemon.call('getAlgorithm')
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'work_state_missing') return NONE
    throw thrown
  }
}
