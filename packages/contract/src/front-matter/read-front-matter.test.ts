import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFrontMatter } from './read-front-matter.ts'
import { formatFrontMatter, setFrontMatter } from './set-front-matter.ts'

const fieldsOf = (text: string) => {
  const { faults, fields } = readFrontMatter(text)
  return faults[0] ?? Object.fromEntries(fields)
}

describe('readFrontMatter', () => {
  it('reads what people and other tools write', () => {
    const text = [
      '\uFEFF---',
      '# a comment',
      'id: SR-001',
      'title: "a: \\"b\\""   # why',
      "status: 'it''s'",
      'empty:',
      'tags:',
      '  - one',
      '- two',
      'url: https://example.com/a#b # the place',
      '---',
      'body',
    ].join('\r\n')
    expect(fieldsOf(text)).toEqual({
      id: 'SR-001',
      title: 'a: "b"',
      status: "it's",
      empty: '',
      tags: '',
      url: 'https://example.com/a#b',
    })
  })

  it.each([
    ['no frontmatter', 'it does not begin with frontmatter (---)'],
    ['---\nid: 1', 'its frontmatter never ends (---)'],
    ['---\nid: 1\nnonsense\n---', 'line 3 is not "key: value"'],
    ['---\ntitle: "a\n---', 'line 2: the quote of title never ends'],
    ['---\nid: 1\nid: 2\n---', 'line 3: id is listed twice'],
  ])('says what is wrong with %j', (text, fault) => {
    expect(fieldsOf(text)).toBe(fault)
  })

  it('has what could be read all the same', () => {
    const text =
      "---\ntask: \"Fix\" it\nnonsense\nphase:BUILD\nphase: TEST\nwhy: 'it's'\nfor: see #12 # now\n---\n"
    expect(Object.fromEntries(readFrontMatter(text).fields)).toEqual({
      task: '"Fix" it',
      phase: 'TEST',
      why: "it's",
      for: 'see #12',
    })
  })

  it('gives back what was written, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (value, body) => {
        const read = readFrontMatter(`---\n${formatFrontMatter({ value, other: 'x' })}---\n${body}`)
        expect(read.faults).toEqual([])
        expect(read.fields.get('value')).toBe(value)
        expect(read.fields.get('other')).toBe('x')
        expect(read.body).toBe(body.replaceAll('\r\n', '\n'))
      }),
    )
  })

  it('survives any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void readFrontMatter(`---\n${text}\n---`)))
  })
})

describe('setFrontMatter', () => {
  it('changes one line and no other byte', () => {
    const text =
      '---\r\n# mine\r\nid: 1\r\nstatus: open # yet\r\ntags:\r\n  - a\r\n---\r\nstatus: x\r\n'
    expect(setFrontMatter(text, { status: 'promoted' })).toBe(
      text.replace('status: open # yet', 'status: promoted'),
    )
  })

  it('changes a field with a blank before its colon', () => {
    expect(setFrontMatter('---\nstatus : open\n---\n', { status: 'done' })).toBe(
      '---\nstatus: done\n---\n',
    )
  })

  it('adds a field that is not there', () => {
    expect(setFrontMatter('---\nid: 1\n---\nstatus: x', { status: 'a: b' })).toBe(
      '---\nid: 1\nstatus: "a: b"\n---\nstatus: x',
    )
  })
})
