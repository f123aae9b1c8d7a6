import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import { serveTopics } from '../../packages/daemon/src/modules/attention/testing/serve-topics.ts'
import { createMachine, type Machine } from './machine.ts'
import { startVendor, type Vendor } from './vendor.ts'

/** A person's machine, with a vendor and a push service on loopback. */
export interface World extends Machine {
  vendor: Vendor
  ntfy: Awaited<ReturnType<typeof serveTopics>>
  configure: (more?: JsonObject) => void
  /** How often the command of a task was run. */
  runsOf: (task: string) => number
}

/** Marks the project with every run, so that a second one shows. */
const MARK = `import { appendFileSync } from 'node:fs'
appendFileSync(process.argv[2] + '.mark', 'x')
`

/** `launcher` starts the program as it is published, whatever happens to the sources meanwhile. */
export const createWorld = async (
  launcher: string,
  programs: Readonly<Record<string, string>>,
  edge: JsonObject,
  authToken: string,
): Promise<World> => {
  const machine = await createMachine(launcher, programs)
  const { home, project } = machine
  writeFileSync(join(project, 'mark.mjs'), MARK)
  writeFileSync(join(home, '.env'), `AUTH_TOKEN=${authToken}\n`, { mode: 0o600 })
  const ntfy = await serveTopics()
  const vendor = await startVendor()
  const configure: World['configure'] = (answers = {}) =>
    writeFileSync(
      join(home, 'settings.json'),
      JSON.stringify({
        voice: { provider: 'none' },
        edge,
        answers: { waitSeconds: 120, hiddenPromptSeconds: 120, ...answers },
        notifications: {
          push: { enabled: true, topic: 'steward-0123456789', server: ntfy.address },
          thresholds: { waitingSeconds: 0 },
        },
      }),
    )
  configure()
  return {
    ...machine,
    vendor,
    ntfy,
    configure,
    runsOf: (task) => {
      const file = join(project, `${task}.mark`)
      return existsSync(file) ? readFileSync(file, 'utf8').length : 0
    },
    close: async () => {
      ntfy.close()
      vendor.stop()
      await machine.close()
    },
  }
}
