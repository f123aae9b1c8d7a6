import { join } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { type Home, holdLock, type Lock, readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'
import type { PortMemory } from './assign-ports.ts'

const edgeMemory = z.object({
  basePort: z.int().optional(),
  ports: z.record(z.string(), z.int()).default({}),
  /** Where the worker directories were at the last start. */
  workersFolder: z.string().optional(),
  /** The time on the virtual clock of the last start; null if it used real time. */
  virtualNow: z.string().nullable().default(null),
})
type EdgeMemory = z.infer<typeof edgeMemory>

/** The local edge's files in the data home. */
export interface EdgeState {
  folder: string
  /** The durable queues of the local edge, separate from those of local flows because of the leases. */
  queueDatabase: string
  read(): Promise<EdgeMemory>
  readPorts(): Promise<PortMemory | undefined>
  rememberPorts(memory: PortMemory): Promise<void>
  rememberStart(start: { workersFolder: string; virtualNow: string | null }): Promise<void>
  rememberClock(virtualNow: string): Promise<void>
  /** One local edge per data home: two would deliver every message twice. */
  lock(): Lock
}

export const edgeStateOf = (home: Home): EdgeState => {
  const folder = join(home.databases, 'edge')
  const file = join(folder, 'edge.json')
  const empty: EdgeMemory = { ports: {}, virtualNow: null }
  const update = async (change: Partial<EdgeMemory>): Promise<void> => {
    unwrap(await updateStateFile(file, edgeMemory, empty, (now) => ({ ...now, ...change })))
  }
  const read = async (): Promise<EdgeMemory> => {
    const stored = unwrap(await readStateFile(file, edgeMemory, empty))
    return stored
  }
  return {
    folder,
    queueDatabase: join(folder, 'queues.sqlite'),
    read,
    readPorts: async () => {
      const { basePort, ports } = await read()
      return basePort === undefined ? undefined : { basePort, ports }
    },
    rememberPorts: ({ basePort, ports }) => update({ basePort, ports: { ...ports } }),
    rememberStart: update,
    rememberClock: (virtualNow) => update({ virtualNow }),
    lock: () => {
      const lock = holdLock(join(folder, 'lock'))
      if (lock !== undefined) return lock
      throw new StewardError('run_active', {
        subject: `the local edge of ${home.root}`,
        reason: 'only one can run per data home; stop it, or set STEWARD_HOME to another folder',
      })
    },
  }
}
