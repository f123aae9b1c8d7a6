import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeLargeHome } from '../../bench/daemon/large-home.ts'
import { type Cli, createCli } from './cli-process.ts'
import { startDaemonProcess } from './daemon-process.ts'

const LOGS_MB = 200
const WEEK_DAYS = 7

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(() => {
  cli.remove()
})

/** The most memory that a daemon used from its start until it has written the diary's pages. */
const mostMemory = async (pages: number): Promise<number> => {
  const daemon = await startDaemonProcess(cli)
  try {
    const diary = join(cli.home, 'USER/ASSISTANT/diary')
    await vi.waitFor(
      () => expect(existsSync(diary) ? readdirSync(diary) : []).toHaveLength(pages),
      { timeout: 60_000, interval: 50 },
    )
    expect((await daemon.health()).ready).toBe(true)
    const [, kilobytes] =
      /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes)
  } finally {
    await daemon.stop()
  }
}

test.skipIf(process.platform !== 'linux')(
  'a start with large logs needs little more memory than one without',
  async () => {
    const without = await mostMemory(0)
    await writeLargeHome(cli.home, LOGS_MB)
    expect(await mostMemory(WEEK_DAYS)).toBeLessThan(without * 1.5)
  },
  120_000,
)
