import type { UploadMetadata } from './upload-metadata.ts'

export interface StandInScript {
  name: string
  modified: string
  /** What was uploaded last: the metadata and each module's text. */
  metadata: UploadMetadata
  modules: Record<string, string>
  secrets: Record<string, string>
  crons: string[]
  onSubdomain: boolean
  /** The versions, the first one the oldest. */
  versions: string[]
  /** Versions in the order in which they were made to run. */
  deployments: string[]
}

export interface StandInQueue {
  id: string
  name: string
  consumers: Record<string, unknown>[]
}

export interface PlatformCall {
  method: string
  /** Without the part that names the account. */
  path: string
  body: unknown
}

/** All that the stand-in remembers; tests read it and prepare it. */
export interface PlatformState {
  scripts: Map<string, StandInScript>
  queues: Map<string, StandInQueue>
  /** Ids of namespaces and databases that exist. */
  kv: Set<string>
  d1: Set<string>
  /** Names of buckets. */
  r2: Set<string>
  calls: PlatformCall[]
  /** Names of uploaded workers, in order. */
  uploads: string[]
  /** Calls that it knows no answer to, and tokens that it refused. */
  unexpected: string[]
  tails: Map<string, string>
  /** What a query for stored logs gives. */
  logEvents: Record<string, unknown>[]
}

export const createPlatformState = (): PlatformState => ({
  scripts: new Map(),
  queues: new Map(),
  kv: new Set(),
  d1: new Set(),
  r2: new Set(),
  calls: [],
  uploads: [],
  unexpected: [],
  tails: new Map(),
  logEvents: [],
})

/** Something that was deployed before, as if by an upload. */
export const addScript = (
  { scripts }: PlatformState,
  name: string,
  {
    bindings = [],
    ...more
  }: Partial<StandInScript> & Pick<Partial<UploadMetadata>, 'bindings'> = {},
): StandInScript => {
  const script = {
    name,
    modified: '2026-01-01T00:00:00.000Z',
    metadata: {
      main_module: 'index.js',
      compatibility_date: '2026-07-30',
      compatibility_flags: [],
      bindings,
    },
    modules: { 'index.js': '' },
    secrets: {},
    crons: [],
    onSubdomain: true,
    versions: ['v1'],
    deployments: ['v1'],
    ...more,
  }
  scripts.set(name, script)
  return script
}
