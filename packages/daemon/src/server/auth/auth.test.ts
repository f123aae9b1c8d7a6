import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokenReader, readToken } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserSessions } from './browser-sessions.ts'
import { isSameSecret } from './gate.ts'
import { createSignInCodes } from './sign-in-codes.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'auth-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a sign-in code', () => {
  it('works once', () => {
    const codes = createSignInCodes(() => 0)
    const { code } = codes.create()
    expect([codes.use(code), codes.use(code)]).toEqual([true, false])
  })

  it('works for a minute', () => {
    let now = 0
    const codes = createSignInCodes(() => now)
    const { code, expiresAt } = codes.create()
    expect(expiresAt).toBe('1970-01-01T00:01:00.000Z')
    now = 60_000
    expect(codes.use(code)).toBe(false)
  })

  it('does not last longer when the clock is set back', () => {
    let now = 3_600_000
    const codes = createSignInCodes(() => now)
    const { code } = codes.create()
    now = 0
    expect(codes.use(code)).toBe(false)
  })

  it('is pushed out by many others, so that they take no memory', () => {
    const codes = createSignInCodes(() => 0)
    const { code } = codes.create()
    for (let count = 0; count < 20; count++) codes.create()
    expect(codes.use(code)).toBe(false)
    expect(codes.use(codes.create().code)).toBe(true)
  })

  it('cannot be guessed', () => {
    expect(createSignInCodes(() => 0).use('guess')).toBe(false)
  })
})

describe('a browser session', () => {
  const open = (given: { token?: string; now?: () => number } = {}) => {
    const warnings: string[] = []
    const sessions = createBrowserSessions({
      path: join(folder, 'sign-ins.json'),
      token: async () => given.token ?? 'the token',
      now: given.now ?? (() => 0),
      warn: (message) => void warnings.push(message),
    })
    return { sessions, warnings }
  }

  it('is known by its id, and only a hash of that is kept', async () => {
    const { sessions } = open()
    const { id } = await sessions.create()
    expect(await sessions.has(id)).toBe(true)
    expect(await sessions.has(`${id}x`)).toBe(false)
    expect(readFileSync(join(folder, 'sign-ins.json'), 'utf8')).not.toContain(id)
  })

  it('survives a restart', async () => {
    const { id } = await open().sessions.create()
    const { sessions } = open()
    await sessions.load()
    expect(await sessions.has(id)).toBe(true)
  })

  it('ends when the token changes', async () => {
    const { id } = await open().sessions.create()
    const { sessions } = open({ token: 'a new token' })
    await sessions.load()
    expect(await sessions.has(id)).toBe(false)
  })

  it('ends after a month', async () => {
    let now = 0
    const { sessions } = open({ now: () => now })
    const { id, maxAgeSeconds } = await sessions.create()
    now = maxAgeSeconds * 1000
    expect(await sessions.has(id)).toBe(false)
  })

  it('of a clock that was far ahead ends, one of a slightly corrected clock stays', async () => {
    const HOUR_MS = 3_600_000
    const { id } = await open({ now: () => 48 * HOUR_MS }).sessions.create()
    for (const [nowMs, isKnown] of [
      [47 * HOUR_MS, true],
      [HOUR_MS, false],
    ] as const) {
      const { sessions } = open({ now: () => nowMs })
      await sessions.load()
      expect(await sessions.has(id)).toBe(isKnown)
    }
  })

  it('is lost with an unreadable file, which is logged', async () => {
    writeFileSync(join(folder, 'sign-ins.json'), '{')
    const { sessions, warnings } = open()
    await sessions.load()
    expect(warnings.join()).toContain('sign in again')
  })

  it('that cannot be stored lasts in memory, which is logged', async () => {
    const warnings: string[] = []
    const sessions = createBrowserSessions({
      path: join(folder, 'file', 'sign-ins.json'),
      token: async () => 'the token',
      now: () => 0,
      warn: (message) => void warnings.push(message),
    })
    writeFileSync(join(folder, 'file'), '')
    const { id } = await sessions.create()
    expect(await sessions.has(id)).toBe(true)
    expect(warnings.join()).toContain('only lasts until a restart')
  })
})

describe('the token file', () => {
  it('is reread each time', async () => {
    const path = join(folder, 'token')
    writeFileSync(path, `${'a'.repeat(64)}\n`)
    expect(await readToken(path)).toBe('a'.repeat(64))
    writeFileSync(path, 'b'.repeat(64))
    expect(await readToken(path)).toBe('b'.repeat(64))
  })

  it('is read again by the daemon when it changed, also with the same size and at once', async () => {
    const path = join(folder, 'token')
    let nowMs = Date.now()
    const token = createTokenReader(path, () => nowMs)
    await expect(token()).rejects.toMatchObject({ code: 'not_configured' })
    for (const letter of 'abc') {
      writeFileSync(path, letter.repeat(64))
      expect(await token()).toBe(letter.repeat(64))
    }
    nowMs += 60_000
    expect(await token()).toBe('c'.repeat(64))
    expect(await token()).toBe('c'.repeat(64))
    writeFileSync(path, 'd'.repeat(65))
    expect(await token()).toBe('d'.repeat(65))
    rmSync(path)
    await expect(token()).rejects.toMatchObject({ code: 'not_configured' })
  })

  it('that is missing, empty or short grants no access', async () => {
    const path = join(folder, 'token')
    const refused = (reason: string) => ({
      code: 'not_configured',
      message: expect.stringContaining(reason),
    })
    await expect(readToken(path)).rejects.toMatchObject(refused('it is missing'))
    writeFileSync(path, '\n')
    await expect(readToken(path)).rejects.toMatchObject(refused('it is empty'))
    writeFileSync(path, 'short\n')
    await expect(readToken(path)).rejects.toMatchObject(refused('fewer than 32 characters'))
  })

  it('is not called missing when the system refuses to open it', async () => {
    const path = join(folder, 'token')
    writeFileSync(path, 'b'.repeat(64))
    const program = `
      import { closeSync, openSync } from 'node:fs'
      import { readToken } from './token-file.ts'
      const open = []
      try {
        for (;;) open.push(openSync('/dev/null'))
      } catch {}
      const told = await readToken(process.argv[1]).then(() => 'read', (error) => error.code)
      closeSync(open[0])
      closeSync(open[1])
      process.stdout.write(told)`
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        'ulimit -n 60; exec "$@"',
        'bash',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        path,
      ],
      { cwd: join(import.meta.dirname, '../../../../platform/src/home'), encoding: 'utf8' },
    )
    expect(stdout).toBe('too_many_open_files')
  })
})

it('secrets of any length are compared', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true)
  expect(isSameSecret('abc', 'abcd')).toBe(false)
  expect(isSameSecret('', 'abc')).toBe(false)
})
