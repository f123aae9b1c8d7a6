import { type DaemonClient, StewardError, type TurnTask } from '@steward/contract'
import type { RunTurn } from '@steward/runner'
import { findDaemonClient } from '../daemon/daemon-client.ts'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'

const AGAIN_MS = 500
/** A daemon that restarts is waited for this long. */
const ABSENT_MS = 120_000

/**
 * The daemon runs assistants, so that they survive this process. It is asked again until the turn has
 * ended; after a restart of the daemon, or of this process, the key finds the turn again.
 */
export const createRunTurn =
  (io: Io): RunTurn =>
  async (task, { key, signal }) => {
    let lastSeen: number | undefined
    let session: string | undefined
    try {
      while (!signal.aborted) {
        const client = await findDaemonClient(io)
        const turn = client === undefined ? undefined : await ask(client, key, task)
        if (turn?.status === 'ended' && turn.session !== null) {
          return { session: turn.session, diff: turn.diff }
        }
        session = turn?.session?.id ?? session
        if (turn !== undefined) {
          lastSeen = io.now()
          continue
        }
        if (lastSeen === undefined || io.now() - lastSeen > ABSENT_MS) throw noDaemon()
        await pause(AGAIN_MS, signal)
      }
      throw signal.reason
    } catch (thrown) {
      if (session !== undefined && isEnded(signal)) {
        const client = await findDaemonClient(io)
        await client?.call('stopSession', { params: { id: session }, body: {} })
      }
      throw thrown
    }
  }

/** Undefined if the daemon is gone. */
const ask = async (client: DaemonClient, key: string, task: TurnTask) => {
  try {
    return await client.call('runSessionTurn', { body: { key, task } })
  } catch (thrown) {
    const isGone =
      thrown instanceof StewardError &&
      (thrown.code === 'upstream_failed' || thrown.code === 'module_failed')
    if (isGone) return undefined
    throw thrown
  }
}

const noDaemon = (): StewardError => {
  const reason = `the daemon runs them, and none is running; start one with \`${COMMAND} daemon\``
  return new StewardError('not_configured', { subject: 'running assistants', reason })
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** An interrupted run is continued later and finds its turn again; others leave no work behind. */
const isEnded = ({ aborted, reason }: AbortSignal): boolean =>
  aborted &&
  reason instanceof StewardError &&
  (reason.code === 'run_cancelled' || reason.code === 'timeout')
