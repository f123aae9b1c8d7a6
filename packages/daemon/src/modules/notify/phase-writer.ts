import { type Phase, type PhaseOutcome, reasonOf, unwrap, type WorkState } from '@steward/contract'
import { readEntry, updateWorkState, type VoicePhase, writeVoicePhase } from '@steward/platform'
import type { NotifyModulePorts } from './ports.ts'

/** The session that a phase was assigned to. */
export interface PhaseSession {
  phase: Phase
  slug: string
  sessionId: string | undefined
  name: string
}

export interface PhaseWriter {
  /** Never rejects: a failure is part of the outcome. */
  write: (voice: VoicePhase) => Promise<PhaseOutcome>
  /** Resolves when no write is pending. */
  settle: () => Promise<void>
  fault: () => string | undefined
}

interface Waiting {
  voice: VoicePhase
  resolve: (outcome: PhaseOutcome) => void
}

/** How long a caller waits while another program holds the file lock. */
const LOCK_WAIT_MS = 5000

/**
 * Writes announced phases to the work state. Phases that arrive during a write are batched into the
 * next one, so that the file is locked, synced and replaced once.
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
