import { type Criterion, type JsonObject, PHASES, type WorkState } from '@steward/contract'
import { appendPhase } from './append-phase.ts'
import { foldSession } from './fold-session.ts'
import { formatMoment, parseMoment } from './moments.ts'
import { readEntry } from './read-entry.ts'
import { recordMode } from './record-mode.ts'
import { isComplete, isFull, ofSession, rawEntryOf, withEntry, withoutEntries } from './sessions.ts'
import type { Specification } from './specification/parse-specification.ts'
import type { Transition } from './transition.ts'

export interface SpecificationSync {
  specification: Specification
  /** The name of its folder. */
  folder: string
  /** Its path relative to `MEMORY`. */
  stored: string
  /** The host session that wrote it, if known. */
  sessionUUID?: string
  /** Leave the session as it is if the file says nothing new; reading it is no activity. */
  onlyIfChanged?: boolean
}

export interface SyncOutcome {
  slug: string
  /** Light sessions merged into it. */
  promoted: string[]
}

/**
 * A specification was written: its session becomes a full one, including everything from its light
 * session. Atomic, so that no reader sees the session twice or not at all.
 */
export const syncSpecification = (
  state: WorkState,
  sync: SpecificationSync,
  nowMs: number,
): Transition<SyncOutcome> => {
  const { specification, folder, stored, sessionUUID } = sync
  const slug = specification.slug ?? folder
  const light = sessionUUID === undefined ? [] : lightSessions(state, sessionUUID, slug)
  const before = rawEntryOf(state, slug) ?? {}
  const folded = light.reduce((entry, session) => foldSession(entry, session), before)
  const view = readEntry(folded)
  const phase = specification.phase ?? phaseBefore(view.phase) ?? 'OBSERVE'
  const criteria = stampCriteria(specification.criteria, view.criteria, phase)
  const entry: JsonObject = {
    ...folded,
    task: specification.task ?? view.task ?? slug,
    sessionUUID: sessionUUID ?? view.sessionUUID,
    mode: 'starting',
    progress: specification.progress,
    effort: specification.effort ?? effortBefore(view.effort) ?? 'standard',
    started: startOf(specification, view.startedMs, nowMs),
    isa: stored,
    // The name of the field in older programs.
    prd: undefined,
    criteria,
    ...recordMode(folded, 'algorithm', nowMs),
    minimalCount: view.minimalCount,
    ratings: folded.ratings ?? [],
    iteration: specification.iteration ?? folded.iteration,
    intent: specification.intent,
    criteriaParseWarning: specification.criteriaParseWarning,
  }
  const gone = new Set(light.map((session) => session.slug))
  const after = appendPhase(entry, phase, 'isa', nowMs)
  if (sync.onlyIfChanged === true && gone.size === 0 && isSame(before, after)) {
    return { state, outcome: { slug, promoted: [] } }
  }
  const next = withEntry(gone.size === 0 ? state : withoutEntries(state, gone), slug, after)
  return { state: next, outcome: { slug, promoted: [...gone] } }
}

/** Fields keep their order when an entry is changed. */
const isSame = (before: JsonObject, after: JsonObject): boolean =>
  JSON.stringify(before) === JSON.stringify({ ...after, updatedAt: before.updatedAt })

const lightSessions = (state: WorkState, sessionUUID: string, slug: string) =>
  ofSession(state, sessionUUID).filter(
    (session) => session.slug !== slug && !isFull(session) && !isComplete(session),
  )

/** A file without a phase does not reset the session's phase. */
const phaseBefore = (phase: string | undefined) =>
  PHASES.find((name) => name === phase?.toUpperCase())

/** `native` was the light session's effort. */
const effortBefore = (effort: string | undefined): string | undefined =>
  effort === 'native' ? undefined : effort

const startOf = (
  { started }: Specification,
  knownMs: number | undefined,
  nowMs: number,
): string => {
  const moments = [parseMoment(started), knownMs].filter((atMs) => atMs !== undefined)
  return formatMoment(Math.min(...moments, nowMs))
}

/** A criterion keeps the phase in which it first appeared. */
const stampCriteria = (
  criteria: readonly Criterion[],
  before: readonly Criterion[],
  phase: string,
): Criterion[] => {
  const phaseById = new Map(before.map(({ id, createdInPhase }) => [id, createdInPhase]))
  return criteria.map((criterion) => ({
    ...criterion,
    createdInPhase: phaseById.get(criterion.id) ?? phase,
  }))
}
