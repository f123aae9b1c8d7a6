import fc from 'fast-check'

const LENGTH = 64 * 1024
const fill = (piece: string): string => piece.repeat(Math.floor(LENGTH / piece.length))

/** Front matter that makes careless readers slow, by name. */
export const HOSTILE_HEADS: Record<string, string> = {
  'blanks inside a value': `a: x${fill(' ')}x`,
  'blanks inside a list item': `a:\n- x${fill(' ')}x`,
  'blanks behind a name without a colon': `a${fill(' ')}x`,
  'blanks in front of a number sign': `a: x${fill(' ')}#x`,
  'blanks behind a quoted value': `a: "x"${fill(' ')}x`,
  'number signs': `a: ${fill(' #')}`,
  tabs: `a:${fill('\t')}x`,
  'carriage returns': `a: ${fill('\r')}x`,
  'a quote that never ends': `a: "${fill('\\a')}`,
  'single quotes': `a: ${fill("'")}`,
  'nested lists': `a: ${fill('[')}`,
  'a long list': `a: [${fill('a,')}]`,
  'brackets in a quote': `a: ["[[${fill(']')}"x]`,
  'many fields': Array.from({ length: 6000 }, (_, index) => `k${index}: v`).join('\n'),
  'one field many times': fill('a: b\n'),
  colons: fill(': '),
  'fences that are indented': fill(' ---\n'),
  'aliases of aliases': `a: &a [x, x]\n${fill('b: [*a, *a]\n')}`,
}

const PIECES = fc.constantFrom(
  ...['a: ', 'a', ': ', ':', ' ', '\t', '\r', '\n', '#', ' #', '"', "'", '[', ']', '{', ','],
  ...['- ', '---', '---\n', '&a ', '*a', '|\n', '\\', '\u0000', '\uFEFF', '\u2028', '[[', ']]"'],
)
/** Random front matter out of pieces with a meaning in YAML. */
export const GENERATED_HEADS = fc
  .array(fc.tuple(PIECES, fc.integer({ min: 1, max: 3000 })), { maxLength: 10 })
  .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))
