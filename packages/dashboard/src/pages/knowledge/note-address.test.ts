import { KNOWLEDGE_DOMAINS as OF_THE_CONTRACT } from '@steward/contract'
import { expect, it } from 'vitest'
import { KNOWLEDGE_DOMAINS } from './domains.ts'
import { addressOf, readNoteAddress } from './note-address.ts'

it('reads its own output', () => {
  const note = { domain: 'Ideas', slug: 'back-off' } as const
  expect(readNoteAddress(addressOf(note))).toEqual(note)
  expect(readNoteAddress('/knowledge/ideas/back-off')).toEqual(note)
})

it.each([
  '/knowledge',
  '/knowledge/',
  '/knowledge/Ideas',
  '/knowledge/Topics/x',
  '/knowledge/Ideas/x/y',
])('%s is no note', (path) => expect(readNoteAddress(path)).toBeUndefined())

it('has the domains of the contract', () => expect(KNOWLEDGE_DOMAINS).toEqual(OF_THE_CONTRACT))
