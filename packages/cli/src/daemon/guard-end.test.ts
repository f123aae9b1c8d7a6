import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const importOf = (name: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href)
const GUARD = `import { guardEnd } from ${importOf('guard-end.ts')}`
const BLOCK = 'for (;;);'

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill('SIGKILL')
})

/** Starts a program, and gives its lines and how it ends; it prints `ready` when it is to be stopped. */
const start = async (...lines: string[]) => {
  const started = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  const printed: string[] = []
  let errors = ''
  started.stderr.on('data', (data: Buffer) => {
    errors += data.toString()
  })
  const ready = Promise.withResolvers<void>()
  createInterface({ input: started.stdout }).on('line', (line) => {
    printed.push(line)
    if (line === 'ready') ready.resolve()
  })
  const ended = once(started, 'close')
  await Promise.race([ready.promise, ended])
  return { kill: () => started.kill('SIGTERM'), ended, printed, errors: () => errors }
}

const say = (line: string): string => `process.getBuiltinModule('fs').writeSync(1, '${line}\\n')`

describe.skipIf(process.platform === 'win32')('guardEnd', () => {
  it('ends a process that blocks when it is asked to stop', async () => {
    const { kill, ended, printed } = await start(
      GUARD,
      `process.on('SIGTERM', () => { guardEnd(200); ${say('blocked')}; ${BLOCK} })`,
      'setInterval(() => undefined, 1000)',
      say('ready'),
    )
    kill()
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(printed).toEqual(['ready', 'blocked'])
  })

  it('ends with the process, whose exit code stays its own', async () => {
    const { kill, ended, printed } = await start(
      `import childProcess from 'node:child_process'`,
      `import { syncBuiltinESMExports } from 'node:module'`,
      'const { spawn } = childProcess',
      `childProcess.spawn = (...args) => {`,
      `  const guard = spawn(...args)`,
      `  console.log(guard.pid)`,
      `  return guard`,
      '}',
      'syncBuiltinESMExports()',
      `const { guardEnd } = await import(${importOf('guard-end.ts')})`,
      `process.on('SIGTERM', () => { guardEnd(60_000); process.exit(7) })`,
      'setInterval(() => undefined, 1000)',
      say('ready'),
    )
    kill()
    expect(await ended).toEqual([7, null])
    const guard = Number(printed[1])
    await expect.poll(() => isGroupAlive(guard), { timeout: 10_000 }).toBe(false)
  })

  it('does not keep a process that has nothing more to do', async () => {
    const { ended } = await start(GUARD, 'guardEnd(60_000)')
    expect(await ended).toEqual([0, null])
  })
})

/** A group is there for as long as one of its processes is. */
const isGroupAlive = (leader: number): boolean => {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false
  }
}
