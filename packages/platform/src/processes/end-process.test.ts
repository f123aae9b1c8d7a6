import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { endGroup, endProcess } from './end-process.ts'
import { isAlive } from './start-time.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A shell that leads a process group, and the process it waits for. */
const startFamily = async () => {
  const child = spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  const [told] = await once(child.stdout, 'data')
  return { head: child.pid, member: Number(String(told)), gone: once(child, 'exit') }
}

it('kills a process but not its children; a group with all of them', async () => {
  const { head, member, gone } = await startFamily()
  endProcess(head)
  await gone
  expect(isAlive(member)).toBe(true)
  endGroup(head)
  await expect.poll(() => isAlive(member)).toBe(false)
})

it('ignores processes that ended or never existed', async () => {
  const { head, gone } = await startFamily()
  endGroup(head)
  await gone
  await expect.poll(() => isAlive(head ?? 0)).toBe(false)
  for (const pid of [head, undefined, 0, 1]) {
    endProcess(pid)
    endGroup(pid)
  }
})
