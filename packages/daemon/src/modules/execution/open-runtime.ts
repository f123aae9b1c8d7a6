import { reasonOf } from '@steward/contract'
import type { LocalRuntime } from '@steward/runner'
import type { Log } from '../../log/log.ts'

/** The open runtime, replaced when settings change. */
export interface OpenRuntime {
  start: () => Promise<void>
  /** The current runtime. */
  current: () => LocalRuntime
  /** Uses the runtime and keeps it open until done, even if it is replaced meanwhile. */
  use: <T>(work: (steward: LocalRuntime) => Promise<T>) => Promise<T>
  /** Opens a new runtime with the current configuration; on failure the old one is kept. */
  replace: () => Promise<void>
  close: () => Promise<void>
}

interface Holding {
  steward: LocalRuntime
  users: number
  replaced: boolean
}

/**
 * Budgets, hosts and keys are read when a runtime is opened, so new settings need a new runtime.
 */
export const createOpenRuntime = (open: () => Promise<LocalRuntime>, log: Log): OpenRuntime => {
  let holding: Holding | undefined

  const held = (): Holding => {
    if (holding === undefined) throw new Error('it was not started')
    return holding
  }
  const closeWhenUnused = async (old: Holding): Promise<void> => {
    if (!old.replaced || old.users > 0) return
    await old.steward.close().catch((thrown: unknown) => {
      log.error(`closing the run history: ${reasonOf(thrown)}`)
    })
  }
  const take = async (): Promise<void> => {
    holding = { steward: await open(), users: 0, replaced: false }
  }

  return {
    start: take,
    current: () => held().steward,
    use: async (work) => {
      const mine = held()
      mine.users += 1
      try {
        return await work(mine.steward)
      } finally {
        mine.users -= 1
        await closeWhenUnused(mine)
      }
    },
    replace: async () => {
      const old = held()
      try {
        await take()
      } catch (thrown) {
        log.error(`the new settings cannot be used; keeping the old ones: ${reasonOf(thrown)}`)
        return
      }
      old.replaced = true
      await closeWhenUnused(old)
    },
    close: async () => {
      if (holding === undefined) return
      holding.replaced = true
      await closeWhenUnused(holding)
    },
  }
}
