import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBackoff, type DaemonProcess, keepRunning } from './keep-running.ts'

/** A supervisor whose processes and time are controlled by the test. */
const supervised = () => {
  const processes: Array<{ end: (how: number | string) => void; signals: string[] }> = []
  const timers = new Map<number, { delayMs: number; action: () => void }>()
  const lines: string[] = []
  let clock = 0
  let nextTimer = 0
  const start = (): DaemonProcess => {
    const { promise, resolve } = Promise.withResolvers<number | string>()
    const signals: string[] = []
    processes.push({ end: resolve, signals })
    return {
      pid: processes.length,
      ended: promise,
      lastError: () => 'a daemon already runs on this data home: pid 5',
      signal: (name) => void signals.push(name),
    }
  }
  const kept = keepRunning({
    start,
    now: () => clock,
    setTimer: (delayMs, action) => {
      const id = nextTimer++
      timers.set(id, { delayMs, action })
      return () => timers.delete(id)
    },
    say: (line) => void lines.push(line),
    changed: () => undefined,
    supervisorPid: 7,
  })
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return {
    kept,
    processes,
    timers,
    lines,
    end: async (how: number | string, uptimeMs = 0) => {
      clock += uptimeMs
      processes.at(-1)?.end(how)
      await settle()
    },
    fire: () => {
      const [id, timer] = [...timers][0] ?? []
      if (id === undefined || timer === undefined) throw new Error('nothing waits')
      timers.delete(id)
      timer.action()
      return timer.delayMs
    },
    settle,
  }
}

describe('the built-in supervisor', () => {
  it('restarts a failed daemon with growing delays, and quickly once it ran well', async () => {
    const { kept, end, fire, processes } = supervised()
    await end(1)
    expect(kept.state()).toMatchObject({ state: 'waiting', pid: null, lastExit: 'exit code 1' })
    expect(fire()).toBe(1000)
    await end('SIGKILL')
    expect(fire()).toBe(2000)
    await end(1, 61_000)
    expect(fire()).toBe(1000)
    expect(kept.state()).toMatchObject({ state: 'running', pid: 4, restarts: 3 })
    expect(processes).toHaveLength(4)
  })

  it('leaves a daemon alone that ended well', async () => {
    const { kept, end, timers } = supervised()
    await end(0)
    await kept.over
    expect(kept.state()).toMatchObject({ state: 'ended', restarts: 0 })
    expect(timers.size).toBe(0)
  })

  it('does not restart a daemon after a conflict with another one, and keeps the reason', async () => {
    const { kept, end, timers, lines } = supervised()
    await end(4)
    await kept.over
    expect(kept.state()).toMatchObject({
      state: 'refused',
      restarts: 0,
      refusal: 'a daemon already runs on this data home: pid 5',
    })
    expect(timers.size).toBe(0)
    expect(lines.at(-1)).toContain('not restarted')
  })

  it('stops gracefully, and kills only after the time limit', async () => {
    const { kept, processes, end, fire, settle } = supervised()
    const stopped = kept.stop()
    await settle()
    expect(processes[0]?.signals).toEqual(['SIGTERM'])
    fire()
    expect(processes[0]?.signals).toEqual(['SIGTERM', 'SIGKILL'])
    await end('SIGKILL')
    await stopped
    await kept.over
    expect(processes).toHaveLength(1)
  })

  it('stops while waiting to restart, and starts nothing afterwards', async () => {
    const { kept, end, timers } = supervised()
    await end(1)
    await kept.stop()
    expect(timers.size).toBe(0)
  })

  it('restarts without counting it as a failure', async () => {
    const { kept, end } = supervised()
    const restarted = kept.restart()
    await end(0)
    await restarted
    expect(kept.state()).toMatchObject({ state: 'running', pid: 2, restarts: 0 })
  })
})

it('never waits longer than a minute nor less than a second', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(120_000)), (uptimes) => {
      const backoff = createBackoff()
      for (const uptimeMs of uptimes) {
        const delayMs = backoff.next(uptimeMs)
        expect(delayMs).toBeGreaterThanOrEqual(1000)
        expect(delayMs).toBeLessThanOrEqual(60_000)
        if (uptimeMs >= 60_000) expect(delayMs).toBe(1000)
      }
    }),
  )
})
