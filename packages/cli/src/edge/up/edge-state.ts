import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { PortMemory } from '@steward/edge'
import { type Home, holdLock, type Lock, readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'

const edgeMemory = z.object({
  basePort: z.int().optional(),
  ports: z.record(z.string(), z.int()).default({}),
  /** Where the worker directories were at the last start. */
  workersFolder: z.string().optional(),
  /** What time it was on the virtual clock of the last start; null when that went by real time. */
  virtualNow: z.string().nullable().default(null),
})
export type EdgeMemory = z.infer<typeof edgeMemory>

/** What the local edge keeps in the data home. */
export interface EdgeState {
  folder: string
  /** The durable queues of the local edge, apart from those of local flows: its leases are its own. */
  queueDatabase: string
  read(): Promise<EdgeMemory>
  rememberPorts(memory: PortMemory): Promise<void>
  rememberStart(start: { workersFolder: string; virtualNow: string | null }): Promise<void>
  rememberClock(virtualNow: string): Promise<void>
  /** One local edge a data home: two would deliver every message twice. */
  lock(): Lock
}

export const edgeStateOf = (home: Home): EdgeState => {
  const folder = join(home.databases, 'edge')
  const file = join(folder, 'edge.json')
  const empty: EdgeMemory = { ports: {}, virtualNow: null }
  const update = async (change: Partial<EdgeMemory>): Promise<void> => {
    const updated = await updateStateFile(file, edgeMemory, empty, (now) => ({ ...now, ...change }))
    if (!updated.ok) throw updated.error
  }
  return {
    folder,
    queueDatabase: join(folder, 'queues.sqlite'),
    read: async () => {
      const read = await readStateFile(file, edgeMemory, empty)
      if (!read.ok) throw read.error
      return read.value
    },
    rememberPorts: ({ basePort, ports }) => update({ basePort, ports: { ...ports } }),
    rememberStart: update,
    rememberClock: (virtualNow) => update({ virtualNow }),
    lock: () => {
      const lock = holdLock(join(folder, 'lock'))
      if (lock !== undefined) return lock
      throw new StewardError('run_active', {
        subject: `the local edge of ${home.root}`,
        reason: 'one at a time; stop the other, or set STEWARD_HOME to another folder',
      })
    },
  }
}
