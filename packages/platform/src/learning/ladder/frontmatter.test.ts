import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatFrontmatter, readFrontmatter, setFrontmatterField } from './frontmatter.ts'

const fieldsOf = (text: string) => {
  const read = readFrontmatter(text)
  return 'fault' in read ? read.fault : Object.fromEntries(read.fields)
}

describe('readFrontmatter', () => {
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

  it('returns any written value unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (value, body) => {
        const read = readFrontmatter(`${formatFrontmatter({ value, other: 'x' })}${body}`)
        if ('fault' in read) throw new Error(read.fault)
        expect(read.fields.get('value')).toBe(value)
        expect(read.fields.get('other')).toBe('x')
        expect(read.body).toBe(body.replaceAll('\r\n', '\n'))
      }),
    )
  })

  it('survives any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void readFrontmatter(`---\n${text}\n---`)))
  })
})

describe('setFrontmatterField', () => {
  it('changes one line and no other byte', () => {
    const text =
      '---\r\n# mine\r\nid: 1\r\nstatus: open # yet\r\ntags:\r\n  - a\r\n---\r\nstatus: x\r\n'
    expect(setFrontmatterField(text, 'status', 'promoted')).toBe(
      text.replace('status: open # yet', 'status: promoted'),
    )
  })

  it('adds a field that is not there', () => {
    expect(setFrontmatterField('---\nid: 1\n---\nstatus: x', 'status', 'a: b')).toBe(
      '---\nid: 1\nstatus: "a: b"\n---\nstatus: x',
    )
  })
})
