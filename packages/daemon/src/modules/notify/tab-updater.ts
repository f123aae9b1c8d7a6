import { reasonOf } from '@steward/contract'
import { recallTab, type TabLook, updateTab } from '@steward/notify'
import type { NotifyModulePorts } from './ports.ts'

export interface TabUpdater {
  /** Returns immediately; failures are logged. */
  update: (sessionId: string, look: TabLook) => void
  /** Resolves when no update is pending. */
  settle: () => Promise<void>
  counts: () => { updated: number; gone: number; failed: number; lastError: string | null }
}

/**
 * Updates terminal tabs: only the tab remembered for the session. While a terminal is slow, only
 * the newest update of its session waits.
 */
export const createTabUpdater = (
  ports: Pick<NotifyModulePorts, 'home' | 'log' | 'tabs'>,
): TabUpdater => {
  const { home, log, tabs } = ports
  const newest = new Map<string, TabLook>()
  const running = new Map<string, Promise<void>>()
  const counts = { updated: 0, gone: 0, failed: 0 }
  let lastError: string | null = null

  const recordFault = (reason: string): void => {
    counts.failed++
    if (lastError !== reason) log.warn(`a terminal tab was not changed: ${reason}`)
    lastError = reason
  }

  const show = async (sessionId: string, look: TabLook): Promise<void> => {
    const target = await recallTab(home, sessionId)
    if (!target.ok) return recordFault(target.error.message)
    if (target.value === undefined) return
    const done = await updateTab(target.value, look, tabs)
    if (!done.ok) return recordFault(done.error.message)
    counts[done.value]++
    lastError = null
  }

  const run = async (sessionId: string): Promise<void> => {
    for (let next = newest.get(sessionId); next !== undefined; next = newest.get(sessionId)) {
      newest.delete(sessionId)
      try {
        await show(sessionId, next)
      } catch (thrown) {
        recordFault(reasonOf(thrown))
      }
    }
    running.delete(sessionId)
  }

  return {
    update: (sessionId, look) => {
      newest.set(sessionId, look)
      if (!running.has(sessionId)) running.set(sessionId, run(sessionId))
    },
    settle: async () => {
      await Promise.all(running.values())
    },
    counts: () => ({ ...counts, lastError }),
  }
}
