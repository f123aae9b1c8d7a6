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
export const streamRun = (id: string, call: Call, ports: StreamRunPorts): Response => {
  const first = ports.history().get(id)
  if (first === undefined) throw new StewardError('not_found', { what: 'run', name: id })
  return eventStream(call, ({ send, close }) => {
    let shown = ''
    let stopTimer: (() => void) | undefined
    const show = (run: RunDetail): void => {
      const text = JSON.stringify(run)
      if (text !== shown) send({ event: 'run', data: text, latest: true })
      shown = text
      if (run.status === 'running') return
      send({ event: 'end', data: { id, status: run.status } })
      close()
    }
    const look = (): void => {
      // A pruned run has no further updates.
      const run = ports.history().get(id)
      if (run === undefined) {
        close()
        return
      }
      show(run)
      if (run.status === 'running') stopTimer = ports.setTimer(LOOK_MS, look)
    }
    const unwatch = ports.live.watch(id, (progress) => {
      send({ event: 'progress', data: JSON.stringify(ports.redact(progress)) })
      if (progress.kind === 'run-ended' && progress.runId === id) look()
    })
    show(first)
    if (first.status === 'running') stopTimer = ports.setTimer(LOOK_MS, look)
    return () => {
      stopTimer?.()
      unwatch?.()
    }
  })
}
