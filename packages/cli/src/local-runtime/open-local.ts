import { resolveHome } from '@steward/platform'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import type { Io } from '../io.ts'
import { createLazyNotifier, type LazyNotifier } from '../notifier/lazy-notifier.ts'
import { findInstallation } from '../setup/installation.ts'
import { createRunTurn } from './run-turn.ts'

/** Opens the local runtime and the notifier for the duration of `use`. */
export const withLocalRuntime = async <Value>(
  io: Io,
  use: (steward: LocalRuntime, notifier: LazyNotifier) => Promise<Value>,
  library: string = findInstallation().library,
): Promise<Value> => {
  const notifier = createLazyNotifier(io)
  const steward = await openLocalRuntime({
    env: io.env,
    homedir: io.homedir,
    builtIn: library,
    sendNotice: notifier.sendNotice,
    // Loaded when a flow writes a note, because few commands do.
    writeNote: async (note) => {
      const { archiveAt, writeFlowNote } = await import('@steward/knowledge')
      return writeFlowNote(archiveAt(resolveHome(io.env, io.homedir)), note, () => new Date())
    },
    readUsage: async (period) => {
      const { readPeriod } = await import('@steward/assistants')
      const { root, databases } = resolveHome(io.env, io.homedir)
      const place = { env: io.env, homedir: io.homedir, home: root, databases }
      return readPeriod(place, period, io.now())
    },
    assistant: createRunTurn(io),
  })
  try {
    return await use(steward, notifier)
  } finally {
    await steward.close()
    await notifier.close()
  }
}
