import { type Phase, type PhaseOutcome, reasonOf, unwrap, type WorkState } from '@steward/contract'
import { readEntry, updateWorkState, type VoicePhase, writeVoicePhase } from '@steward/platform'
import type { NotifyModulePorts } from './ports.ts'

/** The session that a phase was written to. */
export interface PhaseSession {
  phase: Phase
  slug: string
  sessionId: string | undefined
  name: string
}

export interface PhaseWriter {
  /** Never rejects: why a phase was not written is its outcome. */
  write: (voice: VoicePhase) => Promise<PhaseOutcome>
  /** Resolves when nothing is being written. */
  settle: () => Promise<void>
  fault: () => string | undefined
}

interface Waiting {
  voice: VoicePhase
  resolve: (outcome: PhaseOutcome) => void
}

/** A caller waits for its answer that long when another program holds the file. */
const LOCK_WAIT_MS = 5000

/**
 * Writes announced phases to the work state. Those that come while one write is under way go
 * together in the next: the file is locked, synced and replaced once for all of them.
 */
export const createPhaseWriter = (
  ports: Pick<NotifyModulePorts, 'home' | 'now' | 'redactor' | 'log'>,
  onWritten: (session: PhaseSession) => void,
): PhaseWriter => {
  const { home, now, redactor, log } = ports
  let waiting: Waiting[] = []
  let turn: Promise<void> | undefined
  let fault: string | undefined

  const writeAll = async (batch: readonly Waiting[]): Promise<PhaseOutcome[]> => {
    const change = (state: WorkState, nowMs: number) => applyAll(state, batch, nowMs)
    const options = { now, redactor: redactor(), waitMs: LOCK_WAIT_MS }
    const updated = unwrap(await updateWorkState(home, change, options))
    const { state, outcome: outcomes } = updated
    for (const [index, { voice }] of batch.entries()) {
      const slug = outcomes[index]?.slug
      if (slug !== undefined) onWritten({ ...describe(state, slug), phase: voice.phase, slug })
    }
    return outcomes
  }

  const runTurns = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const outcomes = await writeAll(batch).then(
        (written) => {
          fault = undefined
          return written
        },
        (thrown: unknown) => {
          fault = `phases cannot be written: ${reasonOf(thrown)}`
          log.error(`notifications: ${fault}`)
          return []
        },
      )
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes[index] ?? { written: false, reason: 'state_unreadable' })
      }
    }
    turn = undefined
  }

  return {
    write: (voice) =>
      new Promise((resolve) => {
        waiting.push({ voice, resolve })
        turn ??= runTurns()
      }),
    settle: async () => turn,
    fault: () => fault,
  }
}

const applyAll = (state: WorkState, batch: readonly Waiting[], nowMs: number) => {
  let next = state
  const outcome = batch.map(({ voice }) => {
    const written = writeVoicePhase(next, voice, nowMs)
    next = written.state
    return written.outcome
  })
  return { state: next, outcome }
}

const describe = (state: WorkState, slug: string) => {
  const { sessionName, task, sessionUUID } = readEntry(state.sessions[slug])
  return { sessionId: sessionUUID, name: sessionName ?? task ?? slug }
}
