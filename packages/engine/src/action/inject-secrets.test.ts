import { expect, it } from 'vitest'
import { injectSecrets } from './inject-secrets.ts'

const manifest = {
  name: 'A_POST_MESSAGE',
  secrets: ['CHAT_TOKEN', { name: 'CHAT_ROOM', optional: true }],
}
const valuesOf = (values: Record<string, string>) => (name: string) => values[name]

it('provides only declared secrets', () => {
  const { names, secret } = injectSecrets(manifest, valuesOf({ CHAT_TOKEN: 'a', OTHER_KEY: 'b' }))
  expect(names).toEqual(['CHAT_TOKEN', 'CHAT_ROOM'])
  expect([secret('CHAT_TOKEN'), secret('CHAT_ROOM'), secret('OTHER_KEY')]).toEqual([
    'a',
    undefined,
    undefined,
  ])
})

const unset: Record<string, string>[] = [{}, { CHAT_TOKEN: '' }]
it.each(unset)('reports a required secret that is not set: %j', (values) => {
  expect(() => injectSecrets(manifest, valuesOf(values))).toThrow(
    'A_POST_MESSAGE needs the secret CHAT_TOKEN, which is not set. Here: add it to .env in the data home. On the edge: steward secrets set CHAT_TOKEN --all',
  )
})

it('reports every required secret that is not set', () => {
  const secrets = ['CHAT_TOKEN', { name: 'CHAT_ROOM' }]
  expect(() => injectSecrets({ ...manifest, secrets }, valuesOf({}))).toThrow(
    'CHAT_TOKEN, CHAT_ROOM',
  )
})
