import { describe, expect, it } from 'vitest'
import { explainRoute } from './explain-route.ts'
import { findType } from './find-type.ts'
import { route } from './route.ts'
import { DEFAULT_ROUTING, openRouting, type Routing } from './routing.ts'

const open = (text: string): Routing => {
  const opened = openRouting(text)
  if (!opened.ok) throw opened.error
  return opened.value
}
const reasonOf = (text: string): string => {
  const opened = openRouting(text)
  return opened.ok ? 'no mistake' : opened.error.message
}

describe('built-in types', () => {
  it('are the seventeen of the spec', () => {
    expect(DEFAULT_ROUTING.types.map(({ name }) => name)).toEqual([
      'Architect',
      'Designer',
      'Engineer',
      'general-purpose',
      'Explore',
      'Plan',
      'Forge',
      'Anvil',
      'Cato',
      'BrowserAgent',
      'UIReviewer',
      'QATester',
      'SecurityTester',
      'HostGuide',
      'VendorAResearcher',
      'VendorBResearcher',
      'VendorCResearcher',
    ])
  })

  it('allow the auditor only to read', () => {
    const cato = DEFAULT_ROUTING.types.find(({ name }) => name === 'Cato')
    expect(cato?.tools).toEqual(['Read', 'Grep', 'Glob'])
  })

  it('are found by name, with typos and deprecated ones reported', () => {
    expect(findType('Engineer').state).toBe('known')
    expect(findType('QATester')).toMatchObject({ state: 'deprecated', replacedBy: 'Browser' })
    expect(findType('Enginer')).toEqual({ state: 'unknown', suggestion: 'Engineer' })
    expect(findType('my-own-translator').state).toBe('unknown')
  })
})

describe('a routing file', () => {
  it('without changes leaves a consistent table', () => {
    expect(reasonOf('{}')).toBe('no mistake')
    expect(route('Research tea', { routing: open('{}') })).toEqual(route('Research tea'))
  })

  it('names the types that have no name in the spec', () => {
    const routing = open('names: { researcher-a: LlamaResearcher, security-tester: Mallory }')
    expect(route('Research tea', { routing }).type).toBe('LlamaResearcher')
    expect(route('Pentest the gateway', { routing }).type).toBe('Mallory')
    expect(route('Ask Mallory to look', { routing }).type).toBe('Mallory')
  })

  it('adds rules, which come before the built-in ones', () => {
    const routing = open(`
words: { brew: [brew, steep] }
rules:
  - id: tea
    when: ['{brew} .. tea']
    answer: { system: built-in, type: Plan }
    why: tea needs a plan
`)
    expect(route('Implement steeping the green tea', { routing })).toMatchObject({
      rule: 'tea',
      type: 'Plan',
    })
    expect(route('Brew tea with custom agents', { routing }).system).toBe('custom')
  })

  it('changes or disables a rule', () => {
    const off = open(
      'rules: [{ id: research, off: true, answer: { system: direct }, why: not wanted }]',
    )
    expect(route('Research tea', { routing: off }).rule).toBe('default')
  })

  it.each([
    ['rules: [{ id: a, answer: { system: built-in, type: Nobody }, why: b }]', 'no type Nobody'],
    ["rules: [{ id: a, when: ['{tea}'], answer: { system: team }, why: b }]", 'no word set {tea}'],
    ['rules: [{ id: a, answer: { system: custom, type: Engineer }, why: b }]', 'never as Engineer'],
    ['rule: []', 'unknown key'],
    ['rules: [', 'USER/AGENTS/routing.yaml'],
  ])('with a mistake is rejected with the reason: %s', (text, said) => {
    expect(reasonOf(text)).toContain(said)
  })
})

describe('an answer', () => {
  it('lists the alternatives', () => {
    const { alternatives } = route('Launch custom agents overnight to implement it in parallel')
    expect(alternatives.map(({ system }) => system)).toEqual(
      expect.arrayContaining(['managed', 'team', 'built-in']),
    )
  })

  it('requires the audit in addition to custom agents', () => {
    const answer = route('Use custom agents', { effort: 'E5', phase: 'VERIFY' })
    expect(answer.required).toMatchObject([{ type: 'Cato' }])
  })

  it('names the replacement of a deprecated type', () => {
    const answer = route('Use QATester')
    expect(answer.deprecated).toEqual({ type: 'QATester', replacedBy: 'Browser' })
    expect(explainRoute(answer)).toContain('real-browser skill (Browser) replaces it')
    // Steward has no such skill itself, so it must not promise one.
    expect(answer.notes).toContain(
      'QATester is deprecated: use a skill for real browsers (Browser), if your assistant has one',
    )
  })

  it.each([
    ['Design the architecture of the store', 'deep'],
    ['Implement the form', 'standard'],
    ['Spotcheck the results', 'fast'],
    ['Use custom agents for some grunt work', 'fast'],
    ['Use custom agents on the deep tier', 'deep'],
    ['Implement the form with the strongest model', 'deep'],
  ])('has the expected tier: %s', (request, tier) => {
    expect(route(request).tier).toBe(tier)
  })

  it('reads effort and phase from the words if they are not given', () => {
    expect(route('We are at E4 in VERIFY')).toMatchObject({ effort: 'E4', phase: 'VERIFY' })
    expect(route('At effort level 2, the build phase')).toMatchObject({
      effort: 'E2',
      phase: 'BUILD',
    })
  })

  it('sends a researcher persona to the matching researcher type', () => {
    const roster = [
      { name: 'Ava', role: 'primary researcher' },
      { name: 'Remy', role: 'secondary researcher' },
    ]
    expect(route('Ask Remy', { roster })).toMatchObject({
      system: 'named',
      agent: 'Remy',
      type: 'VendorBResearcher',
      skill: 'Research',
    })
  })
})
