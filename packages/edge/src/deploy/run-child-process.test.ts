import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { END_WITH_PARENT, runChildProcess } from './run-child-process.ts'

const request = (code: string) => ({
  program: process.execPath,
  args: [...END_WITH_PARENT, '-e', code],
  cwd: tmpdir(),
  env: {},
  endsWithUs: true,
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const PATIENCE = { timeout: 20_000 }

test('a child process reads its input and exits by itself with its own code', async () => {
  const { signal } = new AbortController()
  const code = `process.stdin.on('data', (text) => console.log('read ' + text)).on('end', () => process.exit(3))`
  expect(await runChildProcess({ ...request(code), stdin: 'this', signal })).toEqual({
    code: 3,
    stdout: 'read this\n',
    stderr: '',
  })
  expect(await runChildProcess({ ...request('1'), signal })).toMatchObject({ code: 0 })
})

test('a child process ends with us, even if we are killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'pid')
  const endless = `require('node:fs').writeFileSync(${JSON.stringify(file)}, process.pid + '\\n'); setInterval(() => undefined, 1000)`
  const ours = `
    import { runChildProcess } from ${JSON.stringify(join(import.meta.dirname, 'run-child-process.ts'))}
    const { signal } = new AbortController()
    await runChildProcess({ ...${JSON.stringify(request(endless))}, signal })`
  const starter = spawn(process.execPath, ['--input-type=module', '-e', ours], { stdio: 'ignore' })
  const readPid = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  await vi.waitFor(() => expect(readPid()).toMatch(/\n$/), PATIENCE)
  const pid = Number(readPid())
  expect(isAlive(pid)).toBe(true)
  starter.kill('SIGKILL')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE)
})
