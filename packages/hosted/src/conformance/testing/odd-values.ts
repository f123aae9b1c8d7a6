import fc from 'fast-check'

/** A placeholder for values that `JSON.stringify` cannot write; see `toJsonText`. */
const DEEP = '@@deep@@'
/** A field `__proto__`, which an object literal cannot define. */
export const PROTO = '@@proto@@'
const DEPTH = 60_000

/**
 * Writes a generated value as JSON, with deeply nested arrays and `__proto__` in place of their
 * placeholders.
 */
export const toJsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null')
    .replaceAll(`"${DEEP}"`, () => '['.repeat(DEPTH) + ']'.repeat(DEPTH))
    .replaceAll(`"${PROTO}"`, '"__proto__"')

/** Texts that often break stores, parsers and file systems. */
export const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u{1f600}',
  '\u202e\ufeff',
  '../../../etc/passwd',
  '%00',
  "'; DROP TABLE sessions; --",
  '$1',
  '${7*7}',
  'constructor',
  '__proto__',
  'NaN',
  '-1',
  '1e999',
  '99999999999999999999',
  '0x10',
  'null',
  'true',
  '0000-00-00T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59.999999999Z',
  'x'.repeat(300),
  'ü'.repeat(3000),
  'x'.repeat(150_000),
]

export const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary' }))

/** A header can only carry Latin-1; other characters become question marks. */
export const headerText = oddText.map((text) =>
  text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 400),
)

/** Anything but a valid value. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom(null, true, false, [], {}, DEEP, [DEEP], { [PROTO]: { polluted: true } }),
  fc.constantFrom(0, -1, -0, 0.5, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63, 2 ** 64),
  fc.constantFrom({ constructor: { prototype: {} } }, { type: PROTO }, Array(2000).fill(0)),
  fc.jsonValue(),
)
