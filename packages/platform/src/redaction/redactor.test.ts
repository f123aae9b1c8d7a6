import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redactor.ts'
import { secretsOf } from './secrets-of.ts'

const KEY = 'sk-Ünï/q"uo\\te+9?'

/** Ways a value gets into a text; written apart from the code under test. */
const ENCODINGS: Record<string, (value: string) => string> = {
  plain: (value) => value,
  json: (value) => JSON.stringify({ value }),
  'json twice': (value) => JSON.stringify(JSON.stringify([value])),
  'json with slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  component: (value) => `https://x.test/?q=${encodeURIComponent(value)}&z`,
  'component in lower case': (value) =>
    encodeURIComponent(value).replace(/%../g, (hex) => hex.toLowerCase()),
  form: (value) => new URLSearchParams({ value }).toString(),
  'query of a URL': (value) => {
    const url = new URL('https://x.test/')
    url.searchParams.set('k', value)
    return url.href
  },
  hex: (value) => Buffer.from(value).toString('hex'),
  'upper hex': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 after one byte': (value) => Buffer.from(`:${value}`).toString('base64'),
  'basic credentials': (value) => `Basic ${Buffer.from(`me:${value}:x`).toString('base64')}`,
  base64url: (value) => Buffer.from(`ab${value}`).toString('base64url'),
}

/** Whether the text still gives the value away, by undoing each encoding. */
const reveals = (text: string, value: string): boolean => {
  const readings = [
    text,
    decode(() => decodeURIComponent(text.replaceAll('+', ' '))),
    decode(() => decodeURIComponent(text)),
    decode(() => String(JSON.parse(text).value)),
    decode(() => String(JSON.parse(JSON.parse(text)))),
    decode(() => String(JSON.parse(text))),
    ...text
      .split(/[^\w+/=-]+/)
      .flatMap((word) => [
        Buffer.from(word, 'hex').toString(),
        Buffer.from(word, 'base64').toString(),
      ]),
  ]
  return readings.some((reading) => reading.includes(value))
}

const decode = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}

describe('createRedactor', () => {
  it.each(Object.entries(ENCODINGS))('takes out a secret written as %s', (_, encode) => {
    const { redactText } = createRedactor({ API_KEY: KEY })
    expect(reveals(encode(KEY), KEY)).toBe(true)
    const { value, found } = redactText(`before ${encode(KEY)} after`)
    expect(found).toEqual(['API_KEY'])
    expect(value).toMatch(/^before .*\[redacted:API_KEY\].* after$/s)
    expect(reveals(redactText(encode(KEY)).value, KEY)).toBe(false)
  })

  it('finds it at any depth and in keys, and keeps everything else', () => {
    const { redact } = createRedactor({ API_KEY: 'abcdefgh-1' })
    const shared = { list: [1, 'x', null, true] }
    const value = { a: [{ b: 'key abcdefgh-1.' }], 'h-abcdefgh-1': 1, shared }
    const redacted = redact(value)
    expect(redacted).toEqual({
      value: { a: [{ b: 'key [redacted:API_KEY].' }], 'h-[redacted:API_KEY]': 1, shared },
      found: ['API_KEY'],
    })
    expect(value.a[0]?.b).toBe('key abcdefgh-1.')
  })

  it('loses no value when two keys become the same', () => {
    const { redactFields } = createRedactor({ A: 'first-secret', B: 'second-secret' })
    const hex = Buffer.from('first-secret').toString('hex')
    expect(redactFields({ 'first-secret': 1, [hex]: 2, 'second-secret': 3 }).value).toEqual({
      '[redacted:A]': 1,
      '[redacted:A] (2)': 2,
      '[redacted:B]': 3,
    })
  })

  it('hands back the same reference when there is nothing to take out', () => {
    const value = { a: [{ b: 'text' }], date: new Date(0), n: Number.NaN }
    for (const redactor of [createRedactor({}), createRedactor({ A: 'not-in-there' })]) {
      expect(redactor.redact(value).value).toBe(value)
      expect(redactor.redactFields(value)).toEqual({ value, found: [] })
    }
  })

  it('masks a value in each row of a list, also when other rows repeat clean ones', () => {
    const { redact } = createRedactor({ KEY: 'open-sesame-42' })
    const rows = [
      { session: 'one', text: 'plain words here' },
      { session: 'one', text: 'open-sesame-42' },
      { session: 'one', text: 'plain words here', password: 'plain words here' },
      { session: 'one', text: 'open-sesame-42' },
    ]
    expect(redact(rows)).toEqual({
      value: [
        rows[0],
        { session: 'one', text: '[redacted:KEY]' },
        { session: 'one', text: 'plain words here', password: '[redacted]' },
        { session: 'one', text: '[redacted:KEY]' },
      ],
      found: ['KEY', 'recognised by its form'],
    })
  })

  it('takes the longest of secrets within each other', () => {
    const { redactText } = createRedactor({ SHORT: 'abcdefgh', LONG: 'abcdefghijkl' })
    expect(redactText('abcdefghijkl abcdefgh').value).toBe('[redacted:LONG] [redacted:SHORT]')
  })

  it('names the secrets too short to look for', () => {
    const redactor = createRedactor({ PIN: '1234567', OTHER: '12345678' })
    expect(redactor.ignored).toEqual(['PIN'])
    expect(redactor.redactText('1234567').found).toEqual([])
    expect(redactor.redactText('12345678').found).toEqual(['OTHER'])
  })

  it('keeps a key named __proto__ a plain key', () => {
    const { redact } = createRedactor({ A: 'some-secret' })
    const value: unknown = JSON.parse('{"__proto__": {"x": "some-secret"}}')
    expect(JSON.stringify(redact(value).value)).toBe('{"__proto__":{"x":"[redacted:A]"}}')
  })

  it('leaves out what is nested too deeply to check', () => {
    const { redact } = createRedactor({ A: 'some-secret' })
    const text = `${'['.repeat(50_000)}"some-secret"${']'.repeat(50_000)}`
    const { value, found } = redact(JSON.parse(text))
    expect(found).toEqual(['[redacted: nested too deeply]'])
    expect(JSON.stringify(value)).not.toContain('some-secret')
  })

  it('lets no secret survive, in any encoding, anywhere', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
    const encoding = fc.constantFrom(...Object.values(ENCODINGS))
    const place = fc.constantFrom(
      (text: string): unknown => text,
      (text: string): unknown => [[text], 1],
      (text: string): unknown => ({ a: { b: [null, { c: text }] } }),
      (text: string): unknown => ({ [text]: { ok: true } }),
    )
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(encoding, { minLength: 1, maxLength: 3 }),
        place,
        fc.string(),
        (secrets, encodings, put, noise) => {
          const { redact } = createRedactor(
            Object.fromEntries(secrets.map((value, index) => [`S${index}`, value])),
          )
          const leaks = secrets.flatMap((value) => encodings.map((encode) => encode(value)))
          const { value, found } = redact(leaks.map((leak) => put(`${noise} ${leak} ${noise}`)))
          expect(found.length).toBeGreaterThan(0)
          const strings = stringsOf(value)
          for (const leak of leaks) expect(strings.some((text) => text.includes(leak))).toBe(false)
          for (const plain of secrets) {
            expect(strings.some((text) => text.includes(plain))).toBe(false)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

const stringsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsOf(item)])
}

describe('secretsOf', () => {
  it('knows secrets by name, by declaration, and inside of addresses', () => {
    const environment = {
      LLM_API_KEY: 'k1',
      AUTH_TOKEN: 't1',
      SMTP_PASS: 'p1',
      GOOGLE_CREDENTIALS: 'c1',
      db_password: 'p2',
      EMPTY_TOKEN: '',
      PATH: '/usr/bin',
      WEBHOOK: 'declared',
      DATABASE_URL: 'postgres://me:p%40ss@db.test/x',
      PLAIN_URL: 'https://user@x.test/',
    }
    expect(secretsOf(environment, ['WEBHOOK', 'NOT_SET'])).toEqual({
      LLM_API_KEY: 'k1',
      AUTH_TOKEN: 't1',
      SMTP_PASS: 'p1',
      GOOGLE_CREDENTIALS: 'c1',
      db_password: 'p2',
      WEBHOOK: 'declared',
      'DATABASE_URL.password': 'p%40ss',
      'DATABASE_URL.password (decoded)': 'p@ss',
    })
  })

  it('takes a stray percent sign in a password as it is', () => {
    expect(secretsOf({ U: 'http://me:100%25%zz@x.test/' })).toEqual({ 'U.password': '100%25%zz' })
  })
})

describe('ids that join records', () => {
  const id = '0192d7a0-7b7a-7c3e-8f00-1f2e3d4c5b6a'

  it.each([
    ...['session_id', 'sessionUUID', 'sessionId', 'session', 'sessionName', 'slug', 'run_id'],
    ...['tool_use_id', 'agent_id', 'subagent_id', 'transcript_path', 'eventKey', 'request_hash'],
  ])('under %s stay as they are', (name) => {
    for (const value of [id, 'c07a91d4-onboarding', 'ses_4f8a9c01bffe2Kd7QmZp'])
      expect(createRedactor({}).redact({ [name]: value }).value).toEqual({ [name]: value })
  })
})
