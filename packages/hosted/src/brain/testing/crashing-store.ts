import type { HostedDatabase } from '../../database/hosted-database.ts'

/** When a brain dies: at its n-th write, just before or just after the write is on disk. */
export interface Crash {
  write: number
  when: 'before' | 'after'
}

class Crashed extends Error {}

/** The store as seen by a process that dies at a certain write: later operations have no effect. */
export const crashAt = (
  database: HostedDatabase,
  crash: Crash | undefined,
): { store: HostedDatabase; writes: () => number; crashed: () => boolean } => {
  let writes = 0
  let dead = false
  const check = (): void => {
    if (dead) throw new Crashed('this process is dead')
  }
  const store: HostedDatabase = {
    ...database,
    read: async (tx) => {
      check()
      return database.read(tx)
    },
    write: async (tx) => {
      check()
      writes += 1
      const dies = writes === crash?.write
      if (dies && crash?.when === 'before') {
        dead = true
        check()
      }
      const value = await database.write(tx)
      if (dies) dead = true
      check()
      return value
    },
    hear: (listener, sessionId) =>
      database.hear((announcement) => {
        if (!dead) listener(announcement)
      }, sessionId),
  }
  return { store, writes: () => writes, crashed: () => dead }
}
