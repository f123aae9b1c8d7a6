import { type RunDetail, StewardError } from '@steward/contract'
import { eventStream } from '@steward/http'
import type { StartTimer } from '@steward/platform'
import type { RunHistory } from '@steward/runner'
import type { Call } from '../../module.ts'
import type { LiveRuns } from './live-runs.ts'

export interface StreamRunPorts {
  history: () => RunHistory
  live: LiveRuns
  redact: (value: unknown) => unknown
  setTimer: StartTimer
}

/** Poll interval for runs of other processes, whose progress is only on disk. */
const LOOK_MS = 1000

/**
 * Sends `run` with the full record immediately and on every change, `progress` live for runs of this
 * daemon, and finally `end`.
 */
export const streamRun = async (
  id: string,
  call: Call,
  ports: StreamRunPorts,
): Promise<Response> => {
  const first = await ports.history().show(id)
  if (first === undefined) throw new StewardError('not_found', { what: 'run', name: id })
  return eventStream(call, ({ send, close }) => {
    let shown = ''
    let stopTimer: (() => void) | undefined
    let isOver = false
    let looks = 0
    const show = (run: RunDetail): void => {
      const text = JSON.stringify(run)
      if (text !== shown) send({ event: 'run', data: text, latest: true })
      shown = text
      if (run.status === 'running') return
      send({ event: 'end', data: { id, status: run.status } })
      close()
    }
    const look = async (): Promise<void> => {
      looks += 1
      const turn = looks
      const run = await ports
        .history()
        .show(id)
        .catch(() => undefined)
      // The page has gone, or a later look was faster.
      if (isOver || turn !== looks) return
      // A pruned run has no further updates.
      if (run === undefined) {
        close()
        return
      }
      show(run)
      if (run.status === 'running') lookLater()
    }
    const lookLater = (): void => {
      stopTimer?.()
      stopTimer = ports.setTimer(LOOK_MS, () => void look())
    }
    const unwatch = ports.live.watch(id, (progress) => {
      send({ event: 'progress', data: JSON.stringify(ports.redact(progress)) })
      if (progress.kind === 'run-ended' && progress.runId === id) void look()
    })
    show(first)
    if (first.status === 'running') lookLater()
    return () => {
      isOver = true
      stopTimer?.()
      unwatch?.()
    }
  })
}
