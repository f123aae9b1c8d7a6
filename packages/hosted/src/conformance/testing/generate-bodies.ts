import fc from 'fast-check'
import type { Generate } from './generate-values.ts'
import { headerText, ODD_TEXTS, oddValue, toJsonText } from './odd-values.ts'
import type { Operation } from './openapi-document.ts'

export interface GeneratedBody {
  headers: Record<string, string>
  content: string | Uint8Array | undefined
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Bodies for an operation: valid, truncated, of the wrong type, or missing. */
export const generateBodies = (
  { body, method }: Operation,
  generate: Generate,
): fc.Arbitrary<GeneratedBody> => {
  const nothing = fc.constant<GeneratedBody>({ headers: {}, content: undefined })
  if (body === 'form') return fc.oneof({ arbitrary: form, weight: 5 }, raw)
  if (body === undefined)
    return method === 'GET' ? nothing : fc.oneof({ arbitrary: nothing, weight: 4 }, raw)
  const toBody = (value: unknown) => ({ headers: JSON_TYPE, content: toJsonText(value) })
  const right = generate(body, '').map(toBody)
  return fc.oneof(
    { arbitrary: right, weight: 16 },
    right.map(({ headers, content }) => ({ headers, content: content.slice(0, -1) })),
    oddValue.map(toBody),
    raw,
    nothing,
  )
}

/** Invalid JSON, and JSON that is not valid text. */
const raw: fc.Arbitrary<GeneratedBody> = fc.oneof(
  fc
    .constantFrom<string | Uint8Array>(
      '{',
      '['.repeat(60_000),
      '{"a":'.repeat(60_000),
      '{"a":1,"a":2}',
      '{"__proto__":{"polluted":true}}',
      'NaN',
      '\ufeff{}',
      '"\ud800"',
      '{"name":"\0"}',
      new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
      new Uint8Array([0xed, 0xa0, 0x80]),
      new Uint8Array([0x1f, 0x8b, 8, 0, 0]),
    )
    .map((content) => ({ headers: {}, content })),
  fc.tuple(fc.uint8Array({ maxLength: 64 }), headerText).map(([content, type]) => ({
    headers: { 'content-type': type },
    content,
  })),
)

const FORM_TYPE = 'multipart/form-data; boundary=b'
const FILENAMES = [`${'x'.repeat(254)}\u{1f600}`, ...ODD_TEXTS.map((text) => text.slice(0, 2000))]

const form: fc.Arbitrary<GeneratedBody> = fc
  .record({
    field: fc.constantFrom('file', 'file', 'file', 'files[]', 'files[]', 'File', '', '__proto__'),
    filename: fc.constantFrom('notes.txt', 'a/SKILL.md', ...FILENAMES),
    expires: fc.option(fc.constantFrom('3600', '7200', '1', '-1', 'x', '1e9', ''), { freq: 1 }),
    type: fc.constantFrom(FORM_TYPE, FORM_TYPE, FORM_TYPE, 'multipart/form-data', 'text/plain'),
    end: fc.constantFrom('\r\n--b--\r\n', '\r\n--b--\r\n', '\r\n--b--', '\r\n', ''),
  })
  .map(({ field, filename, expires, type, end }) => ({
    headers: { 'content-type': type },
    content:
      (expires === null ? '' : `${part('name="expires_in_seconds"')}\r\n${expires}\r\n`) +
      `${part(`name="${field}"; filename="${filename.toWellFormed()}"`)}` +
      `content-type: text/plain\r\n\r\nwords${end}`,
  }))

const part = (names: string): string => `--b\r\ncontent-disposition: form-data; ${names}\r\n`
