import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFeed } from './decode.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
/** A text whose characters are the bytes. */
const raw = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const wide = (text: string, size: 2 | 4, isLittle: boolean) => {
  const units =
    size === 2
      ? Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
      : Array.from(text, (c) => c.codePointAt(0) ?? 0)
  const view = new DataView(new ArrayBuffer(units.length * size))
  for (const [index, unit] of units.entries()) {
    if (size === 2) view.setUint16(index * 2, unit, isLittle)
    else view.setUint32(index * 4, unit, isLittle)
  }
  return new Uint8Array(view.buffer)
}
const prolog = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`

describe('Unicode by byte order mark and by zero bytes', () => {
  const text = '<rss>Größe 𝄞</rss>'
  test('UTF-8 with a byte order mark', () => expect(decodeFeed(utf8(`\ufeff${text}`))).toBe(text))
  for (const size of [2, 4] as const) {
    for (const isLittle of [true, false]) {
      const name = `UTF-${size * 8}${isLittle ? 'LE' : 'BE'}`
      test(`${name} with a mark`, () => {
        expect(decodeFeed(wide(`\ufeff${text}`, size, isLittle))).toBe(text)
      })
      test(`${name} without a mark`, () => {
        expect(decodeFeed(wide(text, size, isLittle))).toBe(text)
      })
    }
  }
  test('the mark wins over the header', () => {
    expect(decodeFeed(utf8(`\ufeff${text}`), 'text/xml; charset=iso-8859-1')).toBe(text)
  })
  test('UTF-16 with an odd last byte', () => {
    const cut = wide(text, 2, true).subarray(0, -1)
    expect(decodeFeed(cut)).toContain('Größe')
  })
})

describe('declared encodings', () => {
  test.each([
    ['windows-1251', '\xcf\xf0\xe8\xe2\xe5\xf2', 'Привет'],
    ['koi8-r', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['ISO-8859-1', 'Gr\xf6\xdfe', 'Größe'],
    ['iso-8859-2', '\xb1\xe6', 'ąć'],
    ['ISO8859-15', '\xa4', '€'],
    ['windows-1250', '\x9c', 'ś'],
    ['win-1251', '\xcf', 'П'],
    ['big5', '\xa4\xa4\xa4\xe5', '中文'],
    ['gb2312', '\xd6\xd0\xce\xc4', '中文'],
    ['gb18030', '\xd6\xd0\xce\xc4', '中文'],
    ['euc-jp', '\xc6\xfc\xcb\xdc', '日本'],
    ['Shift_JIS', '\x93\xfa\x96\x7b', '日本'],
    ['iso-2022-jp', '\x1b$BF|K\\\x1b(B', '日本'],
    ['euc-kr', '\xc7\xd1\xb1\xdb', '한글'],
    ['macintosh', '\x8a', 'ä'],
  ])('%s in the prolog and in the header', (encoding, bytes, text) => {
    expect(decodeFeed(raw(`${prolog(encoding)}<a>${bytes}</a>`))).toContain(`<a>${text}</a>`)
    expect(decodeFeed(raw(`<a>${bytes}</a>`), `text/xml; charset="${encoding}"`)).toBe(
      `<a>${text}</a>`,
    )
  })

  test('the header comes before the prolog', () => {
    const bytes = raw(`${prolog('iso-8859-1')}<a>\xcf</a>`)
    expect(decodeFeed(bytes, 'application/xml; charset=windows-1251')).toContain('<a>П</a>')
  })
})

describe('wrong declarations', () => {
  test.each([
    'utf-16',
    'utf-32',
    'ucs-2',
    'iso-8859-1',
    'windows-1251',
    'us-ascii',
    'no-such-thing',
    'constructor',
  ])('the prolog says %s and the bytes are UTF-8', (encoding) => {
    const text = `${prolog(encoding)}<a>Größe und Länge</a>`
    expect(decodeFeed(utf8(text))).toBe(text)
  })

  test('the header says Latin 1 and the bytes are UTF-8', () => {
    expect(decodeFeed(utf8('<a>“Größe”</a>'), 'text/xml; charset=ISO-8859-1')).toBe(
      '<a>“Größe”</a>',
    )
  })

  test('the prolog says UTF-8 and the bytes are windows-1252', () => {
    const bytes = raw(`${prolog('utf-8')}<a>\x93Gr\xf6\xdfe\x94 \x80</a>`)
    expect(decodeFeed(bytes)).toContain('<a>“Größe” €</a>')
  })

  test('UTF-8 with a piece of windows-1252 in it', () => {
    const bytes = new Uint8Array([...utf8('<a>Größe '), 0x93, 0xe9, ...utf8(' Länge 𝄞</a>')])
    expect(decodeFeed(bytes)).toBe('<a>Größe “é Länge 𝄞</a>')
  })

  test('UTF-8 that was cut inside a character', () => {
    expect(decodeFeed(utf8('<a>Größe 𝄞').subarray(0, -1))).toBe('<a>Größe ')
  })

  test('nothing declared, but the feed has a language', () => {
    const bytes = raw('<language>ru</language><a>\xf0\xd2\xc9\xd7\xc5\xd4</a>')
    expect(decodeFeed(bytes)).toContain('<a>Привет</a>')
  })
})

test('valid UTF-8 is unchanged, whatever is declared', () => {
  const label = fc.constantFrom('utf-8', 'iso-8859-1', 'windows-1251', 'utf-16', 'nonsense')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), label, (text, charset) => {
      fc.pre(!text.includes('\0'))
      const body = `<a>${text}</a>`
      expect(decodeFeed(utf8(body), `text/xml;charset=${charset}`)).toBe(body)
    }),
  )
})

test('any bytes become text', () => {
  const label = fc.constantFrom('utf-8', 'shift_jis', 'gb18030', 'big5', 'utf-16le', 'x', '')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), label, (bytes, charset) => {
      expect(typeof decodeFeed(bytes, `text/xml; charset=${charset}`)).toBe('string')
    }),
    { numRuns: 1000 },
  )
})
