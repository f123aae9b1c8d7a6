import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive, readStartTime } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endOrphans, recordRunning } from './running.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'steward-running-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const startSleeper = async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true })
  await once(child, 'spawn')
  if (child.pid === undefined) throw new Error('no sleeper')
  return { child, pid: child.pid }
}

/** A record left by a killed server: its pid is unused, or belongs to another process by now. */
const leaveRecord = async (server: string, pid: number, startTime: string) => {
  const folder = join(home, 'hosted', 'running', server)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `process-${pid}`), startTime)
}

describe.runIf(process.platform === 'linux')('leftovers of a killed server', () => {
  it('are killed at the next start', async () => {
    const { child, pid } = await startSleeper()
    const gone = once(child, 'exit')
    await leaveRecord(`${process.pid}-1-1`, pid, readStartTime(pid) ?? '')
    expect(await endOrphans(home)).toBe(1)
    await gone
    expect(await readdir(join(home, 'hosted', 'running'))).toEqual([])
  })

  it('never include another process that reused the pid', async () => {
    const { child, pid } = await startSleeper()
    await leaveRecord('999999999-5-1', pid, '12345')
    expect(await endOrphans(home)).toBe(0)
    expect(isAlive(pid)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  it('may be a nested control group', async () => {
    const running = recordRunning(home)
    const group = `/sys/fs/cgroup/${'within-another/'.repeat(15)}sesn`
    running.addGroup(group)
    expect(await readdir(join(home, 'hosted', 'running', running.name))).toHaveLength(1)
    running.removeGroup(group)
    expect(await readdir(join(home, 'hosted', 'running', running.name))).toEqual([])
    running.close()
  })

  it('may be an unrecorded group within a recorded one', async () => {
    const group = join(home, 'group')
    await mkdir(join(group, 'sesn_unknown'), { recursive: true })
    await mkdir(join(home, 'hosted', 'running', '999999999-5-1'), { recursive: true })
    const record = join(home, 'hosted', 'running', '999999999-5-1', 'group-1')
    await writeFile(record, group)
    await endOrphans(home)
    expect(await readdir(home)).toEqual(['hosted'])
  })

  it('are left alone while their server lives', async () => {
    const { child, pid } = await startSleeper()
    const running = recordRunning(home)
    running.add(pid)
    expect(await endOrphans(home)).toBe(0)
    expect(isAlive(pid)).toBe(true)
    running.remove(pid)
    running.close()
    expect(await readdir(join(home, 'hosted', 'running'))).toEqual([])
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  it('may be empty', async () => {
    expect(await endOrphans(home)).toBe(0)
  })
})
