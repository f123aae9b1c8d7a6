import type { OnProgress } from '@steward/runner'
import { Interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { createProgressView } from '../output/progress-view.ts'
import { COMMAND } from '../setup/command-name.ts'

interface Watching {
  onProgress: OnProgress
  signal: AbortSignal
}

/** Shows a run's progress, and says how to continue it if it is stopped. */
export const watchRun = async <Outcome>(
  io: Io,
  options: { quiet: boolean; verbose: boolean; flow?: boolean },
  run: (watching: Watching) => Promise<Outcome>,
): Promise<Outcome> => {
  const view = createProgressView(io.err, { ...options, now: io.now })
  let first: string | undefined
  const onProgress: OnProgress = (progress) => {
    first ??= progress.runId
    view.onProgress(progress)
  }
  try {
    return await run({ onProgress, signal: io.signal })
  } catch (thrown) {
    view.close()
    if (!io.signal.aborted) throw thrown
    const { reason } = io.signal
    const resume = [`${COMMAND} runs resume`, ...(first === undefined ? [] : [first])].join(' ')
    io.err.write(`stopped; the run can be continued: ${resume}\n`)
    throw reason instanceof Interruption ? reason : thrown
  } finally {
    view.close()
  }
}
