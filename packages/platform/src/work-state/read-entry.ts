import {
  type Criterion,
  criterion,
  isJsonObject,
  type ModeHistoryEntry,
  modeHistoryEntry,
  type PhaseHistoryEntry,
  phaseHistoryEntry,
  type Schema,
  type SessionAgent,
  type SessionRating,
  sessionAgent,
  sessionRating,
} from '@steward/contract'
import { parseMoment } from './moments.ts'

/**
 * The fields of an entry that we understand. Invalid fields are omitted here but kept in the file.
 */
export interface EntryView {
  task?: string
  sessionName?: string
  sessionUUID?: string
  mode?: string
  phase?: string
  progress?: string
  effort?: string
  startedMs?: number
  updatedMs?: number
  toolActivityMs?: number
  /** The specification's path as stored. */
  specification?: string
  criteria: Criterion[]
  phaseHistory: PhaseHistoryEntry[]
  currentMode?: string
  modeHistory: ModeHistoryEntry[]
  minimalCount: number
  iteration: number
  ratings: SessionRating[]
  capabilities: string[]
  agents: SessionAgent[]
  intent?: string
  criteriaParseWarning?: string
  previousSlugs: string[]
}

/** Reads an entry of any program; never fails. */
export const readEntry = (raw: unknown): EntryView => {
  const entry = isJsonObject(raw) ? raw : {}
  return {
    task: textOf(entry.task),
    sessionName: textOf(entry.sessionName),
    sessionUUID: textOf(entry.sessionUUID),
    mode: textOf(entry.mode)?.toLowerCase(),
    phase: textOf(entry.phase)?.toLowerCase(),
    progress: textOf(entry.progress),
    effort: textOf(entry.effort),
    startedMs: parseMoment(entry.started),
    updatedMs: parseMoment(entry.updatedAt),
    toolActivityMs: parseMoment(entry.lastToolActivity),
    specification: textOf(entry.isa) ?? textOf(entry.prd),
    criteria: listOf(entry.criteria, criterion),
    phaseHistory: listOf(entry.phaseHistory, phaseHistoryEntry),
    currentMode: textOf(entry.currentMode)?.toLowerCase(),
    modeHistory: listOf(entry.modeHistory, modeHistoryEntry),
    minimalCount: countOf(entry.minimalCount) ?? 0,
    iteration: countOf(entry.iteration) ?? 1,
    ratings: listOf(entry.ratings, sessionRating),
    capabilities: textsOf(entry.capabilities),
    agents: listOf(entry.agents, sessionAgent),
    intent: textOf(entry.intent),
    criteriaParseWarning: textOf(entry.criteriaParseWarning),
    previousSlugs: textsOf(entry.previousSlugs),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

const listOf = <T>(value: unknown, schema: Schema<T>): T[] => {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
}
