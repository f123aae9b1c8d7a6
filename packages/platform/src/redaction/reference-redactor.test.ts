import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodedForms } from './encoded-forms.ts'
import { createScan } from './forms/secret-scan.ts'
import { eachTokenPrefix } from './forms/token-prefixes.ts'
import { hideAndCount, hideSecretForms } from './hide-secret-forms.ts'
import { createRedactor } from './redactor.ts'
import { SECRET_FORMS } from './testing/secret-forms.ts'
import { LOOK_ALIKES, SECRET_VARIANTS } from './testing/secret-variants.ts'

const RUNS = { numRuns: 300 }

/** The same rules, each tried on every text: nothing is left out for want of a string. */
const hideSlowly = (text: string): string =>
  hideAndCount(text, (shown) => ({
    ...createScan(shown),
    holds: () => true,
    hasLongRun: () => true,
  })).text

const prefixes: string[] = []
eachTokenPrefix((text) => prefixes.push(text))

const WORDS = fc.constantFrom(
  ...['password', 'Token', 'API_KEY', 'secret', 'cookie', 'Authorization', 'curl -u', 'mysql -p'],
  ...['=', ': ', '"', "'", ' ', '\n', '\\n', '://', '@', ':', '-', '.', '$2b$12$', 'Q~', '{"kty"'],
  ...[
    'user:',
    'send "',
    'hooks.slack.com/services/',
    ':5432:',
    'value',
    'is ',
    'Bearer ',
    'K',
    'İ',
  ],
)
const RANDOM = fc.string({ unit: fc.constantFrom(...'aZ09_-.~/+=Q:'), minLength: 1, maxLength: 40 })
const CASES = fc.constantFrom(
  ...[...SECRET_FORMS, ...SECRET_VARIANTS].map(({ text }) => text.slice(0, 500)),
  ...LOOK_ALIKES,
)
const CUT = fc
  .tuple(CASES, fc.nat(500), fc.nat(500))
  .map(([text, from, length]) => text.slice(from % text.length).slice(0, length))
const TIME = fc
  .tuple(fc.date({ noInvalidDate: true }), fc.constantFrom('', '0', '+01:00', ' ', '\n', 'x'))
  .map(
    ([date, rest]) => `${date.toISOString().slice(0, rest === '+01:00' ? -1 : undefined)}${rest}`,
  )
const TEXT = fc
  .array(fc.oneof(WORDS, RANDOM, CUT, CASES, fc.constantFrom(...prefixes)), { maxLength: 12 })
  .map((pieces) => pieces.join(''))

it('masks the same as all rules without the search for strings in front of them', () => {
  const property = fc.property(fc.oneof(TEXT, TIME), (text) => {
    expect(hideSecretForms(text)).toBe(hideSlowly(text))
  })
  fc.assert(property, RUNS)
})

it('masks known values as if each was looked for at each place', () => {
  const SECRET = fc.string({ unit: fc.constantFrom(...'abc$&."é'), minLength: 8, maxLength: 12 })
  const property = fc.property(
    fc.uniqueArray(SECRET, { minLength: 1, maxLength: 3 }),
    fc.array(fc.oneof(SECRET, fc.nat(9), fc.constantFrom('a', 'b"', ' ')), { maxLength: 8 }),
    (values, rest) => {
      const secrets = Object.fromEntries(values.map((value, at) => [`S${at}`, value]))
      const pieces = rest.map((piece) => {
        const value = typeof piece === 'number' ? values[piece % values.length] : piece
        const forms = encodedForms(value ?? '')
        return typeof piece === 'number' ? ([...forms][piece % [...forms].length] ?? '') : piece
      })
      const text = pieces.join('')
      expect(createRedactor(secrets).known.redactText(text).value).toBe(
        replaceSlowly(text, secrets),
      )
    },
  )
  fc.assert(property, RUNS)
})

/** At each place the longest form that stands there; of equal forms, that of the first secret. */
const replaceSlowly = (text: string, secrets: Readonly<Record<string, string>>): string => {
  const forms = Object.entries(secrets)
    .flatMap(([name, value]) => [...encodedForms(value)].map((form) => ({ name, form })))
    .toSorted((a, b) => b.form.length - a.form.length)
  let shown = ''
  for (let at = 0; at < text.length; ) {
    const hit = forms.find(({ form }) => text.startsWith(form, at))
    shown += hit === undefined ? text.charAt(at) : `[redacted:${hit.name}]`
    at += hit?.form.length ?? 1
  }
  return shown
}
