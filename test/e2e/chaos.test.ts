import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { FAULTS } from '../chaos/faults.ts'
import { copyBuiltWorkers } from './built-workers.ts'
import { createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

const EDGE_FAULTS = ['kill the local edge', 'kill workerd']
/** `hostile-pages.test.ts` and `hostile-actions.test.ts` run these. */
const RUN_ELSEWHERE = ['read freezing pages', 'run hostile actions']
const OTHER_FAULTS = Object.keys(FAULTS).filter(
  (name) => ![...EDGE_FAULTS, ...RUN_ELSEWHERE].includes(name),
)

/** One round of each kind; `npm run chaos` runs for longer. */
const survive = async (faults: readonly string[], more: readonly string[] = []): Promise<void> => {
  const script = join(import.meta.dirname, '../chaos/run.ts')
  const rounds = ['--rounds', String(faults.length), '--faults', faults.join(',')]
  const args = [script, '--seed', '20261116', ...rounds, ...more]
  const env = { ...process.env, XDG_CACHE_HOME: CACHE_HOME }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(stdout).toContain('Nothing acknowledged was lost or doubled.')
  expect(stdout.match(/: held \(/g)).toHaveLength(faults.length)
}

it('survives one fault of each kind in runner, daemon and hosted server', () =>
  survive(OTHER_FAULTS))

it('survives the death of the local edge and of workerd', async () => {
  const cli = createCli(CLONE_LAUNCHER)
  try {
    await copyBuiltWorkers(cli)
    await survive(EDGE_FAULTS, ['--workers', join(cli.files, 'workers')])
  } finally {
    cli.remove()
  }
})
