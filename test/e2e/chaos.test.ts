import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { copyBuiltWorkers } from './built-workers.ts'
import { createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

const KINDS_OF_FAULTS = 9

it('survives one fault of each kind; `npm run chaos` runs for longer', async () => {
  const script = join(import.meta.dirname, '../chaos/run.ts')
  const cli = createCli(CLONE_LAUNCHER)
  await copyBuiltWorkers(cli)
  const workers = join(cli.files, 'workers')
  const rounds = String(KINDS_OF_FAULTS)
  const args = [script, '--seed', '20261116', '--rounds', rounds, '--workers', workers]
  const env = { ...process.env, XDG_CACHE_HOME: CACHE_HOME }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  cli.remove()
  expect(stdout).toContain('Nothing acknowledged was lost or doubled.')
  expect(stdout.match(/: held \(/g)).toHaveLength(KINDS_OF_FAULTS)
})
