import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
let daemon: DaemonProcess | undefined
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon?.kill()
  daemon = undefined
  cli.remove()
})

const schedule = (folder: string) => {
  mkdirSync(cli.home, { recursive: true })
  const settings = { backup: { folder, every: 'day', keep: 3 } }
  writeFileSync(join(cli.home, 'settings.json'), JSON.stringify(settings))
}
const backupsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
  } catch {
    return []
  }
}

it('the daemon backs up on schedule while it works, and the backup restores elsewhere', async () => {
  const folder = join(cli.files, 'backups')
  await cli.json(['trigger', 'F_SAMPLE_DIGEST', '--json'])
  schedule(folder)
  daemon = await startDaemonProcess(cli)
  await expect.poll(() => backupsIn(folder)).toHaveLength(1)
  await expect
    .poll(async () => (await daemon?.health())?.subsystems.backup)
    .toMatchObject({ status: 'ok', lastSuccessAt: expect.any(String) })

  const env = { STEWARD_HOME: join(cli.files, 'elsewhere') }
  const [name = ''] = backupsIn(folder)
  await cli.json(['restore', join(folder, name), '--json'], { env })
  const digest = (home: string) => readFileSync(join(home, 'OUTPUT/digest.md'), 'utf8')
  expect(digest(env.STEWARD_HOME)).toBe(digest(cli.home))
  const [run] = rowsOf(env.STEWARD_HOME)
  expect(run).toEqual(rowsOf(cli.home)[0])
  // What the flow has seen was restored too: nothing is delivered again.
  expect(await cli.json(['trigger', 'F_SAMPLE_DIGEST', '--json'], { env })).toMatchObject({
    outcome: 'nothing-new',
  })
})

const rowsOf = (home: string) => {
  const database = new DatabaseSync(join(home, 'state/history.sqlite'), { readOnly: true })
  try {
    return database.prepare('SELECT * FROM runs ORDER BY id').all()
  } finally {
    database.close()
  }
}

it('a backup that fails is named by health and doctor', async () => {
  const blocked = join(cli.files, 'a-file')
  writeFileSync(blocked, '')
  schedule(join(blocked, 'backups'))
  daemon = await startDaemonProcess(cli)
  await expect
    .poll(async () => (await daemon?.health())?.subsystems.backup)
    .toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('the last backup failed')],
    })
  const { stdout, code } = await cli.run(['doctor', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({
      check: 'backup',
      status: 'fail',
      message: expect.stringContaining('ENOTDIR'),
    }),
  )
})
