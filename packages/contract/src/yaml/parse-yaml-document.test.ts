import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { parseYamlDocument, YAML_LIMITS } from './parse-yaml-document.ts'

const mistakesIn = (text: string) => parseYamlDocument(text).errors.map(({ message }) => message)

describe('an ordinary document', () => {
  it('reads as the library reads it', () => {
    const text =
      '# a comment\nname: P_X\nactions:\n  - A_ONE # first\n  - A_TWO\nnested: {a: [1, 2]}\n'
    const document = parseYamlDocument(text)
    expect(document.errors).toEqual([])
    expect(document.toJS()).toEqual(parseDocument(text).toJS())
    expect(document.toString()).toBe(parseDocument(text).toString())
  })

  it('may be empty', () => {
    expect(parseYamlDocument('').toJS()).toBe(null)
    expect(parseYamlDocument('# nothing\n').toJS()).toBe(null)
  })

  it('reads the same values as the library, whatever they are', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = parseDocument(JSON.stringify(value)).toString()
        const document = parseYamlDocument(text)
        expect(document.errors).toEqual([])
        expect(document.toJS()).toEqual(parseDocument(text).toJS())
      }),
    )
  })

  it('has its mistakes named with their place', () => {
    expect(mistakesIn('a: 1\nb: 2\na: 3\n')).toEqual([
      'Map keys must be unique at line 3, column 1',
    ])
    expect(mistakesIn('a: [1\n')[0]).toMatch(/line \d+, column \d+$/)
    expect(mistakesIn('a: 1\n---\nb: 2\n')[0]).toMatch(/more than one document/)
  })
})

const LENGTH = 64 * 1024
const fill = (piece: string): string => piece.repeat(Math.floor(LENGTH / piece.length))
const rows = (row: (index: number) => string): string => {
  const lines: string[] = []
  for (let length = 0; length < LENGTH - 20; ) {
    const line = row(lines.length)
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n')
}

/** Each of these takes the library many seconds, an endless time, or ends the process. */
const HOSTILE: Record<string, string> = {
  'nested explicit keys': '? '.repeat(800),
  'explicit keys to the limit': fill('? '),
  'many keys': rows((index) => `k${index}: v`),
  'stray brackets': fill(']\n'),
  'stray directives': fill('%\n'),
  'tabs as indentation': fill('\t- a\n'),
  'a long flow list': `[${fill('a,').slice(4)}]`,
  'nested flow lists': fill('['),
  'nested flow maps': fill('{a: '),
  'nested block lists': fill('- '),
  'stairs of indentation': rows((index) => `${' '.repeat(index)}a:`),
  'aliases of aliases': [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghij'].map((name, at) => {
      const before = 'abcdefghij'[at]
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
    }),
  ].join('\n'),
  'many documents': fill('---\n'),
  'an open quote': `a: "${fill('b: c\n').slice(5)}`,
}

describe('a hostile document', () => {
  it.each(Object.entries(HOSTILE))('is read or refused: %s', (_, text) => {
    const document = parseYamlDocument(text)
    expect(document.errors.length).toBeLessThanOrEqual(YAML_LIMITS.errors)
    if (document.errors.length > 0) return
    try {
      document.toJS({ maxAliasCount: 0 })
    } catch (thrown) {
      expect(String(thrown)).toMatch(/alias/i)
    }
  })

  it('is refused above a length', () => {
    expect(mistakesIn('a'.repeat(YAML_LIMITS.chars + 1))[0]).toMatch(/longer than/)
  })

  it('never throws, in 500 generated variations', () => {
    const piece = fc.constantFrom(
      ...['? ', '- ', ': ', '[', ']', '{', '}', ',', '&a ', '*a', '!t ', '|\n', '>\n', '"', "'"],
      ...['%', '---\n', '...\n', '#', '\n', '  ', '\t', 'a', 'k: v\n', '\u0000', '\uFEFF', '\\x'],
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 400 })), { maxLength: 12 }),
        (pieces) => {
          const text = pieces.map(([each, count]) => each.repeat(count)).join('')
          const document = parseYamlDocument(text)
          expect(document.errors.length).toBeLessThanOrEqual(YAML_LIMITS.errors)
        },
      ),
      { numRuns: 500 },
    )
  })
})
