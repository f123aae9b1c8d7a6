import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../processes/start-time.ts'
import { endLeftSandboxes, markSandbox } from './left-sandboxes.ts'

const start = (name: string): ChildProcess => {
  const child = spawn('sleep', ['1000'], { argv0: name, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

it.runIf(process.platform === 'linux')(
  'ends sandboxes of processes that were killed, and no others',
  async () => {
    const owner = spawn('sleep', ['1000'], { stdio: 'ignore' })
    const mark = markSandbox(owner.pid)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    const left = start(mark)
    const others = [
      start(markSandbox()),
      // The same pid in another container.
      start(mark.replace(/pid:\[\d+\]$/, 'pid:[1]')),
      start('sleep'),
    ]
    const ended = once(left, 'exit')
    expect(endLeftSandboxes()).toBeGreaterThanOrEqual(1)
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(others.map(({ pid }) => isAlive(pid ?? 0))).toEqual([true, true, true])
  },
)
