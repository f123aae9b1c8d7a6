import { settings } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listSettings } from './list-settings.ts'
import { checkDraft, type Draft, fromDraft, newRow, toDraft } from './setting-draft.ts'
import type { Shape } from './setting-shape.ts'

const fields = listSettings(z.toJSONSchema(settings, { io: 'input' })).flatMap(
  (section) => section.fields,
)
const shapeAt = (path: string): Shape => {
  const control = fields.find((field) => field.path.join('.') === path)?.control
  if (control?.kind !== 'json' || control.shape === undefined) throw new Error(`no form: ${path}`)
  return control.shape
}

it('has a form for every setting with parts, except for a choice between several forms', () => {
  const without = fields.filter(({ control }) => control.kind === 'json' && !control.shape)
  expect(without.map(({ path }) => path.join('.'))).toEqual(['hosted.webSearch'])
})

describe('values stay as they are', () => {
  it.each([
    [
      'usage.budgets',
      [
        { usd: 5, per: 'week', stop: true },
        { usd: 1.5, project: 'tides' },
      ],
    ],
    ['usage.prices', { 'own-model': { input: 1, output: 2, cache_read: 0 } }],
    ['notifications.quietHours', { from: '22:00', to: '07:00', channels: ['push'] }],
    ['observability.targets', [{ name: 'mine', type: 'http', headers: { 'x-key': '${KEY}' } }]],
    ['algorithm.projects', { '/srv/tides': false, '/srv/gauges': true }],
    ['daidentity.voices', { main: { voiceId: 'v1', pitch: 2 } }],
    ['usage.budgets', []],
  ])('%s', (path, value) => {
    const shape = shapeAt(path)
    expect(fromDraft(shape, toDraft(shape, value))).toEqual(value)
    expect([...checkDraft(shape, toDraft(shape, value), path)]).toEqual([])
  })
})

it('names each mistake at its field', () => {
  const budgets = shapeAt('usage.budgets')
  const value = [{ usd: 0 }, { usd: 'much' }, {}, { usd: 1 }]
  expect([...checkDraft(budgets, toDraft(budgets, value), 'b')]).toEqual([
    ['b.0.usd', 'Enter a number above 0.'],
    ['b.1.usd', 'Enter a number.'],
    ['b.2.usd', 'Enter a value.'],
  ])
  const hours = shapeAt('notifications.quietHours')
  const mistakes = checkDraft(hours, toDraft(hours, { from: '25:00', to: '07:00' }), 'q')
  expect([...mistakes.keys()]).toEqual(['q.from'])
})

it('refuses names of a map that are empty or used twice', () => {
  const shape = shapeAt('edge.workers')
  if (shape.kind !== 'map') throw new Error('not a map')
  const rows = [newRow(shape.item, 'a', 'x'), newRow(shape.item, ' a ', 'y'), newRow(shape.item)]
  const draft: Draft = { kind: 'rows', rows }
  expect([...checkDraft(shape, draft, 'w')]).toEqual([
    ['w.1.key', 'This name is used above.'],
    ['w.2', 'Enter a value.'],
    ['w.2.key', 'Enter a name.'],
  ])
})
