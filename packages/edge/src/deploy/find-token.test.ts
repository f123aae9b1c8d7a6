import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findToken, parseLogin, type TokenPorts } from './find-token.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')

describe('parseLogin', () => {
  it('reads the file of wrangler, also after manual edits', () => {
    expect(
      parseLogin(
        'oauth_token = "abc.D-e_f"\r\nexpiration_time = \'2026-01-01T13:00:00.000Z\' # UTC\r\n',
      ),
    ).toEqual({ token: 'abc.D-e_f', expiresAt: Date.parse('2026-01-01T13:00:00Z') })
    expect(parseLogin('oauth_token="x"')).toEqual({ token: 'x', expiresAt: undefined })
  })

  it.each([
    ['nothing', ''],
    ['an empty token', 'oauth_token = ""'],
    ['a token in a table', '[other]\noauth_token = "x"'],
    ['a comment', '# oauth_token = "x"'],
    ['another key', 'old_oauth_token = "x"'],
    ['an escape', 'oauth_token = "a\\u0062"'],
    ['an open string', 'oauth_token = "abc'],
    ['characters that a header cannot contain', 'oauth_token = "a b"'],
  ])('reads no token from %s', (_, text) => {
    expect(parseLogin(text)).toBeUndefined()
  })

  it('never throws, and never returns characters that a header cannot contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const login = parseLogin(`oauth_token = "${text}"\n`)
        expect(login?.token ?? 'x').toMatch(/^[!-~]+$/)
      }),
    )
  })
})

describe('findToken', () => {
  let homedir: string
  beforeEach(async () => {
    homedir = await mkdtemp(join(tmpdir(), 'steward-login-'))
  })
  afterEach(() => rm(homedir, { recursive: true, force: true }))

  const writeLogin = async (path: string, token: string, expires = '2026-01-01T13:00:00Z') => {
    const file = join(homedir, path, 'config/default.toml')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `oauth_token = "${token}"\nexpiration_time = "${expires}"\n`)
  }
  const find = (ports: Partial<TokenPorts> = {}) =>
    findToken({
      env: {},
      homedir,
      platform: 'linux',
      now: () => NOW,
      askWrangler: async () => undefined,
      ...ports,
    })

  it('looks where wrangler keeps its login', async () => {
    await writeLogin('.config/.wrangler', 'linux')
    await writeLogin('Library/Preferences/.wrangler', 'mac')
    await writeLogin('xdg/.wrangler', 'xdg')
    expect(await find()).toBe('linux')
    expect(await find({ platform: 'darwin' })).toBe('mac')
    expect(await find({ env: { XDG_CONFIG_HOME: join(homedir, 'xdg') } })).toBe('xdg')
    await writeLogin('.wrangler', 'old')
    expect(await find()).toBe('old')
    expect(await find({ env: { STEWARD_CF_TOKEN: 'given' } })).toBe('given')
  })

  it('never uses the tokens that interfere with the login', async () => {
    const env = { CF_API_TOKEN: 'no', CLOUDFLARE_API_TOKEN: 'no' }
    await expect(find({ env })).rejects.toThrow(/npx wrangler login/)
  })

  it('lets wrangler renew an expired login, and says what to do when it cannot', async () => {
    await writeLogin('.config/.wrangler', 'stale', '2026-01-01T12:00:30Z')
    expect(await find({ askWrangler: async () => 'renewed' })).toBe('renewed')
    await expect(find()).rejects.toMatchObject({ code: 'not_configured' })
  })
})
