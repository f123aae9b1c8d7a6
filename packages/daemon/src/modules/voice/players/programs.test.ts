import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createVirtualClock } from '../../../testing/virtual-clock.ts'
import { until } from '../testing/until.ts'
import { createPrograms } from './programs.ts'

const open = (environment: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = createVirtualClock(0)
  const PATH = [folder, process.env.PATH].join(delimiter)
  const programs = createPrograms({
    environment: { PATH, ...environment },
    setTimer: clock.setTimer,
  })
  const add = (name: string, script: string) => {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return path
  }
  const signal = new AbortController().signal
  return { folder, clock, programs, add, signal }
}

test('finds installed programs, in PATH first', () => {
  const { programs, add, folder } = open()
  const path = add('some-player', 'true')
  expect(programs.find('some-player')).toBe(path)
  writeFileSync(join(folder, 'no-program'), '')
  expect(programs.find('no-program')).toBeUndefined()
  expect(programs.find('sh')).toMatch(/\/sh$/)
})

test('passes text and arguments unchanged, and no secrets', async () => {
  const { programs, add, folder, signal } = open({ API_KEY: 'x', XDG_RUNTIME_DIR: '/run/x' })
  const path = add(
    'engine',
    `cat > "${folder}/in"; printf '%s|' "$@" > "${folder}/args"; env > "${folder}/env"`,
  )
  const text = `"q" \`b\` $(touch ${folder}/pwned)\n🎉 שלום`
  const args = ['-w', '$(id) `id` "x"']
  const end = await programs.run(path, { args, stdin: text, timeoutMs: 1000, signal })
  expect(end).toEqual({ is: 'ended', code: 0, stderr: '' })
  expect(readFileSync(join(folder, 'in'), 'utf8')).toBe(text)
  expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('-w|$(id) `id` "x"|')
  const env = readFileSync(join(folder, 'env'), 'utf8')
  expect(env).toContain('XDG_RUNTIME_DIR=/run/x')
  expect(env).not.toContain('API_KEY')
})

test('reports how it ended', async () => {
  const { programs, add, signal } = open()
  const path = add('failing', 'echo "no device" >&2; exit 3')
  const run = { args: [], timeoutMs: 1000, signal }
  expect(await programs.run(path, run)).toEqual({ is: 'ended', code: 3, stderr: 'no device\n' })
  expect(await programs.run('/nowhere/at/all', run)).toMatchObject({ is: 'not_started' })
  // It exits without reading its input.
  const deaf = add('deaf', 'exec 0<&-; exit 0')
  expect(await programs.run(deaf, { ...run, stdin: 'x'.repeat(1_000_000) })).toMatchObject({
    is: 'ended',
    code: 0,
  })
})

test('a hanging or cancelled program is killed with its children', async () => {
  const { programs, add, clock, folder } = open()
  const path = add('hanging', `sleep 600 & echo $! > "${folder}/$1"; wait`)
  const start = async (name: string, signal: AbortSignal) => {
    let pid = 0
    const end = programs.run(path, {
      args: [name],
      timeoutMs: 1000,
      signal,
      onStart: (given) => {
        pid = given
      },
    })
    const read = () => {
      try {
        return Number(readFileSync(join(folder, name), 'utf8'))
      } catch {
        return 0
      }
    }
    await until(() => read() > 0)
    expect(pid).toBeGreaterThan(0)
    return { end, child: read() }
  }
  const isGone = (pid: number) => {
    try {
      process.kill(pid, 0)
      return /State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return true
    }
  }
  const late = await start('late', new AbortController().signal)
  clock.advance(1000)
  expect(await late.end).toEqual({ is: 'timed_out' })
  await until(() => isGone(late.child))

  const abort = new AbortController()
  const unwanted = await start('unwanted', abort.signal)
  abort.abort()
  expect(await unwanted.end).toEqual({ is: 'aborted' })
  await until(() => isGone(unwanted.child))
})
