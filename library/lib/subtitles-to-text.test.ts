import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { subtitlesToText } from './subtitles-to-text.ts'

const stamp = (ms: number, separator = '.'): string => {
  const part = (value: number, width: number) => String(value).padStart(width, '0')
  const seconds = Math.floor(ms / 1000)
  return `${part(Math.floor(seconds / 3600), 2)}:${part(Math.floor(seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}${separator}${part(ms % 1000, 3)}`
}

test('automatic captions: rolling lines appear once', () => {
  const file = `WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.230 align:start position:0%
 
so<00:00:00.400><c> today</c><00:00:00.800><c> we</c><00:00:01.000><c> look</c>

00:00:02.230 --> 00:00:02.240 align:start position:0%
so today we look
 

00:00:02.240 --> 00:00:04.550 align:start position:0%
so today we look
at<00:00:02.500><c> tides</c><00:00:03.000><c> &amp;</c><00:00:03.200><c> moons</c>

00:00:04.550 --> 00:00:04.560 align:start position:0%
at tides & moons
 

00:00:04.560 --> 00:00:06.000 align:start position:0%
at tides & moons
[Music]
`
  expect(subtitlesToText(file)).toBe('so today we look at tides & moons')
})

test('subtitles people wrote: names, notes, styles, speakers and pauses', () => {
  const file = `\uFEFFWEBVTT - made by hand

STYLE
::cue { color: white }

NOTE a remark
over two lines

intro
00:01.000 --> 00:02.000
<v Ada>Good <i>evening</i>.</v>

2
00:02.100 --> 00:04.000
- Who is there?
- {\\an8}Only me.

00:09.000 --> 00:10.000
After a silence&nbsp;came more.
`
  expect(subtitlesToText(file)).toBe(
    'Good evening.\n\nWho is there?\n\nOnly me.\n\nAfter a silence came more.',
  )
})

test('SRT with numbers, commas and Windows line ends', () => {
  const file =
    '1\r\n00:00:01,000 --> 00:00:02,500\r\nIn 1984\r\n1984 people came.\r\n\r\n2\r\n00:00:02,600 --> 00:00:03,000\r\n42\r\n'
  expect(subtitlesToText(file)).toBe('In 1984 1984 people came. 42')
})

test('long speech is broken into paragraphs at a sentence', () => {
  const cues = Array.from(
    { length: 60 },
    (_, index) =>
      `${stamp(index * 1000)} --> ${stamp(index * 1000 + 900)}\nThis is sentence number ${index}.\n`,
  )
  const paragraphs = subtitlesToText(`WEBVTT\n\n${cues.join('\n')}`).split('\n\n')
  expect(paragraphs.length).toBeGreaterThan(1)
  for (const paragraph of paragraphs) expect(paragraph).toMatch(/^This .* \d+\.$/)
})

describe('for any speech', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
  const speech = fc.uniqueArray(line, { minLength: 1, maxLength: 30 })
  const flat = (text: string) => text.replace(/\s+/g, ' ')

  test('plain cues give back every line in order, as WebVTT and as SRT', () => {
    fc.assert(
      fc.property(speech, fc.constantFrom('.', ','), (lines, separator) => {
        const cues = lines.map((text, index) => {
          const from = index * 2000
          return `${index + 1}\n${stamp(from, separator)} --> ${stamp(from + 1500, separator)}\n${text}\n`
        })
        const head = separator === '.' ? 'WEBVTT\n\n' : ''
        expect(flat(subtitlesToText(head + cues.join('\n')))).toBe(lines.join(' '))
      }),
    )
  })

  test('rolling captions give back every line once', () => {
    fc.assert(
      fc.property(speech, (lines) => {
        const cues = lines.flatMap((text, index) => {
          const from = index * 2000
          const above = lines[index - 1] ?? ' '
          return [
            `${stamp(from)} --> ${stamp(from + 1990)}\n${above}\n${text}\n`,
            `${stamp(from + 1990)} --> ${stamp(from + 2000)}\n${text}\n \n`,
          ]
        })
        expect(flat(subtitlesToText(`WEBVTT\n\n${cues.join('\n')}`))).toBe(lines.join(' '))
      }),
    )
  })

  test('no file makes it throw, and no time stays in the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\n00:01.000 --> 00:02.000\n',
        'NOTE x\n',
        '<c>',
        '&#0;',
        '&#x110000;',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(subtitlesToText(pieces.join(''))).not.toMatch(/^00:01\.000 --> /m)
      }),
    )
  })
})

describe('hostile subtitles', () => {
  const CUE = '\n00:01.000 --> 00:02.000\n'
  const LENGTH = 200_000
  const fill = (piece: string): string => piece.repeat(LENGTH / piece.length)

  test.each([
    ['tags that never end', `${CUE}><${fill('<')}`],
    ['styles that never end', `${CUE}}${fill('{\\')}`],
    ['references that never end', CUE + fill('&#')],
    ['brackets that never end', CUE + fill('[(')],
    ['notes', CUE + fill('♪ ')],
    ['speakers', CUE + fill('>>')],
    ['digits', fill('1')],
    ['arrows', fill('00:01.000 -->')],
    ['spaces', `${CUE}${fill(' ')}x`],
    ['empty cues', fill(CUE)],
  ])('%s are read at once', (_, file) => {
    expect(subtitlesToText(file).length).toBeLessThanOrEqual(file.length)
  })

  test('keep the text behind markup that has no end', () => {
    expect(subtitlesToText(`${CUE}a <b>bold</b> < {\\i1}c {\\ d`)).toBe('a bold < c {\\ d')
  })

  test('are read, in 500 generated variations', () => {
    const piece = fc.constantFrom(
      ...['\n', '\r', '\n\n', CUE, '<', '>', '<c>', '{\\', '}', '&', '&#', ';', '&amp;', '[', ')'],
      ...['♪', '>>', '--', '00:', '00:01.000', ' --> ', ' ', 'a', '.', 'NOTE', '\0', '\uFEFF'],
    )
    const file = fc
      .array(fc.tuple(piece, fc.integer({ min: 1, max: 1000 })), { maxLength: 10 })
      .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))
    fc.assert(
      fc.property(file, (text) => {
        expect(subtitlesToText(text).length).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 500, seed: 17 },
    )
  })
})
