import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER, PACKED_LAUNCHER } from './launcher.ts'

/** Beside the staged program, and removed with it after the run. */
const SHARED = join(PACKED_LAUNCHER, '../../../built-workers')
const READY = join(SHARED, 'ready')
const PRINTED = join(SHARED, 'printed.txt')
const POLL_MS = 100

/**
 * Copies prebuilt library workers into a test's folder: the first test that asks builds them, and
 * `edge up` then builds only what the test adds. Returns what the build of all workers printed.
 */
export const copyBuiltWorkers = async (cli: Cli): Promise<string> => {
  if (isFirst()) await buildShared()
  while (!existsSync(READY)) await wait(POLL_MS)
  cpSync(join(SHARED, 'workers'), join(cli.files, 'workers'), { recursive: true })
  return readFileSync(PRINTED, 'utf8')
}

const isFirst = (): boolean => mkdirSync(SHARED, { recursive: true }) !== undefined

const buildShared = async (): Promise<void> => {
  const builder = createCli(CLONE_LAUNCHER)
  try {
    const { code, stdout, stderr } = await builder.run([
      'edge',
      'build',
      '--out',
      join(SHARED, 'workers'),
    ])
    // Without them each test builds its own workers and reports errors there.
    mkdirSync(join(SHARED, 'workers'), { recursive: true })
    if (code !== 0) console.error(stderr)
    writeFileSync(PRINTED, stdout)
    mkdirSync(READY)
  } finally {
    builder.remove()
  }
}
