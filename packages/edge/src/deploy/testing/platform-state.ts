import type { UploadMetadata } from './upload-metadata.ts'

export interface StandInScript {
  name: string
  modified: string
  /** The last upload: the metadata and each module's text. */
  metadata: UploadMetadata
  modules: Record<string, string>
  secrets: Record<string, string>
  crons: string[]
  onSubdomain: boolean
  /** The versions, oldest first. */
  versions: string[]
  /** Versions in the order of their deployment. */
  deployments: string[]
}

export interface StandInQueue {
  id: string
  name: string
  consumers: Record<string, unknown>[]
}

export interface PlatformCall {
  method: string
  /** Without the account's part. */
  path: string
  body: unknown
}

/** The state of the stand-in; tests read and prepare it. */
export interface PlatformState {
  scripts: Map<string, StandInScript>
  queues: Map<string, StandInQueue>
  /** Ids of namespaces and databases that exist. */
  kv: Set<string>
  d1: Set<string>
  /** Names of buckets. */
  r2: Set<string>
  /** Names of resources by id; the others are named like their id. */
  names: Map<string, string>
  calls: PlatformCall[]
  /** Names of uploaded workers, in order. */
  uploads: string[]
  /** Unknown calls and rejected tokens. */
  unexpected: string[]
  tails: Map<string, string>
  /** The result of a query for stored logs. */
  logEvents: Record<string, unknown>[]
}

export const createPlatformState = (): PlatformState => ({
  scripts: new Map(),
  queues: new Map(),
  kv: new Set(),
  d1: new Set(),
  r2: new Set(),
  names: new Map(),
  calls: [],
  uploads: [],
  unexpected: [],
  tails: new Map(),
  logEvents: [],
})

/** Adds a script as if it had been uploaded before. */
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
