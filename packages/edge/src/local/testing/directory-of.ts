import type { WorkerDirectory } from '../worker-directory.ts'

/** A worker directory in memory, with only what a test specifies. */
export const directoryOf = (
  short: string,
  { configuration, ...more }: DirectoryParts = {},
): WorkerDirectory => ({
  path: `/workers/${short}`,
  name: short.toUpperCase().replaceAll('-', '_'),
  worker: `exec-${short}`,
  tier: 'isolate',
  network: false,
  apart: false,
  timeoutMs: 300_000,
  secrets: ['AUTH_TOKEN'],
  code: '',
  ...more,
  configuration: {
    name: `exec-${short}`,
    main: 'index.js',
    compatibility_date: '2026-07-30',
    compatibility_flags: [],
    vars: {},
    services: [],
    triggers: { crons: [] },
    queues: { producers: [], consumers: [] },
    kv_namespaces: [],
    d1_databases: [],
    r2_buckets: [],
    durable_objects: { bindings: [] },
    ...configuration,
  },
})

type DirectoryParts = Partial<Omit<WorkerDirectory, 'configuration'>> & {
  configuration?: Partial<WorkerDirectory['configuration']>
}
