import { issuesOf, settings } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listSettings } from './list-settings.ts'
import { placeIssues, readIssues, remainingErrors } from './place-issues.ts'
import { type Draft, toDraft } from './setting-draft.ts'
import type { Shape } from './setting-shape.ts'

const fields = listSettings(z.toJSONSchema(settings, { io: 'input' })).flatMap(
  (section) => section.fields,
)
const shapeAt = (section: string, key: string): Shape => {
  const control = fields.find(({ path }) => path.join('.') === `${section}.${key}`)?.control
  if (control?.kind !== 'json' || control.shape === undefined) throw new Error(`no form: ${key}`)
  return control.shape
}
/** The mistakes that the daemon finds in a value, at the fields of its form. */
const place = (section: string, key: string, value: unknown) => {
  const shape = shapeAt(section, key)
  const draft = toDraft(shape, value)
  const parsed = settings.safeParse({ [section]: { [key]: value } })
  const issues = parsed.success ? [] : issuesOf(parsed.error)
  return { shape, draft, placed: placeIssues(shape, draft, `${section}.${key}`, issues) }
}
const messagesOf = (placed: ReturnType<typeof place>['placed']) =>
  [...placed.atFields].map(([path, { message }]) => [path, message])

describe('mistakes that the daemon found are shown at their fields', () => {
  it('in a list of objects', () => {
    const good = { name: 'mine', type: 'http', url: 'https://example.com' }
    const { placed } = place('observability', 'targets', [good, { name: 'mine', type: 'http' }])
    expect(messagesOf(placed)).toEqual([
      ['observability.targets.1.url', 'An http target needs a url.'],
    ])
    expect(placed.elsewhere).toEqual([])
  })

  it('in the names and values of a map', () => {
    const { placed } = place('wiki', 'directories', { hooks: '/srv/a', 'my.notes': '', b: '' })
    expect(messagesOf(placed)).toEqual([
      ['wiki.directories.0.key', 'The name is the name of a group of the wiki.'],
      ['wiki.directories.1.key', 'The name must be lower case letters, digits and hyphens.'],
      ['wiki.directories.2', 'Must not be empty.'],
    ])
  })

  it('but a mistake without a field stays apart', () => {
    const shape = shapeAt('usage', 'budgets')
    const issues = [
      { path: 'usage.budgets', message: 'too many' },
      { path: 'voice.volume', message: 'must be at most 1, found 7' },
    ]
    const { atFields, elsewhere } = placeIssues(
      shape,
      toDraft(shape, [{ usd: 1 }]),
      'usage.budgets',
      issues,
    )
    expect([...atFields]).toEqual([])
    expect(elsewhere).toEqual(issues)
  })
})

it('forgets a mistake when its field is changed, and keeps the others', () => {
  const { shape, draft, placed } = place('wiki', 'directories', { hooks: '/srv/a', b: '' })
  const rows = draft.kind === 'rows' ? draft.rows : []
  const renamed: Draft = {
    kind: 'rows',
    rows: rows.map((row) => (row.key === 'hooks' ? { ...row, key: 'tides' } : row)),
  }
  expect([...remainingErrors(placed, shape, draft, 'wiki.directories').keys()]).toEqual([
    'wiki.directories.0.key',
    'wiki.directories.1',
  ])
  expect([...remainingErrors(placed, shape, renamed, 'wiki.directories')]).toEqual([
    ['wiki.directories.1', 'Must not be empty.'],
  ])
})

it('reads only mistakes from an error', () => {
  const issue = { path: 'a.b', message: 'must be a number' }
  expect(readIssues({ issues: [issue, 'noise', { path: 1 }] })).toEqual([issue])
  expect(readIssues({ reason: 'no list' })).toEqual([])
})
