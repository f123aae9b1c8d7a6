import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hideAndCount, hideSecretForms } from './hide-secret-forms.ts'
import { createRedactor } from './redactor.ts'
import { generated } from './testing/generated-secrets.ts'
import { findLeaks, SECRET_FORMS } from './testing/secret-forms.ts'
import { LOOK_ALIKES, SECRET_VARIANTS } from './testing/secret-variants.ts'

const ALL = [...SECRET_FORMS, ...SECRET_VARIANTS]
const { redact } = createRedactor({})

describe('hideSecretForms', () => {
  it.each(ALL)('masks $name', ({ text, secret }) => {
    expect(hideSecretForms(text)).not.toContain(secret)
    expect(hideSecretForms(text)).toContain('[redacted]')
  })

  it.each(ALL)('masks $name in text that was encoded as JSON before', (each) => {
    const encoded = JSON.stringify({ command: each.text, n: 1 })
    expect(findLeaks(hideSecretForms(encoded), [each])).toEqual([])
  })

  it.each(LOOK_ALIKES)('leaves %j as it is', (text) => {
    expect(hideSecretForms(text)).toBe(text)
    const value = { text, list: [text], nested: { note: text } }
    expect(redact(value).value).toBe(value)
  })

  it('masks the secret and keeps what is around it', () => {
    const password = 'Tr0ub4dor&3'
    expect(hideSecretForms(`curl -u bob:${generated(9, 1)} https://x.test`)).toBe(
      'curl -u bob:[redacted] https://x.test',
    )
    expect(hideSecretForms(`psql postgres://bob:${generated(9, 2)}@db.test:5432/app`)).toBe(
      'psql postgres://bob:[redacted]@db.test:5432/app',
    )
    expect(hideSecretForms(`PASSWORD='${password}' npm start`)).toBe(
      "PASSWORD='[redacted]' npm start",
    )
    expect(hideSecretForms(`{"user":"bob","password":"${password}","n":1}`)).toBe(
      '{"user":"bob","password":"[redacted]","n":1}',
    )
  })
})

describe('members of a value', () => {
  const secret = generated(12, 3)
  it.each([
    [{ apiKey: secret }],
    [{ token: secret }],
    [{ client_secret: secret }],
    [{ password: 'abc' }],
    [{ passphrase: 'correct horse battery' }],
    [{ encryption_key: secret }],
    [{ privateKey: secret }],
    [{ password: 482_137 }],
    [{ auth: { user: 'bob', pass: 'abc' } }],
    [{ name: 'DB_PASSWORD', value: 'abc' }],
    [['tool', '--password', 'abc']],
    [['mysql', '-u', 'root', '-pabc']],
    [['curl', '-u', 'bob:abc', 'https://x.test']],
  ])('%j loses its secret', (value) => {
    const shown = JSON.stringify(redact(value).value)
    expect(shown).toContain('[redacted]')
    expect(shown).not.toMatch(new RegExp(`${secret}|abc|482137|horse`))
  })

  it.each([
    [{ max_tokens: 1000, input_tokens: 123, tokenCount: 5 }],
    [{ token: '', password: 'required', secret: null, apiKey: true }],
    [{ idempotencyKey: 'order-2026-01-01-0001', primaryKey: 'id', key: 'Enter' }],
    [{ tokenEnv: 'DASH_TOKEN', passwordFile: '/run/secrets/db', secretName: 'db-v2' }],
    [['docker', 'run', '-p', '8080:80', '--token-limit', '5']],
  ])('%j stays as it is', (value) => {
    expect(redact(value).value).toBe(value)
  })

  it('keeps the name of a known value', () => {
    const redactor = createRedactor({ DB: 'hunter2-hunter2' })
    expect(redactor.redact({ password: 'hunter2-hunter2' })).toEqual({
      value: { password: '[redacted:DB]' },
      found: ['DB'],
    })
    expect(redactor.known.redact({ token: secret, password: 'hunter2-hunter2' })).toEqual({
      value: { token: secret, password: '[redacted:DB]' },
      found: ['DB'],
    })
  })
})

const PARTS = fc.oneof(
  fc.constantFrom(...ALL.map(({ text }) => text), ...LOOK_ALIKES),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    ...[
      'password',
      'token',
      '=',
      ':',
      '"',
      "'",
      '\\"',
      '\\n',
      '\n',
      ' ',
      '://',
      '@',
      '-p',
      '--token',
    ],
    ...['-----BEGIN ', 'PRIVATE KEY-----', 'sk-', 'eyJ', '.', 'Bearer ', 'Cookie: ', 'curl', '-u'],
    ...['[redacted', '[redacted]', '$', '<', '|', 'sudo -S', 'echo ', 'mysql', '<<<', 'set '],
  ),
)

describe('any text', () => {
  it('is masked once: a second time changes nothing, and nothing throws', () => {
    fc.assert(
      fc.property(fc.array(PARTS, { maxLength: 8 }), (parts) => {
        const once = hideSecretForms(parts.join(''))
        expect(hideSecretForms(once)).toBe(once)
      }),
      { numRuns: 3000 },
    )
  })

  it('never shows a generated secret, whatever is around it', () => {
    const contexts: ReadonlyArray<(secret: string) => string> = [
      (secret) => `export SERVICE_SECRET_KEY=${secret}`,
      (secret) => `"accessToken": "${secret}"`,
      (secret) => `db_password: '${secret}'`,
      (secret) => `tool --api-key ${secret} --json`,
      (secret) => `https://bob:${secret}@x.test/path`,
      (secret) => `Authorization: Bearer ${secret}`,
      (secret) => `gh${'p_'}${secret}`,
      (secret) => `curl -u "bob:${secret}" https://x.test`,
    ]
    const secret = fc
      .tuple(fc.integer({ min: 20, max: 60 }), fc.nat())
      .map(([length, seed]) => generated(length, seed))
    const around = fc.string({ unit: fc.constantFrom(...'ab 01.,;()\n\t{}[]'), maxLength: 30 })
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...contexts),
        around,
        around,
        (hidden, put, before, after) => {
          const text = `${before}\n${put(hidden)}\n${after}`
          expect(hideSecretForms(text)).not.toContain(hidden)
          expect(hideSecretForms(JSON.stringify({ text }))).not.toContain(hidden)
          expect(JSON.stringify(redact([{ text }]).value)).not.toContain(hidden)
        },
      ),
      { numRuns: 1500 },
    )
  })

  it.each(
    [
      'a',
      '=',
      ':',
      'token=',
      'password:"$',
      'password: ',
      'password="\\',
      'sk-',
      'sk-a-',
      'eyJ.',
      'eyJ-',
      '://',
      '://a:',
      '-p ',
      'mysql -p',
      '--password ',
      'echo ',
      'echo a|',
      '<<<',
      'sudo <<<',
      'sudo a',
      'set token ',
      'Bearer ',
      'Cookie: a=b;',
      'authorization: digest ',
      '-----BEGIN ',
      `-----BEGIN ${'PRIVATE'} KEY-----`,
      'b3BlbnNzaC1rZXktdjE\n',
      `${'a'.repeat(50)}\n`,
      '123456789:',
      'hooks.slack.com/services/',
      '<password>',
      '\\"token\\":\\"',
      '("token","',
      'name: token value:',
      'password is ',
      'a:5432:b:c:',
      '"-p",',
      'token: string = "',
      '{ get; set; } = "',
      '$6$a$',
      '"kty" "d":"',
      'azurewebsites.a?code=',
      'a1b2c3d4-',
      'abc8Q~',
      'oracle:thin:a/',
      'net use /user:a ',
      '---- BEGIN SSH2 ',
      'token=${',
    ].map((unit) => [unit]),
  )('made of %j takes looks in proportion to its length', (unit) => {
    const looksAt = (chars: number): number =>
      hideAndCount(unit.repeat(Math.ceil(chars / unit.length))).looks
    const [short, long] = [looksAt(10_000), looksAt(80_000)]
    expect(long).toBeLessThan(short * 8.5 + 10_000)
    expect(long).toBeLessThan(80_000 * 120)
  })

  // Patterns do not count their steps, so what they cost is compared for two sizes of a text.
  it.each(
    [
      'a',
      'sk-',
      '("token","',
      'name: token value:',
      'a:5432:b:c:',
      '"-p",',
      'password is ',
      '$6$a$',
    ]
      .concat(['azurewebsites.a?code=', '0123456789abcdef', '= "', 'echo a|', '\\n', '://a:'])
      .map((unit) => [unit]),
  )(
    'a megabyte made of %j takes time in proportion to its length',
    (unit) => {
      const cost = (chars: number, times: number): number => {
        const text = unit.repeat(Math.ceil(chars / unit.length))
        const tries = Array.from({ length: times }, () => {
          const before = process.cpuUsage()
          hideAndCount(text)
          const { user, system } = process.cpuUsage(before)
          return user + system
        })
        return Math.min(...tries)
      }
      const [short, long] = [cost(125_000, 2), cost(1_000_000, 1)]
      // In proportion is 8, and 64 where the time grows with the square.
      expect(long / short).toBeLessThan(24)
    },
    120_000,
  )
})

it('judges a value of many members in a bounded time', () => {
  // Trying every split of every member would not end, so the test only checks that this returns.
  const text = `access_key=${'a'.repeat(45)}1${`.${'b'.repeat(45)}`.repeat(7)}!`
  expect(hideSecretForms(text)).toContain('access_key')
})
