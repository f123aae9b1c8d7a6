import type { SetSecretPorts } from '@steward/edge/deploy'
import type { Io } from '../../io.ts'
import { createLiveLine } from '../../output/live-line.ts'

/** Shows the worker on which a secret is being set. */
export const showSetting = async (
  io: Io,
  work: (onProgress: SetSecretPorts['onProgress']) => Promise<void>,
): Promise<void> => {
  const live = createLiveLine(io.err, io.now)
  try {
    await work((worker, status) => {
      if (status === 'started') return live.begin(worker, `setting it on ${worker}`)
      live.end(worker)
      live.print(`set on ${worker}`)
    })
  } finally {
    live.close()
  }
}
