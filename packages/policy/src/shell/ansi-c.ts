const SIMPLE: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([\s\S]))/g

/** Decodes backslash escapes as `$'…'`, `printf` and `echo -e` do. */
export const decodeAnsiC = (text: string): string =>
  text.replace(ESCAPE, (_, hex, short, long, octal, char: string | undefined) => {
    const digits: string | undefined = hex ?? short ?? long
    if (digits !== undefined) return fromCode(Number.parseInt(digits, 16))
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8))
    return SIMPLE[char ?? ''] ?? char ?? ''
  })

const fromCode = (code: number): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
