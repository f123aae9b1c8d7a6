import { composedAgent, TRAITS } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ComposeRequest, composeAgent } from './compose-agent.ts'
import { composeSeveral } from './compose-several.ts'
import { readTraitData } from './trait-data.ts'

const compose = (request: ComposeRequest) => {
  const made = composeAgent(request)
  if (!made.ok) throw made.error
  return made.value
}
const from = (traits: string) => compose({ traits: [traits] })
const refusalOf = (request: ComposeRequest): string => {
  const made = composeAgent(request)
  return made.ok ? 'composed' : made.error.message
}

describe('composing an agent', () => {
  it.each([
    ['contrarian,skeptical', 'gravelly'],
    ['enthusiastic,creative', 'energetic'],
    ['security,adversarial', 'edgy'],
    ['analytical,meticulous', 'sophisticated'],
  ])('gives the spec’s voices: %s', (traits, voice) => {
    expect(from(traits)).toMatchObject({ voice, voice_id: voice })
  })

  it.each([
    'contrarian,skeptical',
    'enthusiastic,creative',
    'security,adversarial',
    'analytical,meticulous',
  ])('looks as it did: %s', (traits) => {
    expect(from(traits)).toMatchSnapshot()
  })

  it('prefers the largest combination', () => {
    expect(from('security,skeptical,adversarial').voice_reason).toContain(
      'security + skeptical + adversarial',
    )
  })

  it('gives 800 different prompts and voices that exist', () => {
    const { voices } = readTraitData().voices
    const prompts = new Set<string>()
    for (const expertise of TRAITS.expertise) {
      for (const personality of TRAITS.personality) {
        for (const approach of TRAITS.approach) {
          const agent = compose({
            traits: [`expertise:${expertise}`, `personality:${personality}`, approach],
          })
          prompts.add(agent.prompt)
          expect(Object.hasOwn(voices, agent.voice)).toBe(true)
          expect(agent.voice_id).not.toBe('')
        }
      }
    }
    expect(prompts.size).toBe(800)
    expect(composedAgent.safeParse(from('data')).success).toBe(true)
  })

  it('gives 800 different prompts when creative is left for it to place', () => {
    const prompts = TRAITS.expertise.flatMap((expertise) =>
      TRAITS.personality.flatMap((personality) =>
        TRAITS.approach.map((approach) => from(`${expertise},${personality},${approach}`).prompt),
      ),
    )
    expect(new Set(prompts).size).toBe(800)
  })

  it('does not care about order, case, blanks or repetition', () => {
    const names = fc.subarray(['security', 'data', 'creative', 'bold', 'rapid', 'comparative'], {
      minLength: 1,
    })
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat()), (traits, keys) => {
        const shuffled = [...traits]
          .map((trait) => ({ trait, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ trait }) => ` ${trait.toUpperCase()},${trait}, `)
        expect(from(shuffled.join(','))).toEqual(from(traits.join(',')))
      }),
    )
  })

  it('reads its own traits back to the same agent', () => {
    for (const traits of ['creative', 'creative,bold,rapid', 'security,creative']) {
      const agent = from(traits)
      expect(compose({ traits: agent.traits })).toEqual(agent)
    }
  })

  it('places creative in the empty category, and in both if that is ambiguous', () => {
    expect(from('creative,bold,rapid').traits).toEqual(['expertise:creative', 'bold', 'rapid'])
    expect(from('security,creative').traits).toEqual(['security', 'personality:creative'])
    expect(from('creative').traits).toEqual(['expertise:creative', 'personality:creative'])
  })

  it('names a trait once, also if it is in both categories', () => {
    expect(from('creative').name).toBe('Creative Specialist')
    expect(from('security,creative').name).toBe('Creative Security Specialist')
  })

  it('takes voice ids from the settings', () => {
    const agent = compose({ traits: ['security,adversarial'], voiceIds: { edgy: 'v-17' } })
    expect(agent).toMatchObject({ voice: 'edgy', voice_id: 'v-17' })
    expect(agent.prompt).toContain('v-17')
  })

  it('infers only what was left open, on whole words', () => {
    const agent = compose({ traits: ['bold'], task: 'Compare the pricing of two therapists' })
    expect(agent.personality).toEqual(['Bold'])
    expect(agent.expertise).toEqual(['Finance'])
    expect(agent.approach).toEqual(['Comparative'])
    expect(agent.inferred).toEqual(['finance', 'comparative'])
    expect(compose({ task: 'grapidly' }).traits).toEqual(['research', 'analytical', 'thorough'])
  })

  it('explains what it does not know and what contradicts itself', () => {
    expect(refusalOf({ traits: ['skeptcal'] })).toContain('did you mean skeptical?')
    expect(refusalOf({ traits: ['bold,cautious'] })).toContain('contradict each other')
    expect(refusalOf({ traits: ['bold,cautious'], allowConflicts: true })).toBe('composed')
    expect(refusalOf({ traits: [' , '] })).toContain('--traits, --task')
    expect(refusalOf({ traits: ['__proto__'] })).toContain('is not a trait')
    expect(from('rapid,meticulous').notes).toHaveLength(1)
  })
})

describe('composing several agents', () => {
  it('makes them different, the same each time', () => {
    const request = { task: 'Review the security of our payment API' }
    const made = composeSeveral(request, 80)
    if (!made.ok) throw made.error
    expect(new Set(made.value.map(({ slug }) => slug)).size).toBe(80)
    expect(made.value[0]?.traits[0]).toBe('security')
    expect(made.value[0]?.personality).not.toEqual(made.value[1]?.personality)
    expect(made.value[0]?.approach).not.toEqual(made.value[1]?.approach)
    expect(composeSeveral(request, 80)).toEqual(made)
  })

  it('makes all 800 when everything is open, and says when there are no more', () => {
    const request = { task: 'anything' }
    const made = composeSeveral(request, 800)
    expect(made.ok && new Set(made.value.map(({ prompt }) => prompt)).size).toBe(800)
    const many = composeSeveral(request, 801)
    expect(many.ok ? '' : many.error.message).toContain('800 different agents, not 801')
  })

  it('keeps what was named', () => {
    const made = composeSeveral({ traits: ['legal', 'rapid'], task: 'the lease' }, 5)
    if (!made.ok) throw made.error
    for (const { expertise, approach } of made.value) {
      expect([expertise, approach]).toEqual([['Legal'], ['Rapid']])
    }
  })
})
