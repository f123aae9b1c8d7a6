import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'

const KINDS_OF_FAULTS = 7

it('holds through one fault of each kind; `npm run chaos` goes on for longer', async () => {
  const script = join(import.meta.dirname, '../chaos/run.ts')
  const args = [script, '--seed', '20261116', '--rounds', String(KINDS_OF_FAULTS)]
  const env = { ...process.env, XDG_CACHE_HOME: CACHE_HOME }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(stdout).toContain('Nothing acknowledged was lost or doubled.')
  expect(stdout.match(/: held \(/g)).toHaveLength(KINDS_OF_FAULTS)
})
