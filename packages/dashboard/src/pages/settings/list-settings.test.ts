import { settings } from '@steward/contract'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fromText, listSettings, toText, valueAt } from './list-settings.ts'

const sections = listSettings(z.toJSONSchema(settings, { io: 'input' }))
const find = (path: string) =>
  sections.flatMap(({ fields }) => fields).find((field) => field.path.join('.') === path)

it('lists every section of the settings, the most used first', () => {
  expect(sections[0]).toMatchObject({ name: 'usage', title: 'Budgets and prices' })
  const names = sections.map(({ name }) => name).toSorted()
  expect(names).toEqual(
    Object.keys(settings.shape)
      .filter((key) => key !== '$schema')
      .toSorted(),
  )
  expect(sections.filter(({ fields }) => fields.length === 0)).toEqual([])
})

it('chooses a control for each kind of value, with its explanation', () => {
  expect(find('voice.enabled')).toMatchObject({ control: { kind: 'switch' }, default: true })
  expect(find('voice.volume')?.control).toEqual({ kind: 'number', min: 0, max: 1, isWhole: false })
  expect(find('auth.mode')?.control).toMatchObject({ kind: 'choice' })
  expect(find('notifications.routing.error')?.title).toBe('Routing › Error')
  expect(find('voice.openai.baseUrl')?.title).toBe('OpenAI › Base URL')
  expect(find('hosted.packages.registries.npm')?.title).toBe('Packages › Registries › npm')
  expect(find('guards.blockedSkills')?.control).toEqual({ kind: 'lines' })
  expect(find('usage.budgets')?.control).toMatchObject({ kind: 'json' })
  expect(find('usage.prices')?.control).toMatchObject({ kind: 'json' })
  expect(find('notifications.quietHours')?.control).toMatchObject({
    kind: 'json',
    names: ['from', 'to', 'timezone', 'channels'],
    shape: { kind: 'object' },
  })
  expect(find('notifications.ntfy.topic')).toBeUndefined()
  const unexplained = sections.flatMap(({ fields }) =>
    fields.filter(({ description }) => description === '').map(({ path }) => path.join('.')),
  )
  expect(unexplained).toEqual([])
})

it('turns values into texts and back', () => {
  const lines = { kind: 'lines' } as const
  expect(fromText(lines, toText(lines, ['a', 'b c']))).toEqual(['a', 'b c'])
  const json = { kind: 'json' } as const
  expect(fromText(json, toText(json, [{ usd: 5 }]))).toEqual([{ usd: 5 }])
  expect(() => fromText(json, '[{')).toThrow()
  expect(fromText({ kind: 'text' }, '')).toBeUndefined()
  expect(valueAt({ a: { b: 1 } }, ['a', 'b'])).toBe(1)
  expect(valueAt({ a: 1 }, ['a', 'b'])).toBeUndefined()
})
