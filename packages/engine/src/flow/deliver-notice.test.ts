import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNoticeDelivery, type FlowNotice } from './deliver-notice.ts'
import type { Delivery, DestinationOf } from './delivery.ts'
import { fillText } from './fill-text.ts'

const deliver = async (
  destination: Omit<DestinationOf<'notify'>, 'type'>,
  output: Delivery['output'],
  item: Delivery['item'] = { id: 'i1', title: 'Tea' },
): Promise<FlowNotice> => {
  const sent: FlowNotice[] = []
  const send = async (notice: FlowNotice) => {
    sent.push(notice)
    return {}
  }
  const flow = { id: 'news', name: 'F_NEWS' }
  const now = new Date('2026-11-15T08:00:00Z')
  const given = { flow, item, output, again: false, now }
  await createNoticeDelivery(send)({ type: 'notify', ...destination }, given)
  const [notice] = sent
  if (notice === undefined) throw new Error('nothing was sent')
  return notice
}

describe('the notice of an item', () => {
  it('has the text of the item, its title and the name of the flow', async () => {
    expect(await deliver({}, { summary: 'Leaves and water.', content: 'long' })).toEqual({
      key: expect.stringMatching(/^flow\/[0-9a-f]{32}$/),
      title: '[F_NEWS] Tea',
      message: 'Leaves and water.',
    })
  })

  it('takes its texts from the entry, with fields of the output', async () => {
    const destination = {
      kind: 'longTask' as const,
      title: '{rating} {title}',
      message: '{labels}: {summary} {missing}',
    }
    const output = { rating: 'A', labels: ['x'], summary: 'S', url: 'https://example.org/' }
    expect(await deliver(destination, output)).toMatchObject({
      kind: 'longTask',
      title: 'A Tea',
      message: '["x"]: S {missing}',
      click: 'https://example.org/',
    })
  })

  it('opens only web addresses', async () => {
    expect(await deliver({}, { url: 'file:///etc/passwd' })).not.toHaveProperty('click')
    const both = await deliver({}, { url: 7, source_url: 'http://example.org' })
    expect(both.click).toBe('http://example.org')
  })

  it('has the same key for the same item, whatever its text, and another for another item', async () => {
    const first = await deliver({}, { body: 'a' })
    expect((await deliver({}, { body: 'b' })).key).toBe(first.key)
    const other = { id: 'i2', title: 'Tea' }
    expect((await deliver({}, { body: 'a' }, other)).key).not.toBe(first.key)
  })

  it('uses the id for an item without a title', async () => {
    expect((await deliver({ title: '{title}' }, {}, { id: 'i1', title: null })).title).toBe('i1')
  })
})

describe('filling a text', () => {
  it('never throws, fills no field twice, and leaves unknown fields unchanged', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.json()), (template, fields) => {
        expect(typeof fillText(template, fields)).toBe('string')
      }),
    )
    expect(fillText('{a}', { a: '{b}', b: 'x' })).toBe('{b}')
    expect(fillText('{toString} {__proto__} {a}', { a: null })).toBe('{toString} {__proto__} {a}')
    expect(fillText('{a}', { a: '$&' })).toBe('$&')
  })
})
