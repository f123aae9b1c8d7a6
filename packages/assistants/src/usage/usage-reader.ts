import type { CallTokens } from '@steward/models'

/** One request to a model, as an assistant recorded it. */
export interface UsageCall {
  /** Unique across all files of its assistant, so that copied rows count once; or the key of that. */
  id: string | number
  session: string
  /** The agent that made the call, if it was not the main one. */
  subagent?: string
  /** The folder that the session works in. */
  project?: string
  branch?: string
  /** The flow whose run made the call. */
  flow?: string
  /** The name of the session. */
  title?: string
  model: string
  atMs: number
  tokens: CallTokens
  /** What the assistant says it cost. */
  costUsd?: number
  /** The list price when the call was made; null if it was unknown. */
  computedUsd?: number | null
  /** A fork copied it from the session that made the call. */
  isCopy?: true
}

/** What an assistant says about all calls of a session so far, also those without a row. */
export interface SessionTotal {
  session: string
  model: string
  atMs: number
  tokens: CallTokens
  /** The calls until then count without it: it contains those of another session. */
  isInherited: boolean
}

/** What a reader has to remember between two reads of a file, as JSON. */
export type ReaderMemory = Record<string, string | number>

/** How much of a window of its subscription an assistant says is used. */
export interface ReportedWindow {
  minutes: number
  usedPercent: number
  resetsMs: number
  atMs: number
}

/** A command that failed, where the hook of the assistant does not tell. */
export interface FailedCommand {
  id: string
  session: string
  project?: string
  command: string
  exitCode: number
  atMs: number
}

/** What a row of a file adds. */
export interface UsageFound {
  calls?: UsageCall[]
  totals?: SessionTotal[]
  titles?: Array<{ session: string; title: string }>
  windows?: ReportedWindow[]
  failures?: FailedCommand[]
}

export interface UsageBatch extends UsageFound {
  calls: UsageCall[]
  totals: SessionTotal[]
  /** Where the next read starts. */
  mark: { offset: number; memory: ReaderMemory }
}

/** A file with usage in it. */
export interface UsageSource {
  path: string
  /** Reads what was added since the mark, a part at a time. */
  read: (mark: UsageBatch['mark'] | undefined) => Iterable<UsageBatch>
}

/** The person whose records are read. */
export interface UsagePlace {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** The data home, for the calls of Steward itself. */
  home?: string
}

/** A folder with records of an assistant. */
interface UsageFolder {
  path: string
  /** Records are in the folders below it, too. */
  isDeep: boolean
}

export interface UsageReader {
  folders: (place: UsagePlace) => UsageFolder[]
  /** The records that a changed file belongs to; undefined if it contains no usage. */
  sourceOf: (path: string) => UsageSource | undefined
}
