import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { detectSandbox } from '../../../platform/src/sandbox/detect-sandbox.ts'
import { createUnsandboxed } from '../../../platform/src/sandbox/none.ts'
import type { Sandbox } from '../../../platform/src/sandbox/sandbox.ts'
import { type CreateShellOptions, createShell } from './shell.ts'

let detected: Sandbox
beforeAll(async () => {
  const result = await detectSandbox()
  if (!result.ok) throw result.error
  detected = result.value
})

const shellWith = (more: Partial<CreateShellOptions> = {}) =>
  createShell({
    sandbox: detected,
    withoutSandbox: 'refuse',
    network: false,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', SECRET_KEY: 'hidden', TZ: 'UTC' },
    ...more,
  })

describe('createShell', () => {
  it('runs an argument vector without interpretation', async () => {
    const result = await shellWith()(['echo', '$HOME; `id` > x *'])
    expect(result).toEqual({
      stdout: '$HOME; `id` > x *\n',
      stderr: '',
      code: 0,
      isolation: detected.isolation,
      truncated: false,
      files: {},
    })
  })

  it('passes input, variables and the exit code', async () => {
    const result = await shellWith()(['sh', '-c', 'cat; env; exit 3'], {
      stdin: 'in\n',
      env: { MINE: 'yes' },
    })
    expect(result.code).toBe(3)
    expect(result.stdout).toMatch(/^in\n/)
    expect(result.stdout).toContain('MINE=yes')
    expect(result.stdout).toContain('TZ=UTC')
    expect(result.stdout).not.toContain('SECRET_KEY')
  })

  it('writes input files and collects output files', async () => {
    const script =
      'tr a-z A-Z < in.txt > out.txt; echo 1 > t.en.vtt; echo 2 > t.de.vtt; ln -s /etc/passwd t.link.vtt; mkdir t.dir.vtt; echo no > other'
    const result = await shellWith()(['sh', '-c', script], {
      files: { 'in.txt': Buffer.from('héllo') },
      collect: ['out.txt', 't.*.vtt', 'absent.txt'],
    })
    expect(result.files).toEqual({ 'out.txt': 'HéLLO', 't.en.vtt': '1\n', 't.de.vtt': '2\n' })
  })

  it('collects by a pattern with many stars without backtracking', async () => {
    const name = 'a'.repeat(200)
    const patterns = [`${'*a'.repeat(60)}b`, `${'*a'.repeat(60)}*`]
    const result = await shellWith()(['sh', '-c', `echo 1 > ${name}`], { collect: patterns })
    expect(result.files).toEqual({ [name]: '1\n' })
  })

  it.each(['../x', '/etc/passwd', 'a/b', '', '.', '..', '.hidden', '-rf', 'a\0b', 'a\nb'])(
    'refuses %j as a file name',
    async (name) => {
      const shell = shellWith()
      await expect(shell(['true'], { collect: [name] })).rejects.toMatchObject({
        code: 'invalid_input',
      })
      await expect(shell(['true'], { files: { [name]: new Uint8Array() } })).rejects.toMatchObject({
        code: 'invalid_input',
      })
    },
  )

  it('leaves nothing behind, whatever the command did', async () => {
    const tempDir = mkdtempSync(join(tmpdir(), 'steward-shell-test-'))
    onTestFinished(() => rmSync(tempDir, { recursive: true }))
    const shell = shellWith({ tempDir })
    await shell(['sh', '-c', 'mkdir -p a/b; echo x > a/b/c; chmod 000 a/b a'])
    await expect(shell(['true'], { files: { 'a.txt': Buffer.from('a') } })).resolves.toBeDefined()
    await expect(shell(['not-a-command'])).rejects.toMatchObject({ code: 'command_missing' })
    expect(readdirSync(tempDir)).toEqual([])
  })

  it('starts each command in an empty folder', async () => {
    const shell = shellWith()
    await shell(['touch', 'x'])
    expect((await shell(['ls', '-A'])).stdout).toBe('')
  })

  it('explains a command line and other invalid arguments', async () => {
    const shell = shellWith()
    // Mistakes of plain JavaScript actions that the types would forbid.
    const call = (argv: unknown) => Reflect.apply(shell, undefined, [argv])
    await expect(call('ls -la')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('never a command line'),
    })
    await expect(call([])).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(call(['ls', 5])).rejects.toMatchObject({
      message: expect.stringContaining('argument 1 must be a string, found integer'),
    })
    await expect(call(['ls', 'a\0b'])).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(shell(['ls'], { env: { 'A=B': 'x' } })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(shell(['ls'], { timeoutMs: -1 })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('reports a command that is not installed, and where it looked', async () => {
    await expect(shellWith()(['yt-dlp-not-here'])).rejects.toMatchObject({
      code: 'command_missing',
      message: expect.stringContaining('/usr/local/bin'),
    })
    await expect(shellWith()(['./x'])).rejects.toMatchObject({ code: 'command_missing' })
    await expect(shellWith()(['/not/there'])).rejects.toMatchObject({ code: 'command_missing' })
    await expect(shellWith()(['/etc'])).rejects.toMatchObject({ code: 'command_missing' })
  })

  it('cuts output and collected files at the limit', async () => {
    const shell = shellWith({ limits: { outputBytes: 100 } })
    const result = await shell(['sh', '-c', 'head -c 500 /dev/zero > big; echo short'], {
      collect: ['big'],
    })
    expect(result.truncated).toBe(true)
    expect(result.stdout).toBe('short\n')
    expect(result.files.big).toHaveLength(100)
    expect((await shell(['head', '-c', '101', '/dev/zero'])).truncated).toBe(true)
    expect((await shell(['head', '-c', '100', '/dev/zero'])).truncated).toBe(false)
  })

  it('mounts a file outside of its folder only when it is named', async () => {
    const folder = mkdtempSync(join(homedir(), '.steward-shell-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const model = join(folder, 'model.bin')
    writeFileSync(model, 'weights')
    expect((await shellWith()(['cat', model])).code).not.toBe(0)
    const shown = await shellWith()(['sh', '-c', `cat ${model}; echo x > ${model}`], {
      readPaths: [model],
    })
    expect(shown).toMatchObject({ stdout: 'weights' })
    expect(shown.code).not.toBe(0)
    for (const path of [`${model}.absent`, 'model.bin']) {
      await expect(shellWith()(['true'], { readPaths: [path] })).rejects.toMatchObject({
        code: 'path_refused',
      })
    }
  })

  it('mounts no file that holds secrets, nor a folder above one', async () => {
    const folder = mkdtempSync(join(homedir(), '.steward-shell-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const token = join(folder, 'token')
    writeFileSync(token, 'the-token')
    symlinkSync(token, join(folder, 'link'))
    const shell = shellWith({ never: [token, join(folder, 'absent')] })
    for (const path of [token, folder, join(folder, 'link'), '/']) {
      await expect(shell(['cat', token], { readPaths: [path] })).rejects.toMatchObject({
        code: 'path_refused',
        message: expect.stringContaining('it contains secrets'),
      })
    }
  })

  it('returns 124 at the timeout, and never exceeds the limit', async () => {
    const asked: number[] = []
    const elapse = (delayMs: number, onElapsed: () => void) => {
      asked.push(delayMs)
      onElapsed()
      return () => undefined
    }
    const shell = shellWith({
      sandbox: createUnsandboxed({ startTimer: elapse }),
      limits: { timeoutMs: 5000 },
    })
    expect((await shell(['sleep', '1000'])).code).toBe(124)
    await shell(['sleep', '1000'], { timeoutMs: 60_000 })
    await shell(['sleep', '1000'], { timeoutMs: 10 })
    expect(asked).toEqual([5000, 5000, 10])
  })

  it('refuses without a sandbox, unless allowed', async () => {
    const without = { sandbox: undefined }
    await expect(shellWith(without)(['true'])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
    const unavailable = new StewardError('sandbox_unavailable', { reason: 'because' })
    await expect(shellWith({ ...without, unavailable })(['true'])).rejects.toBe(unavailable)
    const result = await shellWith({ ...without, withoutSandbox: 'run' })(['echo', 'open'])
    expect(result).toMatchObject({ stdout: 'open\n', isolation: 'none' })
  })

  it('stops with the run', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(shellWith({ signal })(['true'])).rejects.toThrow('stopped')
  })

  it('sees neither the files of the machine nor its network', async () => {
    const script = `cat ${import.meta.filename}; ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :`
    const result = await shellWith()(['sh', '-c', script])
    expect(existsSync(import.meta.filename)).toBe(true)
    expect(result.stdout).toBe('1\n')
    expect(result.stderr).toContain('No such file')
  })
})
