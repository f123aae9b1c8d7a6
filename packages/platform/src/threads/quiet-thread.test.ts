import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { QUIET_THREAD } from './quiet-thread.ts'

const THREAD = `
  process.emitWarning('SQLite is experimental', 'ExperimentalWarning')
  process.emitWarning('old', 'DeprecationWarning')
`

test('a thread hides warnings about experimental features and prints all others', () => {
  const options = JSON.stringify({ eval: true, ...QUIET_THREAD })
  const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(THREAD)}, ${options})`
  const { stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  expect(stderr).toContain('DeprecationWarning: old')
  expect(stderr).not.toContain('ExperimentalWarning')
})
