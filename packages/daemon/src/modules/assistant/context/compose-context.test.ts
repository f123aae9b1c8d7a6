import { DEFAULT_TRAITS, personalityFile } from '@steward/contract'
import { expect, it } from 'vitest'
import { speakInCharacter } from '../identity/speak-in-character.ts'
import { composeContext, isAlgorithmOn } from './compose-context.ts'

const parts = {
  sessionId: 's1',
  work: '/home/MEMORY/WORK',
  command: 'steward',
  stamp: '20260307-150405',
  hasSkill: false,
  identity: { name: 'Steward', principal: '' },
  personality: { ...personalityFile.parse({}), traits: { ...DEFAULT_TRAITS } },
}

it('tells a session where its specification is, how to announce, and to end with the line', () => {
  const text = composeContext(parts)
  expect(text).toContain('/home/MEMORY/WORK/20260307-150405_three-or-four-words/SPEC.md')
  expect(text).toMatch(/steward announce .* --session s1/)
  expect(text).toContain('🗣️')
  expect(text).not.toMatch(/Your name|The person wants/)
  const short = composeContext({ ...parts, hasSkill: true })
  expect(short).toContain('Algorithm skill')
  expect(short.length).toBeLessThan(text.length / 2)
})

it('names the assistant, the person and changed traits', () => {
  const identity = { name: 'Kai', principal: 'Ada' }
  const traits = { ...DEFAULT_TRAITS, formality: 90, directness: 20 }
  const text = composeContext({ ...parts, identity, personality: { ...parts.personality, traits } })
  expect(text).toContain('Your name is Kai. You work for Ada.')
  expect(text).toContain('The person wants more formality, less directness than usual.')
})

it('is switched by the nearest folder', () => {
  const settings = { enabled: true, projects: { '/work': false, '/work/site': true } }
  const on = (cwd?: string) => isAlgorithmOn(settings, cwd)
  expect([on(), on('/other'), on('/work/a/b'), on('/work/site/docs'), on('/workers')]).toEqual([
    true,
    true,
    false,
    true,
    true,
  ])
})

it('says a message as it is until a trait is changed', () => {
  const traits = { ...DEFAULT_TRAITS }
  const say = (changed: object, principal = '') =>
    speakInCharacter('The roof is tight.', { traits: { ...traits, ...changed }, principal })
  expect(say({})).toEqual({ message: 'The roof is tight.', change: {} })
  expect(say({ warmth: 90, enthusiasm: 95 }, 'Ada').message).toBe('Ada, The roof is tight!')
  expect(say({ energy: 100 }).change.speed).toBeCloseTo(0.16)
})
