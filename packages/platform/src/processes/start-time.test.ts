import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive, readStartTime } from './start-time.ts'

/** The kernel's process table, and the command for other systems. */
const WAYS = process.platform === 'linux' ? (['linux', 'darwin'] as const) : (['darwin'] as const)

const started: ChildProcess[] = []
const startSleeper = async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  started.push(child)
  await once(child, 'spawn')
  return { child, pid: child.pid ?? 0 }
}
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

describe.each(WAYS)('process identity on %s', (platform) => {
  it('is the same at every look, and digits only: it becomes part of names', async () => {
    const { pid } = await startSleeper()
    const first = readStartTime(pid, platform)
    expect(first).toMatch(/^[1-9]\d*$/)
    expect(readStartTime(pid, platform)).toBe(first)
    expect(isAlive(pid, platform)).toBe(true)
  })

  it('distinguishes a current process from an earlier one', () => {
    expect(readStartTime(process.pid, platform)).not.toBe(readStartTime(process.ppid, platform))
  })

  it('is undefined after the process has ended', async () => {
    const { child, pid } = await startSleeper()
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    expect(readStartTime(pid, platform)).toBeUndefined()
    expect(isAlive(pid, platform)).toBe(false)
  })

  it("does not depend on the caller's time zone or language", async () => {
    const { pid } = await startSleeper()
    const here = readStartTime(pid, platform)
    const { TZ, LC_ALL } = process.env
    try {
      process.env.TZ = 'Asia/Kathmandu'
      process.env.LC_ALL = 'de_DE.UTF-8'
      expect(readStartTime(pid, platform)).toBe(here)
    } finally {
      for (const [name, value] of Object.entries({ TZ, LC_ALL })) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
})
