import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface WorkerFiles {
  /** The module that runs in workerd, or in the sandbox. */
  code: string
  tier?: 'isolate' | 'sandbox'
  /** Contains the user's code and runs in a process of its own. */
  apart?: boolean
  /** Further fields of wrangler.jsonc. */
  configuration?: Record<string, unknown>
}

/** A hand-written worker directory, without our factories. */
export const writeWorkerFiles = (folder: string, short: string, files: WorkerFiles): void => {
  const { code, tier = 'isolate', apart = false, configuration = {} } = files
  const directory = join(folder, short)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, tier === 'isolate' ? 'index.js' : 'container.js'), code)
  writeFileSync(join(directory, 'steward.json'), JSON.stringify({ tier, apart }))
  const complete = {
    name: `exec-${short}`,
    main: 'index.js',
    compatibility_date: '2026-07-30',
    compatibility_flags: ['nodejs_compat'],
    ...configuration,
  }
  writeFileSync(join(directory, 'wrangler.jsonc'), JSON.stringify(complete))
}
