import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER, PACKED_LAUNCHER } from './launcher.ts'

/** Gone with the staged program after the run. */
const SHARED = join(PACKED_LAUNCHER, '../../built-workers')
const READY = join(SHARED, 'ready')
const POLL_MS = 100

/**
 * Puts the library's workers into a test's folder, built before: the first test of a run that asks
 * builds them, and `edge up` then builds only what the test adds. `deploy-library` builds from nothing.
 */
export const copyBuiltWorkers = async (cli: Cli): Promise<void> => {
  if (isFirst()) await buildShared()
  while (!existsSync(READY)) await wait(POLL_MS)
  cpSync(join(SHARED, 'workers'), join(cli.files, 'workers'), { recursive: true })
}

const isFirst = (): boolean => mkdirSync(SHARED, { recursive: true }) !== undefined

const buildShared = async (): Promise<void> => {
  const builder = createCli(CLONE_LAUNCHER)
  try {
    const { code, stderr } = await builder.run(['edge', 'build', '--out', join(SHARED, 'workers')])
    // Without them each test builds its own, and says what is wrong there.
    mkdirSync(join(SHARED, 'workers'), { recursive: true })
    if (code !== 0) console.error(stderr)
    mkdirSync(READY)
  } finally {
    builder.remove()
  }
}
